//! `contexture knowledge validate`: the errors and warnings of packs (KN-17).

use super::pack_scope::PackScope;
use super::{findings, pack_target};
use crate::output::progress::ProgressDisplay;
use crate::prelude::*;
use contexture::knowledge::maintenance::{Validation, validate};

const EXAMPLES: &str = "\
Examples:
  contexture knowledge validate --root examples/knowledge
  contexture knowledge validate examples/knowledge/.agents/knowledge/acme-product-brief
  contexture knowledge validate acme-product-brief --root examples/knowledge --json

Exit code 0: no errors, though there may be warnings; 1: errors, or no pack at PATH; 2: unknown
name.";

/// Checks packs: manifest, folders, links, anchors and JSON records.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// A pack, by its folder or its name [default: all packs of the project].
    #[arg(value_name = "PATH|NAME", value_hint = clap::ValueHint::DirPath)]
    pack: Option<String>,
    #[command(flatten)]
    source: PackScope,
    /// Print one JSON object: ok, status, packs, each with name, root, files, errors and warnings;
    /// and diagnostics.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, terminal: &Terminal) -> CommandResult {
    let target = pack_target::folder(args.pack.as_deref(), &args.source, terminal);
    let is_path = args.pack.as_deref().is_some_and(pack_target::is_path);
    let (folder, project) = target.map_err(|abort| invalid_at(is_path, abort))?;
    let check = || validate(&folder, &pack_target::options(&project));
    let checked = ProgressDisplay::waiting(terminal, "checking packs", check);
    let checked = checked.map_err(|error| invalid_at(is_path, error.into()))?;
    if args.json {
        terminal.print_json(&json!({
            "ok": checked.ok,
            "status": checked.status,
            "packs": checked.packs,
            "diagnostics": findings::json(&checked.findings),
        }))?;
    } else {
        terminal.print(&text(&checked, terminal))?;
        findings::say(&checked.findings, "contexture knowledge validate", terminal);
    }
    Ok(if checked.ok { Exit::Done } else { Exit::Failed })
}

/// Returns the error about a path without a pack: that is what was to be checked, so that it is
/// invalid and not misuse (MA-6).
fn invalid_at(is_path: bool, abort: Abort) -> Abort {
    match abort {
        Abort::Error(error) if is_path => {
            Abort::Error(Box::new(CommandError { exit: Exit::Failed, ..*error }))
        }
        other => other,
    }
}

/// Formats results: `ok  acme-product-brief  7 files`.
fn text(checked: &Validation, terminal: &Terminal) -> String {
    let paint = terminal.out;
    let mut text = String::new();
    for pack in &checked.packs {
        let mark = match (pack.errors, pack.warnings) {
            (0, 0) => paint.green("ok     "),
            (0, _) => paint.yellow("warning"),
            _ => paint.red("error  "),
        };
        let files = counted(pack.files as u64, "file");
        let parts = [(pack.errors, "error"), (pack.warnings, "warning")];
        let parts = parts.into_iter().filter(|(count, _)| *count > 0);
        let parts: String =
            parts.map(|(count, word)| format!(", {}", counted(count as u64, word))).collect();
        text.push_str(&format!("{mark}  {}  {files}{parts}\n", paint.bold(&one_line(&pack.name))));
    }
    text
}
