//! `contexture knowledge validate`: what is wrong with packs (KN-17).

use super::place::Place;
use super::{findings, target};
use crate::columns::counted;
use crate::commands::Outcome;
use crate::commands::run::Screen;
use crate::complaint::Exit;
use crate::paint::one_line;
use crate::terminal::Terminal;
use contexture::knowledge::maintenance::{Validation, validate};
use serde_json::json;

const EXAMPLES: &str = "\
Examples:
  contexture knowledge validate --root examples/knowledge
  contexture knowledge validate examples/knowledge/.agents/knowledge/acme-product-brief
  contexture knowledge validate acme-product-brief --root examples/knowledge --json

Exit code 0: nothing is wrong but for warnings; 1: there are errors; 2: there is no such pack.";

/// Checks packs: manifest, folders, links, anchors and JSON records.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// A pack, by the path of its folder or by its name; all packs of the project when absent.
    #[arg(value_name = "PATH|NAME", value_hint = clap::ValueHint::DirPath)]
    pack: Option<String>,
    #[command(flatten)]
    place: Place,
    /// Print one JSON object: ok, status, packs, each with name, root, files, errors and warnings;
    /// and diagnostics.
    #[arg(long)]
    pub(super) json: bool,
}

/// Runs `contexture knowledge validate`.
pub(super) fn run(args: &Args, terminal: &Terminal) -> Outcome {
    let (folder, project) = target::folder(args.pack.as_deref(), &args.place, terminal)?;
    let check = || validate(&folder, &target::options(&project));
    let checked = Screen::waiting(terminal, "checking packs", check);
    let checked = checked.map_err(|error| target::refuse(&error))?;
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

/// `ok  acme-product-brief  7 files`
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
