//! `contexture trace list`: the runs that were kept, the newest first.

use super::{Runs, duration, refuse};
use crate::commands::Outcome;
use crate::complaint::{Exit, Stop};
use crate::paint::{Paint, harmless};
use crate::terminal::Terminal;
use contexture::store::runs::{RunStore, RunSummary};
use contexture::store::stamp::iso_time;
use serde_json::{Value, json};
use std::fmt::Write as _;

const EXAMPLES: &str = "\
Examples:
  contexture trace list
  contexture trace list --limit 3 --json";

/// Lists runs, the newest first.
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
    /// Print one JSON object: runs, each with run, program, outcome, start and duration_us.
    #[arg(long)]
    pub(super) json: bool,
}

/// Runs `contexture trace list`.
pub(super) fn run(args: &Args, runs: &Runs, terminal: &Terminal) -> Outcome {
    let ids = runs.store.ids().map_err(|error| refuse(&error))?;
    let all = ids.len();
    let summaries = ids.iter().take(args.limit).map(|id| runs.store.summary(id));
    let summaries: Vec<RunSummary> =
        summaries.collect::<Result<_, _>>().map_err(|error| -> Stop { refuse(&error) })?;
    if args.json {
        let list: Vec<Value> = summaries.iter().map(to_json).collect();
        terminal.print_json(&json!({ "runs": list }))?;
    } else if summaries.is_empty() {
        terminal.note("no run was kept yet; `contexture run FILE` keeps one");
    } else {
        terminal.print(&table(&summaries, terminal.out))?;
        if all > summaries.len() {
            terminal.note(&format!("{all} runs in all; see more with --limit"));
        }
    }
    Ok(Exit::Done)
}

/// The program of a run.
fn program(summary: &RunSummary) -> &str {
    summary.data.get("program").and_then(Value::as_str).unwrap_or_default()
}

/// How it ended; a run without an end is under way, or was killed.
fn outcome(summary: &RunSummary) -> &str {
    summary.data.get("outcome").and_then(Value::as_str).unwrap_or("no end")
}

fn to_json(summary: &RunSummary) -> Value {
    json!({
        "run": summary.id.as_str(),
        "program": program(summary),
        "outcome": outcome(summary),
        "start": summary.start_us.map(iso_time),
        "duration_us": summary.duration_us,
        "bytes": summary.bytes,
    })
}

fn table(summaries: &[RunSummary], paint: Paint) -> String {
    let mut text = String::new();
    for summary in summaries {
        let began = summary.start_us.map(iso_time).unwrap_or_default();
        // Seconds will do for people.
        let began = began.get(..19).unwrap_or(&began).replace('T', " ");
        let took = summary.duration_us.map(duration).unwrap_or_default();
        let outcome = format!("{:<9}", outcome(summary));
        let outcome = match outcome.trim_end() {
            "done" => paint.green(&outcome),
            "failed" => paint.red(&outcome),
            _ => paint.yellow(&outcome),
        };
        let (id, program) = (&summary.id, harmless(program(summary)));
        let _ = writeln!(text, "{id}  {began:19}  {took:>11}  {outcome}  {program}");
    }
    text
}
