//! `contexture prompt check`: the faults of a template and the variables it needs (PT-6).

use super::library;
use crate::commands::Outcome;
use crate::complaint::Exit;
use crate::faults;
use crate::input;
use crate::terminal::Terminal;
use contexture::diagnostic::SourceFile;
use contexture::prompt::{CheckReport, Need, check, check_with};
use serde_json::json;
use std::fmt::Write as _;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  contexture prompt check examples/prompts/greeting.md
  contexture prompt check examples/prompts/review.md --partials examples/prompts/partials --json";

/// Prints the faults of a template and the variables it needs.
///
/// With --partials, what it includes is checked as well.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The template; `-` reads it from stdin.
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    file: PathBuf,
    /// A folder of partials; each has the name of its file without the extension.
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    partials: Option<PathBuf>,
    /// Print one JSON object: diagnostics, variables, requirements and partials.
    #[arg(long)]
    pub(super) json: bool,
}

/// Runs `contexture prompt check`.
pub(super) fn run(args: &Args, terminal: &Terminal) -> Outcome {
    let text = input::text(&args.file, "the template", terminal)?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let report = match &args.partials {
        Some(_) => check_with(text, &library::read(args.partials.as_deref(), &args.file)?),
        None => check(text),
    };
    let source = SourceFile::new(args.file.display().to_string(), text);
    if args.json {
        terminal.print_json(&json!({
            "diagnostics": faults::json(&report.diagnostics, &[&source]),
            "variables": report.variables(),
            "requirements": report.requirements,
            "partials": report.partials,
        }))?;
    } else {
        terminal.print(&faults::text(&report.diagnostics, &[&source], terminal.out))?;
        terminal.print(&needs(&report, terminal))?;
    }
    Ok(if report.has_errors() { Exit::Refused } else { Exit::Done })
}

/// The variables in columns: name, how much it is needed, where it is first used.
fn needs(report: &CheckReport, terminal: &Terminal) -> String {
    let mut text = String::new();
    let width = report.requirements.iter().map(|one| one.name.chars().count()).max().unwrap_or(0);
    for one in &report.requirements {
        let need = match one.need {
            Need::Required => "required",
            Need::Item => "item    ",
            Need::Optional => "optional",
        };
        let place = match &one.partial {
            Some(partial) => format!("{partial}:{}:{}", one.line, one.column),
            None => format!("{}:{}", one.line, one.column),
        };
        let (name, place) = (&one.name, terminal.out.dim(&place));
        let _ = writeln!(text, "{name:width$}  {need}  {place}");
    }
    if text.is_empty() && report.diagnostics.is_empty() {
        text.push_str("no variables\n");
    }
    text
}
