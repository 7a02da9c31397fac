//! `cargo dev fuzz`: the readers of the product under inputs that nobody would write (GU-13).
//!
//! Each target reads an input and checks what must hold for any: nothing panics, nothing takes long, what
//! is written is read back. Inputs are made from the repository's own specimens, examples and documents by
//! mutation, from a seed, so that a run can be repeated.
//!
//! Decision: a mutation fuzzer of our own, over `fastrand`. The libraries that steer by coverage need the
//! nightly compiler or a runtime in C; those that do not (`bolero`'s random engine, `mutatis`) bring what
//! is in `mutate.rs` and neither words nor splices of texts. Inputs that a target answers in a new way
//! are kept and mutated further, which finds depth without a measure of coverage. A target runs in a
//! process of its own: what overflows the stack or hangs is found, too.

mod arguments;
mod corpus;
mod engine;
mod failing;
mod mutate;
mod report;
mod supervise;
mod targets;

use arguments::{Arguments, Job};
use std::time::Duration;

type Outcome<T> = Result<T, String>;

/// Answers `cargo dev fuzz` with `arguments`; `None` when they can't be read.
pub(crate) fn run(arguments: &[&str]) -> Option<Outcome<Vec<String>>> {
    let arguments = Arguments::read(arguments)?;
    Some(match &arguments.job {
        Job::List => Ok(report::list(arguments.is_json)),
        Job::Replay { target, input } => replay(target, input),
        Job::Child(child) => engine::child(child).map(|()| Vec::new()),
        Job::Fuzz(names) => fuzz(names, &arguments),
    })
}

/// Runs targets one after another, each for its share of the time.
fn fuzz(names: &[String], arguments: &Arguments) -> Outcome<Vec<String>> {
    let count = u32::try_from(names.len()).unwrap_or(u32::MAX).max(1);
    let share: Duration = arguments.time / count;
    let mut reports = Vec::new();
    for name in names {
        let ended = supervise::run(name, arguments.seed, share)?;
        if !arguments.is_json {
            println!("{}", report::line(&ended));
        }
        reports.push(ended);
    }
    let has_failed = reports.iter().any(|ended| ended.failure.is_some());
    if arguments.is_json {
        println!("{}", report::json(&reports, arguments.seed));
    }
    if has_failed {
        return Err(format!("some input failed; the seed was {}", arguments.seed));
    }
    Ok(if arguments.is_json {
        Vec::new()
    } else {
        vec![format!("nothing failed; the seed was {}", arguments.seed)]
    })
}

/// Runs a target with the input of a file.
fn replay(target: &str, input: &str) -> Outcome<Vec<String>> {
    let bytes = std::fs::read(input).map_err(|error| format!("{input}: {error}"))?;
    let target = targets::find(target)?;
    let (name, mut check) = (target.name, target.open()?);
    match engine::guarded(name, &mut check, &bytes) {
        Ok(seen) => Ok(vec![format!("{name}: nothing failed ({seen})")]),
        Err(why) => Err(format!("{name}: {why}")),
    }
}
