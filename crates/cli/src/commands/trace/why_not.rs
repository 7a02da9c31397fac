//! `contexture trace why-not`: why something is in a prompt, or is not (IN-9).

use super::runs::Runs;
use crate::output::text::sanitized;
use crate::prelude::*;
use contexture::inspect::{Outline, why_not};

const EXAMPLES: &str = "\
Examples:
  contexture trace why-not latest 1 evidence
  contexture trace why-not latest 1 examples/data/notes/overview.md --json";

/// Tells why a label, a source, a file, a pack or a text is in the prompt of a model call or is not.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The run.
    #[arg(value_name = "RUN")]
    run: String,
    /// The number of the model call, from 1.
    #[arg(value_name = "N")]
    call: u64,
    /// The label of a `use`, its source, a path, a pack, or words of a text.
    #[arg(value_name = "LABEL")]
    asked: String,
    /// Print one JSON object: verdict, which is present, cut, gave_way, not_selected, out_of_scope,
    /// denied or not_declared; by; line; detail.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, runs: &Runs, terminal: &Terminal) -> CommandResult {
    let head = runs.head(&args.run, args.call..=args.call, terminal)?;
    let mut outline = Outline::default();
    outline.read_on(&runs.store, &head.log.id)?;
    let found = why_not(runs.kept(&head.log), &outline, args.call, &args.asked);
    let found = found.map_err(|error| error.counted(head.calls))?;
    if args.json {
        terminal.print_json(&json!(found))?;
        return Ok(Exit::Done);
    }
    let verdict = json!(found.verdict);
    let verdict = verdict.as_str().unwrap_or_default().replace('_', " ");
    let mut text = format!("{}: {}\n", terminal.out.bold(&verdict), sanitized(&found.detail));
    if let Some(by) = &found.by {
        let _ = writeln!(text, "  decided by {}", sanitized(by));
    }
    if let Some(line) = found.line {
        let _ = writeln!(text, "  declared in line {line}");
    }
    terminal.print(&text)?;
    Ok(Exit::Done)
}
