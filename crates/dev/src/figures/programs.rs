//! Steps of flows, events of runs, and runs.

use super::product::{Product, project, write};
use crate::weight::Measured;
use serde_json::json;
use std::path::Path;

const PROGRAM: &str = "\
main func(input) {
  for item in range(0, input.n) max 1000000 {
    answer = generate({ input: \"Say what this item is.\" }) -> { answer string }
  }
  return \"done\"
}
";

/// The lines that each model call adds to a record.
const EVENTS: usize = 4;

/// Runs that are begun together while a store is filled.
const TOGETHER: usize = 8;

pub(super) fn chain(product: &Product, sizes: &[usize]) -> Measured<Vec<f64>> {
    each(sizes, |size| {
        let project = project()?;
        write(project.path(), "one.json", &steps(1))?;
        write(project.path(), "chain.json", &steps(size))?;
        let begin = product.least(project.path(), &["flow", "run", "one.json", "-q"], 3)?;
        let all =
            product.least(project.path(), &["flow", "run", "chain.json", "-q"], tries(size))?;
        Ok((all - begin) / size as f64)
    })
}

/// Returns a set of steps of which each needs the one before.
fn steps(count: usize) -> String {
    let step = |n: usize| {
        let dependencies: Vec<String> = n.checked_sub(1).iter().map(|n| format!("s{n}")).collect();
        json!({
            "instructionId": format!("s{n}"), "action": "echo",
            "parameters": { "text": format!("step {n}") }, "dependencies": dependencies,
        })
    };
    json!({ "instructions": (0..count).map(step).collect::<Vec<_>>() }).to_string()
}

pub(super) fn events(product: &Product, sizes: &[usize]) -> Measured<Vec<f64>> {
    each(sizes, |size| {
        let project = project()?;
        write(project.path(), "calls.as", PROGRAM)?;
        let begin = product.least(project.path(), &called("{\"n\":1}"), 3)?;
        let input = format!("{{\"n\":{}}}", size / EVENTS);
        let all = product.least(project.path(), &called(&input), tries(size))?;
        Ok((all - begin) / size as f64)
    })
}

pub(super) fn call(product: &Product, sizes: &[usize]) -> Measured<Vec<f64>> {
    each(sizes, |size| {
        let project = project()?;
        write(project.path(), "calls.as", PROGRAM)?;
        let calls = size / EVENTS;
        product.run(project.path(), &called(&format!("{{\"n\":{calls}}}")))?;
        let last = (calls - 1).to_string();
        let shown = product.least(project.path(), &["trace", "prompt", "latest", &last], 9)?;
        Ok(shown / 1e3)
    })
}

pub(super) fn runs(product: &Product, sizes: &[usize]) -> Measured<Vec<f64>> {
    beside_runs(product, sizes, |project| product.least(project, &called("{\"n\":1}"), 9))
}

pub(super) fn list(product: &Product, sizes: &[usize]) -> Measured<Vec<f64>> {
    beside_runs(product, sizes, |project| product.least(project, &["trace", "list"], 9))
}

/// Measures in one project, which has as many runs as each size says.
fn beside_runs(
    product: &Product,
    sizes: &[usize],
    measure: impl Fn(&Path) -> Measured<f64>,
) -> Measured<Vec<f64>> {
    let project = project()?;
    write(project.path(), "calls.as", PROGRAM)?;
    let mut kept = 0;
    each(sizes, |size| {
        fill(product, project.path(), size - kept)?;
        kept = size;
        Ok(measure(project.path())? / 1e3)
    })
}

fn fill(product: &Product, project: &Path, count: usize) -> Measured<()> {
    std::thread::scope(|scope| {
        let one = |part: usize| {
            let mine = count / TOGETHER + usize::from(part < count % TOGETHER);
            scope.spawn(move || {
                (0..mine).try_for_each(|_| product.run(project, &called("{\"n\":1}")))
            })
        };
        let parts: Vec<_> = (0..TOGETHER).map(one).collect();
        parts
            .into_iter()
            .try_for_each(|part| part.join().unwrap_or_else(|_| Err("a thread ended".to_owned())))
    })
}

fn called(input: &str) -> [&str; 6] {
    ["run", "calls.as", "--input", input, "--mock", "-q"]
}

pub(super) fn each(
    sizes: &[usize],
    mut cost: impl FnMut(usize) -> Measured<f64>,
) -> Measured<Vec<f64>> {
    sizes.iter().map(|size| cost(*size)).collect()
}

/// Small sizes are measured more often: the rest of the machine moves them more.
fn tries(size: usize) -> usize {
    if size <= 1_000 {
        7
    } else if size <= 10_000 {
        3
    } else {
        1
    }
}
