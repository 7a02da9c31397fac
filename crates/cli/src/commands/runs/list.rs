//! `contexture runs list`: the runs with a journal, newest first.

use super::{state, to_json};
use crate::output::text::{sanitized, timestamp};
use crate::prelude::*;
use contexture::diagnostic::suggestion;
use contexture::durable::{State, StoredRun, list};

const EXAMPLES: &str = "\
Examples:
  contexture runs list
  contexture runs list --state interrupted --json";

const STATES: [State; 7] = [
    State::Running,
    State::Interrupted,
    State::InDoubt,
    State::Stopped,
    State::Done,
    State::Failed,
    State::Cancelled,
];

/// Lists runs with a journal, newest first.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    #[command(flatten)]
    workspace: Workspace,
    /// List only runs in this state: running, interrupted, in_doubt, stopped (by a limit of cost),
    /// done, failed or cancelled.
    #[arg(long, value_name = "STATE", value_parser = state_of)]
    state: Option<&'static str>,
    /// The most runs to list.
    #[arg(
        long,
        value_name = "N",
        default_value_t = 20,
        value_parser = crate::support::values::whole_number,
        allow_negative_numbers = true
    )]
    limit: usize,
    /// Print one JSON object: runs, each with run, program, state, resumable, start, lives, traces,
    /// calls, in_doubt, code and message.
    #[arg(long)]
    json: bool,
}

fn state_of(word: &str) -> Result<&'static str, String> {
    let words = STATES.map(State::as_str);
    let found = words.into_iter().find(|known| *known == word.replace('-', "_"));
    found.ok_or_else(|| {
        suggestion(word, words).unwrap_or_else(|| format!("expected one of {}", words.join(", ")))
    })
}

pub(super) fn run(args: &Args, terminal: &Terminal) -> CommandResult {
    let (runs, faults) = list(&args.workspace.open()?)?;
    for fault in faults {
        terminal.warn(&fault);
    }
    let all = runs.len();
    let is_meant = |run: &StoredRun| args.state.is_none_or(|state| run.state.as_str() == state);
    let runs: Vec<StoredRun> = runs.into_iter().filter(is_meant).take(args.limit).collect();
    if args.json {
        let runs: Vec<Value> = runs.iter().map(to_json).collect();
        terminal.print_json(&json!({ "runs": runs }))?;
        return Ok(Exit::Done);
    }
    let mut text = String::new();
    for run in &runs {
        let (began, state) = (timestamp(run.began_us), state(run, terminal.out));
        let (id, program) = (&run.id, sanitized(&run.program()));
        let _ =
            writeln!(text, "{id}  {began:19}  {state}  {:>5} calls  {program}", run.calls.len());
    }
    terminal.print(&text)?;
    if all == 0 {
        terminal.note("no run has a journal; `contexture run --durable FILE` keeps one");
    }
    Ok(Exit::Done)
}
