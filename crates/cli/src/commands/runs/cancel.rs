//! `contexture runs cancel`: ends a run for good.

use super::{TargetRun, refused};
use crate::prelude::*;
use contexture::durable::cancel;

const EXAMPLES: &str = "\
Examples:
  contexture runs cancel latest --json

A run that another process has under way ends at its next call.";

/// Ends a run with a journal: it can't be taken up again.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    #[command(flatten)]
    asked: TargetRun,
    /// Print one JSON object: run, and whether a process has it under way.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, terminal: &Terminal) -> CommandResult {
    let (project, run) = args.asked.find()?;
    let is_running = cancel(&project, &run).map_err(refused)?;
    let id = &run.id;
    if args.json {
        terminal.print_json(&json!({ "run": id, "running": is_running }))?;
        return Ok(Exit::Done);
    }
    terminal.note(&match is_running {
        true => format!("run {id} is being cancelled: it ends at its next call"),
        false => format!("run {id} is cancelled"),
    });
    Ok(Exit::Done)
}
