//! Non-interference (GU-8): two runs of a program that differ only in what comes from outside do
//! the same on their own, whatever a model is talked into.
//!
//! What is compared: the effects that happen without a person's word, in their order, with what
//! decides about them: a path, an address, headers. The content of a file and the body of a request
//! may differ, and what a person allowed is a release. A failure ends the comparison where only one
//! of the runs has it: that an operation did not fail is not followed (docs/security.md).

mod world;
mod writer;

use super::script::{finished, loaded};
use contexture_context::Limits;
use contexture_diagnostic::Severity;
use contexture_script::analysis;
use contexture_script::runtime::{Entry, Executable, RunOptions, compile, run};
use serde_json::json;
use world::{MODES, Mode, Step, World, hash};
use writer::Writer;

/// Tries the program that an input decides about, in worlds that the same input chooses.
pub(super) fn interference(input: &[u8]) -> Result<String, String> {
    let state = hash(input);
    let source = Writer::new(input, state, false).program();
    let program = executable(&source)?;
    let mut done = 0;
    for mode in MODES {
        let worlds = [state, state ^ 1, state ^ 2];
        let (differs, count) = compared(&program, mode, &worlds, false);
        done += count;
        if let Some(differs) = differs {
            return Err(format!("{mode:?}: {differs} in the program\n{source}"));
        }
    }
    Ok(format!("{} effects", done.min(40)))
}

fn limits() -> Limits {
    let mut limits = Limits::default();
    limits.steps = 20_000;
    limits
}

fn executable(source: &str) -> Result<Executable, String> {
    let program = loaded(source.as_bytes(), &limits());
    let faults = analysis::check(&program);
    let fault = faults.iter().find(|fault| fault.severity == Severity::Error);
    match fault {
        Some(fault) => Err(format!("the writer wrote a fault, {}:\n{source}", fault.message)),
        None => Ok(compile(&program)),
    }
}

fn steps(program: &Executable, world: World) -> Vec<Step> {
    let options = RunOptions { limits: limits(), ..RunOptions::default() };
    finished(run(program, &Entry::default(), json!({}), &world, &options));
    world.into_steps()
}

/// Returns where runs in several worlds differ from that in the first, and how much that did.
fn compared(
    program: &Executable,
    mode: Mode,
    worlds: &[u64],
    washes: bool,
) -> (Option<String>, usize) {
    let mut runs = worlds.iter().map(|seed| steps(program, World::new(*seed, mode, washes)));
    let base = runs.next().unwrap_or_default();
    (runs.find_map(|run| difference(&base, &run)), base.len())
}

/// Returns where two runs differ, if that is not where one of them failed.
fn difference(left: &[Step], right: &[Step]) -> Option<String> {
    let at = left.iter().zip(right).take_while(|(left, right)| left == right).count();
    let (left, right) = (left.get(at), right.get(at));
    let failed = |step: Option<&Step>| matches!(step, Some(Step::Failure(_)));
    (left != right && !failed(left) && !failed(right)).then(|| format!("{left:?} or {right:?}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the number of programs that interfere, the first of them, and what all runs did.
    fn interfering(count: u64, aliases: bool, washes: bool) -> (usize, String, usize) {
        let (mut found, mut first, mut done) = (0, String::new(), 0);
        for number in 1..=count {
            let source = Writer::new(&[], hash(number), aliases).program();
            let program = executable(&source).unwrap();
            for mode in MODES {
                let (differs, count) = compared(&program, mode, &[0, 1, 2, 3], washes);
                done += count;
                if let Some(differs) = differs {
                    found += 1;
                    if first.is_empty() {
                        first = format!("{number} {mode:?}: {differs}\n{source}");
                    }
                }
            }
        }
        (found, first, done)
    }

    #[test]
    fn gu_8_random_programs_do_the_same_whatever_comes_from_outside() {
        let (found, first, done) = interfering(400, false, false);
        assert_eq!(found, 0, "{first}");
        assert!(done > 2_000, "they do something: {done}");
    }

    #[test]
    fn gu_8_interference_is_found_where_answers_forget_their_sources() {
        let (found, _, _) = interfering(200, false, true);
        assert!(found > 3, "{found}");
    }

    #[test]
    fn gu_8_input_of_fuzzer_decides_about_program() {
        let one = Writer::new(b"a few bytes", 1, false).program();
        assert_eq!(one, Writer::new(b"a few bytes", 1, false).program());
        assert_ne!(one, Writer::new(b"other bytes", 1, false).program());
        assert!(interference(b"a few bytes").unwrap().ends_with("effects"));
    }

    /// A branch that is not taken lowers variables and what they hold directly. What it would have
    /// changed through another name stays as it is: this test says so, and fails when it is closed.
    #[test]
    fn gu_8_change_through_another_name_is_not_followed_on_way_not_taken() {
        let (found, first, _) = interfering(400, true, false);
        assert!(found > 0);
        assert!(first.contains("outer(") || first.contains("p.x ="), "{first}");
    }
}
