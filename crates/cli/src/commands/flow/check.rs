//! `contexture flow check`: everything that is wrong with a set, before it runs (FL-6).

use super::document::{self, Document};
use super::place::Place;
use super::run::{near, unready};
use crate::columns::counted;
use crate::commands::Outcome;
use crate::commands::run::refused_program;
use crate::complaint::{Complaint, Exit};
use crate::terminal::Terminal;
use contexture::flow::Kind;
use contexture::flow::check::Report;
use contexture::flows::{FlowError, FlowRequest, checked};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  contexture flow check examples/flows/branches.json
  contexture flow check examples/flows/branches.json --json

Exit code 0: no error, though there may be warnings; 2: the set is refused.";

/// Checks a set with all its references, conditions and actions; nothing runs.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The set, as of `flow run`; `-` is stdin.
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    file: PathBuf,
    /// A program whose agents the set may call as agent:Name. May be given several times.
    #[arg(long, value_name = "APP.as", value_hint = clap::ValueHint::FilePath)]
    program: Vec<PathBuf>,
    #[command(flatten)]
    place: Place,
    /// Print one JSON object: diagnostics, each with code, severity, message, help and path, a JSON
    /// pointer.
    #[arg(long)]
    pub(super) json: bool,
}

/// Runs `contexture flow check`.
pub(super) fn run(args: &Args, terminal: &Terminal) -> Outcome {
    if super::run::is_program(&args.file) {
        let message = format!("{} is a program, not a set", args.file.display());
        let help = "`contexture check` checks programs; what one returns is checked when it is run";
        return Err(unready(Complaint::refused("flow_source", message).help(help)).into());
    }
    let project = args.place.project()?;
    let Document { name, text } = Document::read(&args.file, terminal)?;
    let request = FlowRequest {
        document: text.into_bytes(),
        name: name.clone(),
        programs: args.program.clone(),
        near: near(&args.file),
        forget: true,
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
                terminal.say(&format!("{ok} {count}, nothing to complain about"));
                return Ok(Exit::Done);
            }
            tell(&warnings, &name, args.json, terminal)
        }
        Err(FlowError::Refused(report)) => tell(&report, &name, args.json, terminal),
        Err(FlowError::Program(checked)) => Err(refused_program(&checked, terminal).into()),
        Err(FlowError::Setup(error)) => Err(unready(Complaint::from(error)).into()),
    }
}

fn tell(report: &Report, name: &str, json: bool, terminal: &Terminal) -> Outcome {
    if json {
        terminal.print_json(&report.to_value())?;
    } else {
        terminal.print(&document::text(report, name, terminal.out))?;
    }
    Ok(if report.has_errors() { Exit::Refused } else { Exit::Done })
}
