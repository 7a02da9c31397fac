//! `contexture runs settle`: says what came of a call in doubt.

use super::{TargetRun, refused};
use crate::prelude::*;
use contexture::durable::{Settlement, settle};

const EXAMPLES: &str = "\
Examples:
  contexture runs settle latest 2 --done '{\"ok\":true}'

A call is in doubt when the run ended in its midst: it may have been done or not. Look at the other
side. `contexture runs show RUN` lists the calls of a run.";

/// Says what came of a call whose outcome is not known.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
#[command(group = clap::ArgGroup::new("outcome").required(true))]
pub(super) struct Args {
    #[command(flatten)]
    asked: TargetRun,
    /// The call, as in `runs show`.
    #[arg(value_name = "CALL")]
    call: String,
    /// It was done, and gave this JSON; `-` reads it from stdin.
    #[arg(long, value_name = "JSON", allow_hyphen_values = true, group = "outcome")]
    done: Option<String>,
    /// It was not done: make it again.
    #[arg(long, group = "outcome")]
    again: bool,
    /// Nobody knows: the program gets the error OUTCOME_UNCERTAIN, which it may catch.
    #[arg(long, group = "outcome")]
    failed: bool,
    /// Print one JSON object: run, and the calls that are still in doubt.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, terminal: &Terminal) -> CommandResult {
    let (project, run) = args.asked.find()?;
    let settlement = match &args.done {
        Some(text) => Settlement::Done(input::json_option(text, "--done", terminal)?),
        None if args.again => Settlement::Again,
        None => Settlement::Failed,
    };
    settle(&project, &run, &args.call, settlement).map_err(refused)?;
    let left: Vec<&str> =
        run.in_doubt().map(|past| &*past.call.key).filter(|key| *key != args.call).collect();
    let id = &run.id;
    if args.json {
        terminal.print_json(&json!({ "run": id, "in_doubt": left }))?;
        return Ok(Exit::Done);
    }
    terminal.note(&match left.as_slice() {
        [] => format!("call {} is settled; `contexture runs resume {id}` goes on", args.call),
        left => format!("call {} is settled; still in doubt: {}", args.call, left.join(", ")),
    });
    Ok(Exit::Done)
}
