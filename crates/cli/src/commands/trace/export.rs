//! `contexture trace export`: a run with all its texts, readable without the store.

use super::runs::Runs;
use crate::prelude::*;
use contexture::inspect::export;

const EXAMPLES: &str = "\
Examples:
  contexture trace export latest --json > run.json
  contexture trace export latest > run.jsonl";

/// Prints a run with all its texts: one JSON line per event, or one JSON object.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The run.
    #[arg(value_name = "RUN", default_value = "latest")]
    run: String,
    /// Print one JSON object instead of one line per event.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, runs: &Runs, terminal: &Terminal) -> CommandResult {
    let log = runs.load(&args.run, terminal)?;
    let whole = export(runs.kept(&log));
    if args.json {
        terminal.print_json(&whole)?;
    } else {
        for event in whole.get("events").and_then(Value::as_array).into_iter().flatten() {
            terminal.print_json(event)?;
        }
    }
    Ok(Exit::Done)
}
