//! `contexture trace prune`: deletes stored runs.

use super::runs::Runs;
use crate::output::text::plural;
use crate::prelude::*;
use crate::support::values::span;
use contexture::store::runs::{RunEntry, RunId, RunStore};
use contexture::store::stamp::now_us;
use std::time::Duration;

const EXAMPLES: &str = "\
Examples:
  contexture trace prune --keep 100 --dry-run
  contexture trace prune --keep 100 --older-than 30d

Runs under way stay. Texts that only deleted runs had are deleted, too.";

/// Deletes stored runs with their texts.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
#[command(group(clap::ArgGroup::new("which").required(true).multiple(true)))]
pub(super) struct Args {
    /// Keep the newest N runs.
    #[arg(long, value_name = "N", group = "which", allow_negative_numbers = true)]
    keep: Option<usize>,
    /// Delete only runs that began longer ago than this: 30d, 12h or 45m.
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
    /// Print one JSON object: removed, the deleted runs; kept, the number of others; and dryRun.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, runs: &Runs, terminal: &Terminal) -> CommandResult {
    let list = runs.store.list(&|_| true, usize::MAX)?;
    for note in &list.notes {
        terminal.warn(note);
    }
    let now = now_us();
    let is_old = |run: &&RunEntry| match (args.older_than, run.start_us) {
        (Some(span), Some(began)) => u128::from(now.saturating_sub(began)) > span.as_micros(),
        (Some(_), None) => false,
        (None, _) => true,
    };
    let ended = list.entries.iter().filter(|run| !run.running);
    let old = ended.skip(args.keep.unwrap_or(0)).filter(is_old);
    let mut gone: Vec<RunId> = old.filter_map(|run| RunId::parse(&run.run)).collect();
    if !args.dry_run {
        gone = runs.store.remove(&gone)?;
    }
    let kept = list.all.saturating_sub(gone.len());
    if args.json {
        let removed: Vec<&str> = gone.iter().map(RunId::as_str).collect();
        let report = json!({ "removed": removed, "kept": kept, "dryRun": args.dry_run });
        terminal.print_json(&report)?;
        return Ok(Exit::Done);
    }
    let text: String = gone.iter().map(|id| format!("{id}\n")).collect();
    terminal.print(&text)?;
    let what = plural(gone.len() as u64, "run");
    let done = if args.dry_run { "would be deleted" } else { "deleted" };
    terminal.note(&format!("{what} {done}, {kept} kept"));
    Ok(Exit::Done)
}
