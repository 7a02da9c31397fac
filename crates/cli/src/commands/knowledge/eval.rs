//! `contexture knowledge eval`: whether packs are selected for the tasks they are for (KN-17).

use super::place::{self, Place};
use super::{findings, target};
use crate::columns::counted;
use crate::commands::Outcome;
use crate::complaint::Exit;
use crate::paint::{Paint, one_line};
use crate::terminal::Terminal;
use contexture::knowledge::maintenance::{CaseResult, Choice, Evaluation, eval};
use contexture::packs::Options;
use serde_json::json;
use std::fmt::Write as _;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  contexture knowledge eval --root examples/knowledge
  cd examples/knowledge && contexture knowledge eval \\
    .agents/knowledge/acme-product-brief/evals/selection.json --json

Exit code 0: every case passes; 1: some do not; 2: there are no cases.";

/// Runs cases that say for which tasks a pack is to be selected, by the catalog alone.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The cases; those in `evals/` of every pack when absent.
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    file: Option<PathBuf>,
    #[command(flatten)]
    place: Place,
    /// Print one JSON object: ok, status, runs, each with results and a summary; summary, with
    /// precision, recall and warning_accuracy; and diagnostics.
    #[arg(long)]
    pub(super) json: bool,
}

/// Runs `contexture knowledge eval`.
pub(super) fn run(args: &Args, terminal: &Terminal) -> Outcome {
    let options = Options { archived: true, ..args.place.options()? };
    let packs = place::open(&args.place.project()?, options, terminal);
    let done = eval(packs.discovery(), args.file.as_deref());
    let done = done.map_err(|error| target::refuse(&error))?;
    if args.json {
        terminal.print_json(&json!({
            "ok": done.ok,
            "status": done.status,
            "runs": done.runs,
            "summary": done.summary,
            "diagnostics": findings::json(&done.findings),
        }))?;
    } else {
        terminal.print(&text(&done, terminal.out))?;
        findings::say(&done.findings, "contexture knowledge eval", terminal);
    }
    Ok(if done.ok { Exit::Done } else { Exit::Failed })
}

fn text(done: &Evaluation, paint: Paint) -> String {
    let mut text = String::new();
    for run in &done.runs {
        // Writing to a string can't fail.
        let _ =
            writeln!(text, "{}  {}", paint.bold(&one_line(&run.pack_name)), one_line(&run.suite));
        for case in &run.results {
            text.push_str(&case_line(case, paint));
        }
    }
    let figures = &done.summary;
    let passed = format!("{} of {}", figures.passed, counted(figures.total as u64, "case"));
    let _ = writeln!(
        text,
        "{passed} passed · precision {} · recall {} · warnings {}",
        share(figures.precision),
        share(figures.recall),
        share(figures.warning_accuracy),
    );
    text
}

/// `  failed  in-scope  expected select, was reject; without the warning stale`
fn case_line(case: &CaseResult, paint: Paint) -> String {
    let mark = if case.passed { paint.green("passed") } else { paint.red("failed") };
    let mut why = Vec::new();
    if case.expected != case.actual {
        why.push(format!("expected {}, was {}", word(case.expected), word(case.actual)));
    }
    if !case.missing_warnings.is_empty() {
        why.push(format!("without the warning {}", case.missing_warnings.join(", ")));
    }
    let why = if case.passed { word(case.actual).to_owned() } else { why.join("; ") };
    format!("  {mark}  {}  {}\n", one_line(&case.id), paint.dim(&one_line(&why)))
}

const fn word(choice: Choice) -> &'static str {
    match choice {
        Choice::Select => "select",
        Choice::Reject => "reject",
        Choice::Warn => "warn",
    }
}

/// `0.95`, or `·` where nothing was to be counted.
fn share(share: Option<f64>) -> String {
    share.map_or_else(|| "·".to_owned(), |share| format!("{share:.2}"))
}
