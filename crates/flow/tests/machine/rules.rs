//! What must hold of a run, whatever happened.

use super::plans::{Guard, Step, answer};
use super::world::World;
use contexture_flow::machine::{Input, Machine, Output, Report};
use contexture_protocol::content::{Outcome, Status};
use serde_json::{Value, json};
use std::time::Duration;

/// Returns the number of steps that ended with a code.
pub(crate) fn count(report: &Report, code: &str) -> u64 {
    report.outcomes().filter(|outcome| code_of(outcome) == code).count() as u64
}

pub(crate) fn code_of(outcome: &Outcome) -> &str {
    let error = outcome.error.as_ref().map(|error| error.code.as_str());
    error.or(outcome.reason.as_ref().map(|reason| reason.code.as_str())).unwrap_or_default()
}

/// Brings a run whose journal holds its end to its end.
pub(crate) fn restored(mut machine: Machine) -> Report {
    machine.advance(Duration::ZERO, &mut Vec::new);
    while !machine.is_done() {
        let outputs: Vec<Output> = machine.outputs().collect();
        assert!(!outputs.is_empty());
        for output in outputs {
            let ticket = output.ticket().expect("nothing is run again");
            machine.handle(Duration::ZERO, Input::Kept { ticket, result: Ok(()) });
        }
        machine.advance(Duration::ZERO, &mut Vec::new);
    }
    machine.into_report(Duration::ZERO)
}

/// Returns what a run did wrong.
pub(crate) fn faults(world: &World, report: &Report, seed: u64) -> Vec<String> {
    let outcomes: Vec<Outcome> = report.outcomes().collect();
    let mut faults = Vec::new();
    for (number, step) in world.plans.steps.iter().enumerate() {
        if let Some(fault) = fault_of_end(world, &outcomes, number, step, seed) {
            faults.push(format!("s{number}: {fault}"));
        }
        if let Some(fault) = fault_of_effects(world, number, step) {
            faults.push(format!("s{number}: {fault}"));
        }
    }
    let is_bad = |o: &Outcome| matches!(o.status, Status::Failed | Status::Timeout);
    if report.status() == Status::Completed && outcomes.iter().any(is_bad) {
        faults.push("COMPLETED with a failed step".to_owned());
    }
    faults
}

/// Checks the end of a step against those of the steps that it needs.
fn fault_of_end(
    world: &World,
    outcomes: &[Outcome],
    number: usize,
    step: &Step,
    seed: u64,
) -> Option<String> {
    let outcome = &outcomes[number];
    let code = code_of(outcome);
    let may_stop = world.is_asked_to_stop
        || world.plans.has_times()
        || world.plans.steps.iter().any(|step| step.recovery == "ABORT");
    let is_stopped =
        may_stop && ["CANCELLED", "SET_TIMEOUT", "TIMEOUT", "INTERNAL"].contains(&code);
    // A step that may have run when the process ended says so, whatever ended the run.
    let is_uncertain = code == "OUTCOME_UNCERTAIN" && (world.crashes > 0 || may_stop);
    if !outcome.status.is_final() {
        return Some(format!("it is {}", outcome.status));
    }
    let acted = || world.effects.iter().any(|effect| effect.step == number);
    if is_uncertain {
        // Its alternative has an effect of its own.
        let is_known = step.is_idempotent && step.recovery != "DEGRADE" && !may_stop;
        return is_known.then(|| "an idempotent step is uncertain".to_owned());
    }
    if is_stopped {
        let is_wrong = outcome.status == Status::Completed;
        return is_wrong.then(|| format!("COMPLETED with {code}"));
    }
    let expected = match expected_skip(outcomes, step) {
        Some(code) => {
            return (code_of(outcome) != code || acted()).then(|| {
                format!("it is {} {code:?}, not SKIPPED {code}, or it acted", outcome.status)
            });
        }
        None => match outcome.status {
            Status::Completed => &["COMPLETED"][..],
            Status::Failed => &["FAILED"],
            other => return Some(format!("it is {other} {code}, and could run")),
        },
    };
    let last = world.effects.iter().rev().find(|effect| effect.step == number);
    let Some(last) = last else { return Some("it ended without acting".to_owned()) };
    let said = answer(seed, number, last.attempt, last.action == "other");
    let (said, value) = match said {
        Ok(value) => ("COMPLETED", Some(value)),
        // A run that stops accepts no part.
        Err(failure)
            if step.recovery == "PARTIAL"
                && failure.partial.is_some()
                && !(may_stop && outcome.status == Status::Failed) =>
        {
            ("COMPLETED", failure.partial)
        }
        Err(_) => ("FAILED", None),
    };
    let result: Option<Value> = outcome.result.clone();
    (!expected.contains(&said) || result != value).then(|| {
        format!("{} {}, but its action said {said} {}", outcome.status, json!(result), json!(value))
    })
}

/// Returns the code of the skip that the rules ask for (FL-7).
fn expected_skip(outcomes: &[Outcome], step: &Step) -> Option<&'static str> {
    let excused = |n: usize| matches!(step.guard, Guard::Failed(named) if named == n);
    if step.needs.iter().any(|n| outcomes[*n].status != Status::Completed && !excused(*n)) {
        return Some("DEPENDENCY_FAILED");
    }
    let is_true = match step.guard {
        Guard::None => true,
        Guard::Failed(n) => outcomes[n].status == Status::Failed,
        Guard::Large(n) => {
            let n = outcomes[n].result.as_ref().and_then(|value| value["n"].as_u64());
            n.is_some_and(|n| n > 4)
        }
    };
    (!is_true).then_some("CONDITION_FALSE")
}

/// Checks how often a step had its effect.
fn fault_of_effects(world: &World, number: usize, step: &Step) -> Option<String> {
    let of = |is_other: bool| {
        let mine = world.effects.iter().filter(|effect| effect.step == number);
        mine.filter(|effect| (effect.action == "other") == is_other).count() as u64
    };
    let (own, other) = (of(false), of(true));
    let crashes = world.crashes;
    // A client is asked again for the same call, which it runs once (WA-1).
    let most = match (step.recovery, step.is_idempotent || step.is_front) {
        ("RETRY", true) => 3 + crashes,
        ("RETRY", false) => 3,
        (_, true) => 1 + crashes,
        (_, false) => 1,
    };
    if own > most {
        return Some(format!("{own} effects of its action, {crashes} crashes"));
    }
    let most_other = u64::from(step.recovery == "DEGRADE");
    (other > most_other).then(|| format!("{other} effects of its alternative"))
}
