//! `contexture flow list`: the stored runs, newest first (FL-12).

use super::stored_runs::FlowLocation;
use crate::output::text::{padded, shortened, timestamp, width};
use crate::prelude::*;
use contexture::flows::{is_within, listed, word};
use contexture::store::flows::{Filter, RunState, RunSummary};

const EXAMPLES: &str = "\
Examples:
  contexture flow list
  contexture flow list --unfinished --limit 3 --json";

/// The columns of a name.
const NAME: usize = 40;

/// Lists the stored runs, newest first.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The most runs to list.
    #[arg(
        long,
        value_name = "N",
        default_value_t = 20,
        value_parser = crate::support::values::whole_number,
        allow_negative_numbers = true
    )]
    limit: usize,
    /// List only running, paused and interrupted runs.
    #[arg(long)]
    unfinished: bool,
    /// Also list the runs of sets within steps of other runs.
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    location: FlowLocation,
    /// Print one JSON object: runs, each with run, name, status, steps, done, started and ended.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, terminal: &Terminal) -> CommandResult {
    let filter = Filter { unfinished: args.unfinished, ..Filter::default() };
    let runs = match args.location.open()? {
        Some(journal) => journal.runs(&filter)?,
        None => Vec::new(),
    };
    let is_wanted = |run: &RunSummary| args.all || !is_within(&run.run);
    let runs: Vec<RunSummary> = runs.into_iter().filter(is_wanted).take(args.limit).collect();
    if args.json {
        let runs: Vec<Value> = runs.iter().map(listed).collect();
        terminal.print_json(&json!({ "runs": runs }))?;
    } else if runs.is_empty() {
        let which = if args.unfinished { "unfinished flow run" } else { "flow run" };
        terminal.note(&format!("no {which} is stored here"));
    } else {
        terminal.print(&table(&runs, terminal.out))?;
    }
    Ok(Exit::Done)
}

fn table(runs: &[RunSummary], paint: Paint) -> String {
    let names: Vec<String> = runs.iter().map(|run| shortened(&one_line(&run.name), NAME)).collect();
    let wide = width(names.iter().map(String::as_str), NAME);
    let ids = width(runs.iter().map(|run| run.run.as_str()), usize::MAX);
    let mut text = String::new();
    for (run, name) in runs.iter().zip(&names) {
        let _ = writeln!(
            text,
            "{}  {}  {}  {}  {} of {}",
            paint.bold(&padded(&one_line(&run.run), ids)),
            paint.dim(&timestamp(run.started_us)),
            state(run.state, paint),
            padded(name, wide),
            run.done,
            counted(run.steps, "step"),
        );
    }
    text
}

/// Returns the coloured state, padded to the longest.
fn state(state: RunState, paint: Paint) -> String {
    use contexture::protocol::content::Status;
    let text = padded(word(state), "INTERRUPTED".len());
    match state {
        RunState::Running => paint.cyan(&text),
        RunState::Interrupted | RunState::Paused => paint.yellow(&text),
        RunState::Ended(Status::Completed) => paint.green(&text),
        RunState::Ended(_) => paint.red(&text),
    }
}
