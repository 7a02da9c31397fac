//! `contexture flow prune`: deletes stored runs (FL-11).
//!
//! Decision: only ended runs are deleted. A run of a server whose answer is not stored yet stays, as
//! the server reads it after a restart and would otherwise run it again.

use super::stored_runs::FlowLocation;
use crate::prelude::*;
use crate::support::values::span;
use contexture::contexts::{CONTEXTS_FILE, OpenError};
use contexture::flows::is_within;
use contexture::flows::listed;
use contexture::store::flows::{Filter, FlowJournal, RunState, RunSummary};
use contexture::store::stamp::now_us;
use std::collections::HashSet;
use std::time::Duration;

const EXAMPLES: &str = "\
Examples:
  contexture flow prune --keep 100 --dry-run
  contexture flow prune --keep 100 --older-than 30d

Running, paused and interrupted runs stay. The file keeps its size; later runs reuse the space.";

/// Deletes stored runs that have ended.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
#[command(group(clap::ArgGroup::new("which").required(true).multiple(true)))]
pub(super) struct Args {
    /// Keep the newest N ended runs.
    #[arg(long, value_name = "N", group = "which", allow_negative_numbers = true)]
    keep: Option<usize>,
    /// Delete only runs that ended longer ago than this: 30d, 12h or 45m.
    #[arg(
        long,
        value_name = "SPAN",
        group = "which",
        value_parser = span,
        allow_negative_numbers = true
    )]
    older_than: Option<Duration>,
    /// Delete nothing, and print what would be deleted.
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    location: FlowLocation,
    /// Print one JSON object: removed, the deleted runs; kept, the number of others; and dryRun.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, terminal: &Terminal) -> CommandResult {
    let Some(journal) = args.location.open()? else { return report(args, &[], 0, terminal) };
    let runs = journal.runs(&Filter::default())?;
    let runs: Vec<RunSummary> = runs.into_iter().filter(|run| !is_within(&run.run)).collect();
    let all = runs.len();
    let mut gone = wanted(runs, args.keep, args.older_than, now_us());
    if gone.iter().any(|run| !run.owner.is_empty()) {
        let pending = pending(&args.location)?;
        gone.retain(|run| !pending.contains(&key(run)));
    }
    if !args.dry_run {
        gone = forget(&*journal, gone)?;
    }
    report(args, &gone, all.saturating_sub(gone.len()), terminal)
}

fn forget(journal: &dyn FlowJournal, runs: Vec<RunSummary>) -> Result<Vec<RunSummary>, Abort> {
    let ids: Vec<String> = runs.iter().map(|run| run.run.clone()).collect();
    let gone = journal.forget(&ids)?;
    let gone: HashSet<String> = gone.into_iter().collect();
    Ok(runs.into_iter().filter(|run| gone.contains(&run.run)).collect())
}

/// Selects the runs to delete from a list with the newest first.
fn wanted(
    runs: Vec<RunSummary>,
    keep: Option<usize>,
    older_than: Option<Duration>,
    now_us: u64,
) -> Vec<RunSummary> {
    let ended = runs.into_iter().filter(|run| matches!(run.state, RunState::Ended(_)));
    let is_old = |run: &RunSummary| match (older_than, run.ended_us) {
        (Some(span), Some(ended)) => u128::from(now_us.saturating_sub(ended)) > span.as_micros(),
        (Some(_), None) => false,
        (None, _) => true,
    };
    ended.skip(keep.unwrap_or(0)).filter(is_old).collect()
}

/// The owner, context and message of a run of a server.
type Key = (String, Option<String>, String);

fn key(run: &RunSummary) -> Key {
    (run.owner.clone(), run.context.clone(), run.name.clone())
}

/// Returns the messages of the server without an answer.
fn pending(location: &FlowLocation) -> Result<HashSet<Key>, Abort> {
    let project = location.project()?;
    let file = project.state_folder().join("data").join(CONTEXTS_FILE);
    let failed = |code: &str, message: String| -> Abort {
        let help = "prune reads the unanswered messages of a server there";
        CommandError::failed(code, message).help(help).into()
    };
    let store = contexture::contexts::find(&project, &file).map_err(|error| match error {
        OpenError::Key(error) => failed("context_key", error.to_string()),
        error => failed("contexts_failed", error.to_string()),
    })?;
    let pending = store.map_or_else(|| Ok(Vec::new()), |store| store.pending());
    let pending = pending.map_err(|error| failed("contexts_failed", error.to_string()))?;
    Ok(pending.into_iter().map(|one| (one.owner, one.context_id, one.key.message_id)).collect())
}

fn report(args: &Args, gone: &[RunSummary], kept: usize, terminal: &Terminal) -> CommandResult {
    if args.json {
        let removed: Vec<_> = gone.iter().map(listed).collect();
        terminal
            .print_json(&json!({ "removed": removed, "kept": kept, "dryRun": args.dry_run }))?;
        return Ok(Exit::Done);
    }
    let runs = counted(gone.len() as u64, "run");
    let verb = if args.dry_run { "would be deleted" } else { "deleted" };
    terminal.note(&format!("{runs} {verb}, {kept} kept"));
    Ok(Exit::Done)
}

#[cfg(test)]
mod tests {
    use super::*;
    use contexture::protocol::content::Status;

    fn run(id: &str, ended_us: Option<u64>) -> RunSummary {
        RunSummary {
            run: id.to_owned(),
            name: String::new(),
            owner: String::new(),
            context: None,
            started_us: 0,
            ended_us,
            state: ended_us.map_or(RunState::Interrupted, |_| RunState::Ended(Status::Failed)),
            steps: 1,
            done: 1,
        }
    }

    #[test]
    fn fl_11_newest_and_unfinished_runs_are_kept() {
        let hour = 3_600_000_000;
        let of = |keep, older_than: Option<&str>| {
            let runs = [run("e", Some(9 * hour)), run("d", None), run("c", Some(8 * hour))];
            let runs = runs.into_iter().chain([run("b", Some(hour)), run("a", Some(0))]);
            let older_than = older_than.map(|text| span(text).unwrap());
            let gone = wanted(runs.collect(), keep, older_than, 10 * hour);
            gone.into_iter().map(|run| run.run).collect::<String>()
        };
        assert_eq!(of(Some(0), None), "ecba");
        assert_eq!(of(Some(1), None), "cba");
        assert_eq!(of(Some(9), None), "");
        assert_eq!(of(None, Some("2h")), "ba");
        assert_eq!(of(None, Some("120m")), "ba");
        assert_eq!(of(Some(3), Some("1m")), "a");
        assert_eq!(of(None, Some("1d")), "");
        for bad in ["", "d", "3", "-1d", "1.5h", "3y", "99999999999999999999d", "1 d"] {
            assert!(span(bad).is_err(), "{bad}");
        }
    }
}
