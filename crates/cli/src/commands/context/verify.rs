//! `contexture context verify`: whether everything that was acknowledged is there, as it was written (GU-12).

use super::context_file::DataFolder;
use crate::prelude::*;
use contexture_server::serve::upkeep;

const EXAMPLES: &str = "\
Examples:
  contexture context verify
  contexture context verify --json

The exit code is 0 when all is whole, 1 for damage, 2 when there is nothing to check. Nothing is
changed, and a server may run.";

/// Checks the chains of all contexts and of the audit log, and that nothing is missing.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    #[command(flatten)]
    data: DataFolder,
}

pub(super) fn run(args: &Args, terminal: &Terminal) -> CommandResult {
    let report = args.data.work(terminal, "verifying", upkeep::verify)?;
    let is_whole = report.findings.is_empty();
    let checked = format!(
        "{} with {} messages and changes and {} checked",
        counted(report.contexts, "context"),
        report.entries,
        counted(report.audit_lines, "audit line"),
    );
    let done = match is_whole {
        true => format!("{checked}: all is whole"),
        false => format!("{checked}; `contexture context salvage` saves what can be read"),
    };
    let findings: Vec<String> = report.findings.iter().map(ToString::to_string).collect();
    let front = json!({ "whole": is_whole });
    args.data.print(terminal, front, &report, (&findings, &[done]))?;
    Ok(if is_whole { Exit::Done } else { Exit::Failed })
}
