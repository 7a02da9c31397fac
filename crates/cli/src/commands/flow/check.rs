//! `contexture flow check`: the errors and warnings of a set, before it runs (FL-6).

use super::set_file::{self, SetFile, folder_of, is_program, not_ready};
use super::stored_runs::FlowLocation;
use crate::output::diagnostics::refused_program;
use crate::prelude::*;
use contexture::flow::Kind;
use contexture::flow::check::Report;
use contexture::flows::{FlowError, FlowRequest, checked};
use contexture::run::RunRequest;

const EXAMPLES: &str = "\
Examples:
  contexture flow check examples/flows/branches.json
  contexture flow check examples/flows/branches.json --json

Exit code 0: no errors, though there may be warnings; 2: errors.";

/// Checks a set with its references, conditions and actions; nothing runs.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The set, as in `flow run`; `-` is stdin.
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    file: PathBuf,
    /// A program whose agents the set may call as agent:Name. May be repeated.
    #[arg(long, value_name = "APP.as", value_hint = clap::ValueHint::FilePath)]
    program: Vec<PathBuf>,
    #[command(flatten)]
    location: FlowLocation,
    /// Print one JSON object: diagnostics, each with code, severity, message, help and path, a JSON
    /// pointer.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, terminal: &Terminal) -> CommandResult {
    if is_program(&args.file) {
        let message = format!("{} is a program, not a set", args.file.display());
        let help = "`contexture check` checks programs; the set that a program returns is checked when it runs";
        return Err(not_ready(CommandError::refused("flow_source", message).help(help)).into());
    }
    let project = args.location.project()?;
    let SetFile { name, text } = SetFile::read(&args.file, terminal)?;
    let request = FlowRequest {
        document: text.into_bytes(),
        name: name.clone(),
        programs: args.program.clone(),
        near: folder_of(&args.file),
        run: RunRequest { forget: true, ..RunRequest::default() },
        ..FlowRequest::default()
    };
    match checked(&project, request) {
        Ok((set, warnings)) => {
            if !args.json && warnings.diagnostics.is_empty() {
                let word = match set.kind {
                    Kind::Instructions => "instruction",
                    Kind::Calls => "call",
                };
                let count = counted(set.steps.len() as u64, word);
                let ok = terminal.err.green("ok:");
                terminal.say(&format!("{ok} {count} checked, no errors"));
                return Ok(Exit::Done);
            }
            report(&warnings, &name, args.json, terminal)
        }
        Err(FlowError::Refused(refused)) => report(&refused, &name, args.json, terminal),
        Err(FlowError::Program(checked)) => Err(refused_program(&checked, terminal).into()),
        Err(FlowError::Setup(error)) => Err(not_ready(CommandError::from(error)).into()),
    }
}

fn report(report: &Report, name: &str, json: bool, terminal: &Terminal) -> CommandResult {
    if json {
        terminal.print_json(&report.to_value())?;
    } else {
        terminal.print(&set_file::text(report, name, terminal.out))?;
    }
    Ok(if report.has_errors() { Exit::Refused } else { Exit::Done })
}
