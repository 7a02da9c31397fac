//! Control of a run in another process: `contexture flow pause`, `resume` and `cancel` (FL-12).

use super::stored_runs::{FlowLocation, StoredRun};
use crate::prelude::*;
use contexture::store::flows::Ask;

/// The options that name a run.
#[derive(Debug, clap::Args)]
pub(super) struct TargetRun {
    /// The run, as in `flow list`.
    #[arg(value_name = "RUN")]
    pub(super) run: String,
    #[command(flatten)]
    pub(super) location: FlowLocation,
    /// Print one JSON object.
    #[arg(long)]
    pub(super) json: bool,
}

/// Sends a request to a run.
pub(super) fn ask(asked: &TargetRun, ask: Ask, terminal: &Terminal) -> CommandResult {
    ask_of(&asked.location.find(&asked.run)?, ask, asked.json, terminal)
}

pub(super) fn ask_of(
    kept: &StoredRun,
    ask: Ask,
    is_json: bool,
    terminal: &Terminal,
) -> CommandResult {
    let is_running = kept.journal.ask(kept.id(), ask)?;
    report(kept.id(), (ask, is_running), is_json, terminal)
}

/// Prints the request, and whether a process executes the run.
pub(super) fn report(
    run: &str,
    (ask, is_running): (Ask, bool),
    is_json: bool,
    terminal: &Terminal,
) -> CommandResult {
    if is_json {
        terminal.print_json(&json!({ "run": run, "running": is_running }))?;
        return Ok(Exit::Done);
    }
    let text = match (ask, is_running) {
        (Ask::Pause, true) => {
            format!("run {run} is paused: nothing new starts until `contexture flow resume {run}`")
        }
        (Ask::Resume, true) => format!("run {run} continues"),
        (Ask::Cancel, true) => format!("run {run} is being cancelled"),
        (_, false) => {
            format!("run {run} was interrupted; `contexture flow resume {run}` continues it")
        }
    };
    terminal.note(&text);
    Ok(Exit::Done)
}
