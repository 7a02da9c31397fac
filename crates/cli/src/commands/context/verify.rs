//! `contexture context verify`: whether everything that was acknowledged is there, as it was written (GU-12).

use super::context_file::ContextLocation;
use crate::output::progress::ProgressDisplay;
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
    location: ContextLocation,
    /// Print one JSON object: whole, contexts, entries, auditLines and findings.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, terminal: &Terminal) -> CommandResult {
    let data = args.location.folder()?;
    let report = ProgressDisplay::waiting(terminal, "verifying", || upkeep::verify(&data))?;
    let is_whole = report.findings.is_empty();
    if args.json {
        let mut value = json!({ "whole": is_whole });
        super::context_file::extend(&mut value, &report);
        terminal.print_json(&value)?;
    } else {
        for finding in &report.findings {
            terminal.print_line(&one_line(&finding.to_string()))?;
        }
        let checked = format!(
            "{} with {} and {} checked",
            counted(report.contexts, "context"),
            format_args!("{} messages and changes", report.entries),
            counted(report.audit_lines, "audit line"),
        );
        terminal.note(&match is_whole {
            true => format!("{checked}: all is whole"),
            false => format!("{checked}; `contexture context salvage` saves what can be read"),
        });
    }
    Ok(if is_whole { Exit::Done } else { Exit::Failed })
}
