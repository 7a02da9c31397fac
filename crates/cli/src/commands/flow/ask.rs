//! `contexture flow pause` and `cancel`: steering a run that another process does (FL-12).

use super::place::{Kept, Place, refuse};
use crate::commands::Outcome;
use crate::complaint::Exit;
use crate::terminal::Terminal;
use contexture::store::flows::Ask;
use serde_json::json;

/// What is asked of which run.
#[derive(Debug, clap::Args)]
pub(super) struct Asked {
    /// The run, as `flow list` names it.
    #[arg(value_name = "RUN")]
    pub(super) run: String,
    #[command(flatten)]
    pub(super) place: Place,
    /// Print one JSON object.
    #[arg(long)]
    pub(super) json: bool,
}

/// Asks it of the run.
pub(super) fn ask(asked: &Asked, ask: Ask, terminal: &Terminal) -> Outcome {
    ask_of(&asked.place.find(&asked.run)?, ask, asked.json, terminal)
}

/// Asks it of a run that was found.
pub(super) fn ask_of(kept: &Kept, ask: Ask, is_json: bool, terminal: &Terminal) -> Outcome {
    let is_running = kept.journal.ask(kept.id(), ask).map_err(|error| refuse(&error))?;
    tell(kept.id(), (ask, is_running), is_json, terminal)
}

/// Says what was asked, and whether the run goes on anywhere.
pub(super) fn tell(
    run: &str,
    (ask, is_running): (Ask, bool),
    is_json: bool,
    terminal: &Terminal,
) -> Outcome {
    if is_json {
        terminal.print_json(&json!({ "run": run, "running": is_running }))?;
        return Ok(Exit::Done);
    }
    let text = match (ask, is_running) {
        (Ask::Pause, true) => {
            format!("run {run} starts nothing new until `contexture flow resume {run}`")
        }
        (Ask::Resume, true) => format!("run {run} goes on"),
        (Ask::Cancel, true) => format!("run {run} is being cancelled"),
        (_, false) => {
            format!("run {run} was broken off; `contexture flow resume {run}` goes on with it")
        }
    };
    terminal.note(&text);
    Ok(Exit::Done)
}
