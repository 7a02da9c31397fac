//! `contexture trace diff`: the differences between the prompts of two runs, item by item.

use super::runs::Runs;
use crate::output::text::{mark, plural, sanitized};
use crate::prelude::*;
use contexture::inspect::{CallDiff, Change, ItemDiff, diff};
use similar::{ChangeTag, TextDiff};
use std::io::IsTerminal as _;
use std::time::Duration;

const EXAMPLES: &str = "\
Examples:
  contexture trace diff latest~1 latest
  contexture trace diff latest~1 latest --stat
  contexture trace diff latest~1 latest --json";

/// Compares the prompts of two runs: items added, removed, changed or cut differently.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The first run.
    #[arg(value_name = "RUN1")]
    left: String,
    /// The second run.
    #[arg(value_name = "RUN2")]
    right: String,
    /// Print a line for each part that differs, without its text; the default on a terminal.
    #[arg(long, conflicts_with = "full")]
    stat: bool,
    /// Print the texts that differ, too; the default elsewhere.
    #[arg(long)]
    full: bool,
    /// Print one JSON object: left, right and calls, with the texts that differ.
    #[arg(long, conflicts_with_all = ["stat", "full"])]
    json: bool,
}

pub(super) fn run(args: &Args, runs: &Runs, terminal: &Terminal) -> CommandResult {
    let left = runs.head(&args.left, 1..=u64::MAX, terminal)?.log;
    let right = runs.head(&args.right, 1..=u64::MAX, terminal)?.log;
    let calls = diff(runs.kept(&left), runs.kept(&right));
    if args.json {
        let (left, right) = (left.id.as_str(), right.id.as_str());
        terminal.print_json(&json!({ "left": left, "right": right, "calls": calls }))?;
        return Ok(Exit::Done);
    }
    let paint = terminal.out;
    let mut text = format!("{}\n", paint.bold(&format!("{} → {}", left.id, right.id)));
    if args.stat || (!args.full && std::io::stdout().is_terminal()) {
        text.push_str(&summary(&calls, paint));
    } else {
        calls.iter().for_each(|call| text.push_str(&call_text(call, paint, true)));
    }
    if calls.is_empty() {
        text.push_str("neither run called a model\n");
    } else if calls.iter().all(|call| call.change == Change::Same) {
        text.push_str("all prompts are identical\n");
    }
    terminal.print(&text)?;
    Ok(Exit::Done)
}

/// The most calls that a summary shows one by one.
const SHOWN: usize = 40;

/// Sums up what differs: how many calls, and the parts of each without their texts.
fn summary(calls: &[CallDiff], paint: Paint) -> String {
    let changed: Vec<&CallDiff> = calls.iter().filter(|call| call.change != Change::Same).collect();
    if changed.is_empty() {
        return String::new();
    }
    let sum = |side: fn(&CallDiff) -> u64| calls.iter().map(side).sum::<u64>();
    let exact = (calls.iter().all(|call| call.exact.0), calls.iter().all(|call| call.exact.1));
    let tokens = tokens((sum(|call| call.tokens.0), sum(|call| call.tokens.1)), exact);
    let all = plural(calls.len() as u64, "call");
    let mut text = format!("{} of {all} differ{tokens}\n", changed.len());
    for call in changed.iter().take(SHOWN) {
        text.push_str(&call_text(call, paint, false));
    }
    if let Some(more @ 1..) = changed.len().checked_sub(SHOWN) {
        let _ = writeln!(text, "… and {more} more");
    }
    let _ = writeln!(text, "{}", paint.dim("--full shows the texts"));
    text
}

fn call_text(call: &CallDiff, paint: Paint, with_texts: bool) -> String {
    let number = match (call.left, call.right) {
        (Some(left), Some(right)) if left != right => format!("{left} → {right}"),
        (left, right) => right.or(left).map(|number| number.to_string()).unwrap_or_default(),
    };
    let head = format!("call {number} {}", sanitized(&call.site));
    let tokens = tokens(call.tokens, call.exact);
    let mut text =
        format!("{} {}{}\n", paint.bold(&head), word(call.change, paint), paint.dim(&tokens));
    if let Some((left, right)) = &call.models {
        let _ = writeln!(text, "  model {left} → {right}");
    }
    for layer in &call.layers {
        let _ = writeln!(text, "  {} {}", layer.name, word(layer.change, paint));
        if with_texts {
            lines(&mut text, layer.left.as_deref(), layer.right.as_deref(), paint);
        }
    }
    for item in &call.items {
        let is_same = item.change == Change::Same;
        if with_texts || !is_same {
            item_line(&mut text, item, call.exact, paint);
        }
        if with_texts && !is_same {
            lines(&mut text, item.left.as_deref(), item.right.as_deref(), paint);
        }
    }
    text
}

fn item_line(text: &mut String, item: &ItemDiff, exact: (bool, bool), paint: Paint) {
    let name = match &item.label {
        Some(label) => format!("[{}] {}", one_line(label), paint.dim(&one_line(&item.source))),
        None => format!("[{}]", one_line(&item.source)),
    };
    let tokens = paint.dim(&tokens(item.tokens, exact));
    let _ = writeln!(text, "  {name} {}{tokens}", word(item.change, paint));
}

fn word(change: Change, paint: Paint) -> String {
    match change {
        Change::Added => paint.green("added"),
        Change::Gone => paint.red("gone"),
        Change::Changed => paint.yellow("changed"),
        Change::CutDifferently => paint.yellow("cut differently"),
        Change::Same => paint.dim("same"),
    }
}

/// Formats token counts: ` · 512 → ~480 tokens`.
fn tokens((left, right): (u64, u64), exact: (bool, bool)) -> String {
    let marks = (mark(exact.0 || left == 0), mark(exact.1 || right == 0));
    match marks {
        (one, other) if left == right && one == other => {
            format!(" · {one}{}", plural(left, "token"))
        }
        (one, other) => format!(" · {one}{left} → {other}{right} tokens"),
    }
}

/// The lines shown around a change.
const AROUND: usize = 2;
/// The time after which a comparison becomes coarse.
const DEADLINE: Duration = Duration::from_millis(500);

/// Appends the lines that differ, each with its sign, and a few around them.
fn lines(text: &mut String, left: Option<&str>, right: Option<&str>, paint: Paint) {
    let (left, right) = (left.unwrap_or_default(), right.unwrap_or_default());
    let found = TextDiff::configure().timeout(DEADLINE).diff_lines(left, right);
    for (index, group) in found.grouped_ops(AROUND).iter().enumerate() {
        if index > 0 {
            let _ = writeln!(text, "    {}", paint.dim("…"));
        }
        for change in group.iter().flat_map(|op| found.iter_changes(op)) {
            let line = sanitized(change.value().trim_end_matches(['\n', '\r']));
            let line = match change.tag() {
                ChangeTag::Delete => paint.red(&format!("- {line}")),
                ChangeTag::Insert => paint.green(&format!("+ {line}")),
                ChangeTag::Equal => paint.dim(&format!("  {line}")),
            };
            let _ = writeln!(text, "    {line}");
        }
    }
}
