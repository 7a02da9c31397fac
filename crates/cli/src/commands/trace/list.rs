//! `contexture trace list`: the stored runs, newest first.

use super::runs::Runs;
use crate::output::text::{duration, sanitized, timestamp};
use crate::prelude::*;
use contexture::store::runs::{RunStore, RunSummary};
use contexture::store::stamp::iso_time;

const EXAMPLES: &str = "\
Examples:
  contexture trace list
  contexture trace list --limit 3 --json";

/// Lists runs, newest first.
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
    /// Print one JSON object: runs, each with run, program, outcome, start and duration_us.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, runs: &Runs, terminal: &Terminal) -> CommandResult {
    let ids = runs.store.ids()?;
    let all = ids.len();
    let summaries = ids.iter().take(args.limit).map(|id| runs.store.summary(id));
    let summaries: Vec<RunSummary> = summaries.collect::<Result<_, _>>()?;
    if args.json {
        let list: Vec<Value> = summaries.iter().map(to_json).collect();
        terminal.print_json(&json!({ "runs": list }))?;
    } else if summaries.is_empty() {
        terminal.note("no runs are stored; `contexture run FILE` stores one");
    } else {
        terminal.print(&table(&summaries, terminal.out))?;
        if all > summaries.len() {
            terminal.note(&format!("{all} runs in total; --limit shows more"));
        }
    }
    Ok(Exit::Done)
}

fn program(summary: &RunSummary) -> &str {
    summary.data.get("program").and_then(Value::as_str).unwrap_or_default()
}

/// Returns the outcome of a run; one without an end is still running, or was killed.
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
        let began = summary.start_us.map(timestamp).unwrap_or_default();
        let took = summary.duration_us.map(duration).unwrap_or_default();
        let outcome = format!("{:<9}", outcome(summary));
        let outcome = match outcome.trim_end() {
            "done" => paint.green(&outcome),
            "failed" => paint.red(&outcome),
            _ => paint.yellow(&outcome),
        };
        let (id, program) = (&summary.id, sanitized(program(summary)));
        let _ = writeln!(text, "{id}  {began:19}  {took:>11}  {outcome}  {program}");
    }
    text
}
