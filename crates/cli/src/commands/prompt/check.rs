//! `contexture prompt check`: the faults of a template and the variables it needs (PT-6).

use super::library;
use super::references::{self, Loading, Scope, Source, folder_of};
use crate::commands::Outcome;
use crate::complaint::Exit;
use crate::faults;
use crate::input;
use crate::paint::one_line;
use crate::terminal::Terminal;
use contexture::diagnostic::{Severity, SourceFile};
use contexture::prompt::{CheckReport, Included, Need, check, check_with};
use contexture::reference::syntax::redact;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  contexture prompt check examples/prompts/greeting.md
  contexture prompt check examples/prompts/review.md --partials examples/prompts/partials --json";

/// Prints the faults of a template, the variables it needs and the references it includes.
///
/// With --partials, what it includes is checked as well. References are not loaded.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The template; `-` reads it from stdin.
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    file: PathBuf,
    /// A folder of partials; each has the name of its file without the extension.
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    partials: Option<PathBuf>,
    #[command(flatten)]
    scope: Scope,
    /// Print one JSON object: diagnostics, variables, requirements, partials and references.
    #[arg(long)]
    pub(super) json: bool,
}

/// Runs `contexture prompt check`.
pub(super) fn run(args: &Args, terminal: &Terminal) -> Outcome {
    let text = input::text(&args.file, "the template", terminal)?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let registry = match &args.partials {
        Some(folder) => Some(library::read(Some(folder.as_path()), &args.file)?),
        None => None,
    };
    let report = registry.as_ref().map_or_else(|| check(text), |all| check_with(text, all));
    let name = args.file.display().to_string();
    let source =
        Source { name: &name, folder: folder_of(&args.file), partials: args.partials.as_deref() };
    let loading = Loading::new(&args.scope, &args.file, terminal);
    let mut diagnostics = report.diagnostics.clone();
    diagnostics.extend(loading.check(&report.references, source)?);
    let sources = references::sources(&name, text, &report.references, registry.as_ref());
    let sources: Vec<&SourceFile> = sources.iter().collect();
    if args.json {
        terminal.print_json(&json!({
            "diagnostics": faults::json(&diagnostics, &sources),
            "variables": report.variables(),
            "requirements": report.requirements,
            "partials": report.partials,
            "references": report.references.iter().map(listed).collect::<Vec<_>>(),
        }))?;
    } else {
        terminal.print(&faults::text(&diagnostics, &sources, terminal.out))?;
        terminal.print(&needs(&report, terminal))?;
    }
    let refused = diagnostics.iter().any(|fault| fault.severity == Severity::Error);
    Ok(if refused { Exit::Refused } else { Exit::Done })
}

/// A reference with its place, without user info.
fn listed(included: &Included) -> Value {
    json!({
        "reference": redact(&included.reference),
        "partial": included.partial,
        "line": included.line,
        "column": included.column,
    })
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
        let place = place(one.partial.as_deref(), one.line, one.column);
        let (name, place) = (&one.name, terminal.out.dim(&place));
        let _ = writeln!(text, "{name:width$}  {need}  {place}");
    }
    for one in &report.references {
        let place = terminal.out.dim(&place(one.partial.as_deref(), one.line, one.column));
        let _ = writeln!(text, "{}  {place}", one_line(&redact(&one.reference)));
    }
    if text.is_empty() && report.diagnostics.is_empty() {
        text.push_str("no variables\n");
    }
    text
}

fn place(partial: Option<&str>, line: u32, column: u32) -> String {
    match partial {
        Some(partial) => format!("{partial}:{line}:{column}"),
        None => format!("{line}:{column}"),
    }
}
