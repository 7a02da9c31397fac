//! `contexture flow show`: the steps of a stored run (FL-12).

use super::stored_runs::{FlowLocation, StoredRun};
use super::summary::FlowSummary;
use crate::output::text::timestamp;
use crate::prelude::*;
use contexture::diagnostic::suggestion;
use contexture::flow::Set;
use contexture::flows::{StepHistory, shown, word};
use contexture::protocol::Limits;
use contexture::protocol::content::{Outcome as Ended, Status};
use contexture::store::flows::{Line, RunState};
use std::collections::HashMap;
use std::time::Duration;

const EXAMPLES: &str = "\
Examples:
  contexture flow run examples/flows/hello.json && contexture flow show latest
  contexture flow show latest --step tell
  contexture flow show latest --json

RUN is an id, the beginning or end of one, `latest`, or `latest~1` for the run before.";

/// Shows the outcomes of the steps of a stored run.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The run.
    #[arg(value_name = "RUN")]
    run: String,
    /// Print the whole outcome of this step, as JSON.
    #[arg(long, value_name = "ID")]
    step: Option<String>,
    #[command(flatten)]
    location: FlowLocation,
    /// Print one JSON object: run, name, status, steps, done, started, ended, set, results, order
    /// and events.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, terminal: &Terminal) -> CommandResult {
    let stored = args.location.find(&args.run)?;
    let log = stored.log()?;
    if let Some(id) = &args.step {
        let outcome = outcome(&log, id)?;
        if args.json {
            terminal.print_tree(&outcome)?;
        } else {
            terminal.print_pretty(&json!(outcome))?;
        }
        return Ok(Exit::Done);
    }
    let document = stored.document()?;
    if args.json {
        terminal.print_tree(&shown(&stored.summary, (&log, &document), |_| true))?;
        return Ok(Exit::Done);
    }
    print(&stored, &log, &document, terminal)?;
    Ok(Exit::Done)
}

/// Returns the outcome of a step that started or ended.
fn outcome(log: &[Line], id: &str) -> Result<Ended, Abort> {
    let steps = StepHistory::of(log).steps;
    if let Some((found, _)) = steps.iter().find(|(outcome, _)| outcome.instruction_id == id) {
        return Ok(found.clone());
    }
    let ids: Vec<&str> = steps.iter().map(|(outcome, _)| outcome.instruction_id.as_str()).collect();
    let help = suggestion(id, ids.iter().copied()).unwrap_or_else(|| {
        "`contexture flow show` lists the steps; a waiting step has no outcome".to_owned()
    });
    let message = format!("no step `{id}` has started");
    Err(CommandError::refused("flow_step_not_found", message).help(help).into())
}

fn print(
    stored: &StoredRun,
    log: &[Line],
    document: &str,
    terminal: &Terminal,
) -> Result<(), Abort> {
    let paint = terminal.out;
    let run = &stored.summary;
    let head = format!("{} · {}", paint.bold(&one_line(&run.run)), word(run.state));
    let name =
        if run.name.is_empty() { String::new() } else { format!(" · {}", one_line(&run.name)) };
    terminal.print_line(&format!("{head}{name} · {}", counted(run.steps, "step")))?;
    let ended = run.ended_us.map(|time| format!(", ended {}", timestamp(time))).unwrap_or_default();
    terminal.print_line(&paint.dim(&format!("started {}{ended}", timestamp(run.started_us))))?;
    let set = Set::parse(document.as_bytes(), &Limits::FILE).ok();
    let summary = FlowSummary {
        status: match run.state {
            RunState::Ended(status) => status,
            RunState::Running | RunState::Paused | RunState::Interrupted => Status::Running,
        },
        steps: steps(log, set.as_ref()),
        took: run.ended_us.map(|end| Duration::from_micros(end.saturating_sub(run.started_us))),
        run: None,
    };
    summary.print(terminal)?;
    summary.say_errors(terminal);
    let id = &run.run;
    match run.state {
        RunState::Interrupted => terminal.note(&format!(
            "the run was interrupted; `contexture flow resume {id}` continues it, `flow cancel {id}` ends it"
        )),
        RunState::Paused => {
            terminal.note(&format!("the run is paused; `contexture flow resume {id}` continues it"));
        }
        RunState::Running | RunState::Ended(_) => {}
    }
    Ok(())
}

/// Returns the steps in the order of the set; unknown ones are waiting.
fn steps<'s>(log: &[Line], set: Option<&'s Set>) -> Vec<(Ended, &'s str, Option<Duration>)> {
    let start = log.first().map_or(0, |line| line.time_us);
    let since = |began: u64| Duration::from_micros(began.saturating_sub(start));
    let history = StepHistory::of(log);
    let Some(set) = set else {
        let known = history.steps.into_iter();
        return known.map(|(outcome, began)| (outcome, "", began.map(since))).collect();
    };
    let mut known: HashMap<String, (Ended, Option<u64>)> = history
        .steps
        .into_iter()
        .map(|(outcome, began)| (outcome.instruction_id.clone(), (outcome, began)))
        .collect();
    let steps = set.steps.iter().map(|step| {
        let waits = || (Ended::new(step.id.as_str(), Status::Pending), None);
        let (outcome, began) = known.remove(&step.id).unwrap_or_else(waits);
        (outcome, step.action.as_str(), began.map(since))
    });
    steps.collect()
}
