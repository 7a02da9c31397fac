//! `contexture knowledge validate-run`: checks a record against its schema (KN-17).

use super::findings;
use crate::prelude::*;
use contexture::knowledge::codes::NOT_JSON;
use contexture::knowledge::maintenance::validate_run;

const EXAMPLES: &str = "\
Examples:
  contexture knowledge new our-handbook > new.txt && \\
    contexture knowledge validate-run .agents/knowledge/our-handbook/evals/discovery.validation.json

Exit code 0: the record is valid; 1: it is not; 2: it can't be read, or is
not JSON.";

/// Checks a JSON record against its schema: compile-run, source-map, selection-eval, eval-run,
/// context-resolution, or a usage log.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The record, JSON or JSON lines.
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    file: PathBuf,
    /// Print one JSON object: ok, status, kind, records and diagnostics.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, terminal: &Terminal) -> CommandResult {
    let checked = validate_run(&args.file)?;
    if args.json {
        terminal.print_json(&json!({
            "ok": checked.ok,
            "status": checked.status,
            "kind": checked.kind,
            "records": checked.records,
            "diagnostics": findings::json(&checked.findings),
        }))?;
    } else {
        let kind = checked.kind.map_or("unknown kind", |kind| kind.as_str());
        let paint = terminal.out;
        let mark = if checked.ok { paint.green("ok") } else { paint.red("error") };
        let records = counted(checked.records as u64, "record");
        terminal.print_line(&format!("{mark}  {kind}, {records}"))?;
        findings::say(&checked.findings, "contexture knowledge validate-run", terminal);
    }
    // A file that is not JSON holds no record to check.
    let is_unread =
        checked.records == 0 && checked.findings.iter().any(|f| f.code == NOT_JSON.code);
    Ok(if checked.ok {
        Exit::Done
    } else if is_unread {
        Exit::Refused
    } else {
        Exit::Failed
    })
}
