//! `contexture trace diff`: the differences between the prompts of two runs, item by item.

use super::runs::Runs;
use crate::output::text::{plural, sanitized};
use crate::prelude::*;
use contexture::inspect::{CallDiff, Change, ItemDiff, LayerDiff, diff};
use similar::{ChangeTag, TextDiff};
use std::time::Duration;

const EXAMPLES: &str = "\
Examples:
  contexture trace diff latest~1 latest
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
    /// Print one JSON object: left, right and calls, with the texts that differ.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, runs: &Runs, terminal: &Terminal) -> CommandResult {
    let left = runs.load(&args.left, terminal)?;
    let right = runs.load(&args.right, terminal)?;
    let calls = diff(runs.kept(&left), runs.kept(&right));
    if args.json {
        let (left, right) = (left.id.as_str(), right.id.as_str());
        terminal.print_json(&json!({ "left": left, "right": right, "calls": calls }))?;
        return Ok(Exit::Done);
    }
    let paint = terminal.out;
    let mut text = format!("{}\n", paint.bold(&format!("{} → {}", left.id, right.id)));
    for call in &calls {
        text.push_str(&call_text(call, paint));
    }
    if calls.is_empty() {
        text.push_str("neither run called a model\n");
    } else if calls.iter().all(|call| call.change == Change::Same) {
        text.push_str("all prompts are identical\n");
    }
    terminal.print(&text)?;
    Ok(Exit::Done)
}

fn call_text(call: &CallDiff, paint: Paint) -> String {
    let number = match (call.left, call.right) {
        (Some(left), Some(right)) if left != right => format!("{left} → {right}"),
        (left, right) => right.or(left).map(|number| number.to_string()).unwrap_or_default(),
    };
    let head = format!("call {number} {}", sanitized(&call.site));
    let tokens = tokens(call.tokens);
    let mut text =
        format!("{} {}{}\n", paint.bold(&head), word(call.change, paint), paint.dim(&tokens));
    if let Some((left, right)) = &call.models {
        let _ = writeln!(text, "  model {left} → {right}");
    }
    for layer in &call.layers {
        layer_text(&mut text, layer, paint);
    }
    for item in &call.items {
        item_text(&mut text, item, paint);
    }
    text
}

fn layer_text(text: &mut String, layer: &LayerDiff, paint: Paint) {
    let _ = writeln!(text, "  {} {}", layer.name, word(layer.change, paint));
    lines(text, layer.left.as_deref(), layer.right.as_deref(), paint);
}

fn item_text(text: &mut String, item: &ItemDiff, paint: Paint) {
    let name = match &item.label {
        Some(label) => format!("[{}] {}", one_line(label), paint.dim(&one_line(&item.source))),
        None => format!("[{}]", one_line(&item.source)),
    };
    let tokens = paint.dim(&tokens(item.tokens));
    let _ = writeln!(text, "  {name} {}{tokens}", word(item.change, paint));
    if item.change != Change::Same {
        lines(text, item.left.as_deref(), item.right.as_deref(), paint);
    }
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

/// Formats token counts: ` · 512 → 480 tokens`.
fn tokens((left, right): (u64, u64)) -> String {
    match (left, right) {
        (left, right) if left == right => format!(" · {}", plural(left, "token")),
        (left, right) => format!(" · {left} → {right} tokens"),
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
