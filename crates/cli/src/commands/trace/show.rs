//! `contexture trace show`: a run as a tree, with tokens, times and cuts.

use super::line;
use super::runs::{Runs, tell_lost};
use super::whole;
use crate::output::text::plural;
use crate::prelude::*;
use contexture::Project;
use contexture::context::TraceEvent;
use contexture::inspect::export;
use contexture::store::runs::{RunHead, RunLog, RunStore, select};

const EXAMPLES: &str = "\
Examples:
  contexture trace show
  contexture trace show latest --full
  contexture trace show latest --json";

/// Shows a run as a tree: calls with their times, prompts with their items, tokens and cuts.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The run.
    #[arg(value_name = "RUN", default_value = "latest")]
    run: String,
    /// Print values and answers whole, and all events of a long run.
    #[arg(long, conflicts_with = "json")]
    full: bool,
    /// Print one JSON object: run and events, as stored.
    #[arg(long)]
    json: bool,
}

/// The bytes of a trace of which only the model calls are shown, unless all is asked for.
const LONG: u64 = 8 << 20;
/// The most model calls of a long run that are shown.
const CALLS: u64 = 50;

pub(super) fn run(args: &Args, runs: &Runs, terminal: &Terminal) -> CommandResult {
    if !args.json && !args.full {
        let id = runs.find(&args.run)?;
        if runs.store.summary(&id)?.bytes > LONG {
            return long(id.as_str(), runs, terminal);
        }
    }
    let log = runs.load(&args.run, terminal)?;
    if args.json {
        terminal.print_json(&json!({ "run": log.id.as_str(), "events": log.events }))?;
    } else {
        let exported = args.full.then(|| export(runs.kept(&log)));
        let whole = exported.as_ref().map(|exported| whole::values(&exported.run));
        terminal.print(&text(&log, whole.as_ref(), terminal.out))?;
        if let Some(exported) = exported {
            tell_lost(&exported, terminal);
        }
    }
    Ok(Exit::Done)
}

/// Shows a long run: itself, and its first model calls.
fn long(id: &str, runs: &Runs, terminal: &Terminal) -> CommandResult {
    let RunHead { log, calls, lines } = runs.head(id, 1..=CALLS, terminal)?;
    terminal.print(&text(&log, None, terminal.out))?;
    let shown = calls.min(CALLS);
    let all = format!("{lines} lines, {}", plural(calls, "model call"));
    terminal.note(&format!("the run has {all}, of which {shown} are shown; --full shows all"));
    Ok(Exit::Done)
}

/// Renders a stored run as a tree.
pub(crate) fn tree(project: &Project, run: &str, paint: Paint) -> Result<String, String> {
    let store = contexture::runs(project);
    let log = select(&store, run).and_then(|id| store.load(&id));
    log.map(|log| text(&log, None, paint)).map_err(|error| error.to_string())
}

/// The most levels of indentation; deeper ones are counted.
const LEVELS: usize = 40;

fn text(log: &RunLog, whole: Option<&whole::Values>, paint: Paint) -> String {
    let mut text = paint.bold(&format!("run {}", log.id));
    text.push('\n');
    let lines = log.tree().lines();
    let last = last_children(&lines);
    let deeper = lines.iter().skip(1).map(|(depth, _)| *depth).chain([0]);
    // Whether the line of each level above continues below.
    let mut rails: Vec<bool> = Vec::new();
    for (((depth, event), is_last), next) in lines.iter().zip(last).zip(deeper) {
        rails.truncate(*depth);
        let above = rails_text(&rails);
        let (branch, below) = match (depth, is_last) {
            (0, _) => ("", ""),
            (_, true) => ("└ ", "  "),
            (_, false) => ("├ ", "│ "),
        };
        rails.push(!is_last);
        let inner = if next > *depth { "│ " } else { "  " };
        let values = whole.and_then(|whole| whole.get(&event.id)).into_iter().flatten().cloned();
        for (number, line) in line::of(event, paint).into_iter().chain(values).enumerate() {
            let lead = match number {
                0 => format!("{above}{branch}"),
                _ => format!("{above}{below}{inner}"),
            };
            text.push_str(&paint.dim(&lead));
            text.push_str(&line);
            text.push('\n');
        }
    }
    text
}

fn rails_text(rails: &[bool]) -> String {
    let skipped = rails.len().saturating_sub(LEVELS).max(1);
    let shown = rails.iter().skip(skipped).map(|open| if *open { "│ " } else { "  " });
    let mark = if skipped > 1 { format!("… {skipped} levels … ") } else { String::new() };
    mark + &shown.collect::<String>()
}

/// Reports for each line whether it is the last below its parent.
fn last_children(lines: &[(usize, &TraceEvent)]) -> Vec<bool> {
    let mut last = vec![false; lines.len()];
    // Backwards: the levels at which a later sibling was seen.
    let mut seen: Vec<bool> = Vec::new();
    for ((depth, _), slot) in lines.iter().zip(&mut last).rev() {
        seen.resize(*depth + 1, false);
        if let Some(later) = seen.get_mut(*depth) {
            *slot = !*later;
            *later = true;
        }
    }
    last
}
