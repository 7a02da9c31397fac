//! `contexture flow cancel`: a run that any process does comes to its end (FL-12).

use super::ask::{self, Asked};
use super::place::{Kept, refuse, refuse_flow};
use super::run::runtime;
use crate::columns::counted;
use crate::commands::Outcome;
use crate::complaint::{Complaint, Exit};
use crate::terminal::Terminal;
use contexture::flows::{Closed, FlowError, close, is_within};
use contexture::protocol::content::Status;
use contexture::store::flows::{Ask, RunState};
use serde_json::json;

const EXAMPLES: &str = "\
Examples:
  contexture flow cancel latest --json

The run is found as by `flow show`; the process that does it may be any on this machine.";

/// Cancels a run: what runs ends FAILED, what has not started SKIPPED.
///
/// A run that was broken off is closed so, and nothing of it is run.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    #[command(flatten)]
    asked: Asked,
}

impl Args {
    pub(super) const fn wants_json(&self) -> bool {
        self.asked.json
    }
}

/// Runs `contexture flow cancel`.
pub(super) fn run(args: &Args, terminal: &Terminal) -> Outcome {
    let kept = args.asked.place.find(&args.asked.run)?;
    let is_json = args.asked.json;
    if kept.summary.state == RunState::Interrupted && is_within(kept.id()) {
        let outer = kept.id().split('/').next().unwrap_or_default();
        let message = format!("the run {} belongs to a step of another run", kept.id());
        let help = format!("`contexture flow cancel {outer}` closes both");
        return Err(Complaint::refused("flow_run_within", message).help(help).into());
    }
    let is_running = kept.journal.ask(kept.id(), Ask::Cancel).map_err(|error| refuse(&error))?;
    if is_running {
        return ask::tell(kept.id(), (Ask::Cancel, true), is_json, terminal);
    }
    match runtime()?.block_on(close(&kept.journal, kept.id())) {
        Ok(closed) => tell(&kept, &closed, is_json, terminal),
        // Somebody has taken it up just now, and has heard of it.
        Err(FlowError::Setup(error)) if error.code == "flow_run_held" => {
            ask::tell(kept.id(), (Ask::Cancel, true), is_json, terminal)
        }
        Err(error) => Err(refuse_flow(error)),
    }
}

fn tell(kept: &Kept, closed: &Closed, is_json: bool, terminal: &Terminal) -> Outcome {
    let run = kept.id();
    let count = |status| closed.outcomes.iter().filter(|one| one.status == status).count() as u64;
    let (failed, skipped) = (count(Status::Failed), count(Status::Skipped));
    if is_json {
        terminal.print_json(&json!({
            "run": run,
            "running": false,
            "status": closed.status,
            "failed": failed,
            "skipped": skipped,
        }))?;
        return Ok(Exit::Done);
    }
    terminal.note(&format!(
        "run {run} was broken off and is now closed as {}, with {} failed and {skipped} skipped",
        closed.status,
        counted(failed, "step"),
    ));
    Ok(Exit::Done)
}
