//! `contexture prompt check`: the errors of a template and its variables (PT-6).

use super::partials;
use super::references::{self, Loading, Source, folder_of};
use crate::output::diagnostics;
use crate::prelude::*;
use contexture::diagnostic::{Severity, SourceFile};
use contexture::prompt::{CheckReport, Included, Need, check, check_with};
use contexture::reference::syntax::redact;

const EXAMPLES: &str = "\
Examples:
  contexture prompt check examples/prompts/greeting.md
  contexture prompt check examples/prompts/review.md --partials examples/prompts/partials --json";

/// Prints the errors of a template, the variables it needs and the references it includes.
///
/// With --partials, included partials are checked, too. References are not loaded.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The template; `-` reads it from stdin.
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    file: PathBuf,
    /// A folder of partials; the name of a partial is its file name without the extension.
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    partials: Option<PathBuf>,
    #[command(flatten)]
    workspace: Workspace,
    /// Print one JSON object: diagnostics, variables, requirements, partials and references.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, terminal: &Terminal) -> CommandResult {
    let text = input::text(&args.file, "the template", terminal)?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let registry = match &args.partials {
        Some(folder) => Some(partials::read(Some(folder.as_path()), &args.file)?),
        None => None,
    };
    let report = registry.as_ref().map_or_else(|| check(text), |all| check_with(text, all));
    let name = args.file.display().to_string();
    let source =
        Source { name: &name, folder: folder_of(&args.file), partials: args.partials.as_deref() };
    let loading = Loading::new(&args.workspace, &args.file, terminal);
    let mut diagnostics = report.diagnostics.clone();
    diagnostics.extend(loading.check(&report.references, source)?);
    let sources = references::sources(&name, text, &report.references, registry.as_ref());
    let sources: Vec<&SourceFile> = sources.iter().collect();
    if args.json {
        terminal.print_json(&json!({
            "diagnostics": diagnostics::json(&diagnostics, &sources),
            "variables": report.variables(),
            "requirements": report.requirements,
            "partials": report.partials,
            "references": report.references.iter().map(listed).collect::<Vec<_>>(),
        }))?;
    } else {
        terminal.print(&diagnostics::text(&diagnostics, &sources, terminal.out))?;
        terminal.print(&needs(&report, terminal))?;
    }
    let refused = diagnostics.iter().any(|fault| fault.severity == Severity::Error);
    Ok(if refused { Exit::Refused } else { Exit::Done })
}

/// Returns a reference with its place, without user info.
fn listed(included: &Included) -> Value {
    json!({
        "reference": redact(&included.reference),
        "partial": included.partial,
        "line": included.line,
        "column": included.column,
    })
}

/// Renders the variables in columns: name, need, place of first use.
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
