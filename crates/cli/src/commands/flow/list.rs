//! `contexture flow list`: the runs that are kept, the newest first (FL-12).

use super::place::{Place, refuse};
use crate::columns::{counted, padded, shortened, width};
use crate::commands::Outcome;
use crate::complaint::Exit;
use crate::paint::{Paint, one_line};
use crate::terminal::Terminal;
use contexture::flows::is_within;
use contexture::store::flows::{Filter, RunState, RunSummary};
use contexture::store::stamp::iso_time;
use serde_json::{Value, json};
use std::fmt::Write as _;

const EXAMPLES: &str = "\
Examples:
  contexture flow list
  contexture flow list --unfinished --limit 3 --json";

/// Columns that a name may take.
const NAME: usize = 40;

/// Lists the runs that are kept, the newest first.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// How many at most.
    #[arg(
        long,
        value_name = "N",
        default_value_t = 20,
        value_parser = crate::args::whole_number,
        allow_negative_numbers = true
    )]
    limit: usize,
    /// Only those that go on, are paused, or were broken off.
    #[arg(long)]
    unfinished: bool,
    /// Also the runs of sets within steps of other runs.
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    place: Place,
    /// Print one JSON object: runs, each with run, name, status, steps, done, started and ended.
    #[arg(long)]
    pub(super) json: bool,
}

/// Runs `contexture flow list`.
pub(super) fn run(args: &Args, terminal: &Terminal) -> Outcome {
    let filter = Filter { unfinished: args.unfinished, ..Filter::default() };
    let runs = match args.place.open()? {
        Some(journal) => journal.runs(&filter).map_err(|error| refuse(&error))?,
        None => Vec::new(),
    };
    let is_wanted = |run: &RunSummary| args.all || !is_within(&run.run);
    let runs: Vec<RunSummary> = runs.into_iter().filter(is_wanted).take(args.limit).collect();
    if args.json {
        let runs: Vec<Value> = runs.iter().map(to_json).collect();
        terminal.print_json(&json!({ "runs": runs }))?;
    } else if runs.is_empty() {
        let which = if args.unfinished { "unfinished run" } else { "run" };
        terminal.note(&format!("no {which} of a flow is kept here"));
    } else {
        terminal.print(&table(&runs, terminal.out))?;
    }
    Ok(Exit::Done)
}

/// A run as programs read it.
pub(super) fn to_json(run: &RunSummary) -> Value {
    json!({
        "run": run.run,
        "name": run.name,
        "status": word(run.state),
        "context": run.context,
        "steps": run.steps,
        "done": run.done,
        "started": iso_time(run.started_us),
        "ended": run.ended_us.map(iso_time),
    })
}

/// The word for where a run stands.
pub(super) const fn word(state: RunState) -> &'static str {
    match state {
        RunState::Running => "RUNNING",
        RunState::Paused => "PAUSED",
        RunState::Interrupted => "INTERRUPTED",
        RunState::Ended(status) => status.as_str(),
    }
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
            paint.dim(&when(run.started_us)),
            state(run.state, paint),
            padded(name, wide),
            run.done,
            counted(run.steps, "step"),
        );
    }
    text
}

/// The state in its colour, filled up to the longest.
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

/// To the second, as it does for people.
pub(super) fn when(time_us: u64) -> String {
    let time = iso_time(time_us);
    time.get(..19).unwrap_or(&time).replace('T', " ")
}
