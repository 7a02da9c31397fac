//! `contexture flow cancel`: ends a run of any process (FL-12).

use super::control::{self, TargetRun};
use super::stored_runs::StoredRun;
use crate::prelude::*;
use crate::support::runtime::multi_threaded;
use contexture::flows::{Closed, FlowError, close, is_within};
use contexture::protocol::content::Status;
use contexture::store::flows::{Ask, RunState};

const EXAMPLES: &str = "\
Examples:
  contexture flow cancel latest --json

RUN is as in `flow show`; any process on this machine may execute the run.";

/// Cancels a run: running steps end FAILED, waiting ones SKIPPED.
///
/// An interrupted run is closed in the same way, and nothing of it is run.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    #[command(flatten)]
    asked: TargetRun,
}

pub(super) fn run(args: &Args, terminal: &Terminal) -> CommandResult {
    let stored = args.asked.location.find(&args.asked.run)?;
    let is_json = args.asked.json;
    if stored.summary.state == RunState::Interrupted && is_within(stored.id()) {
        return Err(stored.within("cancel", "cancels both"));
    }
    let is_running = stored.journal.ask(stored.id(), Ask::Cancel)?;
    if is_running {
        return control::report(stored.id(), (Ask::Cancel, true), is_json, terminal);
    }
    match multi_threaded()?.block_on(close(&stored.journal, stored.id())) {
        Ok(closed) => report(&stored, &closed, is_json, terminal),
        // Another process has just resumed it, and has received the request.
        Err(FlowError::Setup(error)) if error.code == "flow_run_held" => {
            control::report(stored.id(), (Ask::Cancel, true), is_json, terminal)
        }
        Err(error) => Err(error.into()),
    }
}

fn report(
    stored: &StoredRun,
    closed: &Closed,
    is_json: bool,
    terminal: &Terminal,
) -> CommandResult {
    let run = stored.id();
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
        "interrupted run {run} is now closed as {}, with {} failed and {skipped} skipped",
        closed.status,
        counted(failed, "step"),
    ));
    Ok(Exit::Done)
}
