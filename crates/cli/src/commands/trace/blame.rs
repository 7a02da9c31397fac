//! `contexture trace blame`: where two runs part (IN-8).

use super::runs::Runs;
use crate::output::text::sanitized;
use crate::prelude::*;
use contexture::inspect::{Cause, blame, diff};

const EXAMPLES: &str = "\
Examples:
  contexture trace blame latest~1 latest
  contexture trace blame latest~1 latest --json";

/// Finds the first model call whose prompts differ between two runs, the first part of it that
/// differs, and the first cut that was decided differently.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The first run.
    #[arg(value_name = "RUN1")]
    left: String,
    /// The second run.
    #[arg(value_name = "RUN2")]
    right: String,
    /// Print one JSON object: left, right and blame, which is null when all prompts are identical,
    /// with the call of each run, first and decision.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, runs: &Runs, terminal: &Terminal) -> CommandResult {
    let left = runs.head(&args.left, 1..=u64::MAX, terminal)?.log;
    let right = runs.head(&args.right, 1..=u64::MAX, terminal)?.log;
    let found = blame(&diff(runs.kept(&left), runs.kept(&right)));
    if args.json {
        let (left, right) = (left.id.as_str(), right.id.as_str());
        terminal.print_json(&json!({ "left": left, "right": right, "blame": found }))?;
        return Ok(Exit::Done);
    }
    let Some(found) = found else {
        terminal.print("all prompts are identical\n")?;
        return Ok(Exit::Done);
    };
    let number = |call: Option<u64>| call.map_or("none".to_owned(), |call| call.to_string());
    let (left, right) = (number(found.left), number(found.right));
    let mut text = format!("the prompts part at {}, calls {left} → {right}\n", found.site);
    let _ = writeln!(text, "  first: {}", told(&found.first));
    if let Some(decision) = &found.decision {
        let _ = writeln!(text, "  cut differently: {}", told(decision));
    }
    terminal.print(&text)?;
    Ok(Exit::Done)
}

fn told(cause: &Cause) -> String {
    let change = json!(cause.change);
    let change = change.as_str().unwrap_or_default().replace('_', " ");
    let name = sanitized(&cause.name);
    match cause.tokens {
        None => format!("{} `{name}` is {change}", cause.kind),
        Some((left, right)) => {
            format!("{} `{name}` is {change}, {left} → {right} tokens", cause.kind)
        }
    }
}
