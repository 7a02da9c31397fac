//! `contexture flow run`: a set from its file to what became of it (FL-1 to FL-12).

mod args;
mod document;
mod perform;

pub(super) use args::Args;
pub(super) use document::is_program;
pub(super) use perform::{Performance, runtime, unready};

use super::board::Board;
use super::document::Document;
use crate::commands::Outcome;
use crate::complaint::{Complaint, Stop};
use crate::input;
use crate::terminal::Terminal;
use crate::workspace;
use contexture::Project;
use contexture::flows::FlowRequest;
use std::path::Path;

/// Runs `contexture flow run`.
pub(super) fn run(args: &Args, terminal: &Terminal) -> Outcome {
    if args.file.is_none() && args.resume.is_none() {
        return Err(unready(unnamed("--resume RUN")).into());
    }
    let talk = args.means.talk(args.json);
    let board = Board::new(terminal, talk, args.means.quiet);
    let project = project(args)?;
    let mut request = FlowRequest {
        programs: args.program.clone(),
        allow: Some(args.allow.clone()).filter(|allow| !allow.is_empty()),
        forget: args.no_keep,
        ..args.means.put(FlowRequest::default(), &board)
    };
    let mut entry = None;
    let mut before = 0;
    if let Some(resume) = &args.resume {
        let kept = args.place.find(resume)?;
        before = kept.done();
        request.resume = Some(kept.id().to_owned());
    }
    match args.file.as_deref() {
        Some(file) if document::is_program(file) => {
            entry = Some(document::entry(args, file, terminal)?);
            request.name = name(file);
            request.near = near(file);
        }
        Some(file) => {
            document::is_no_program(args)?;
            let read = Document::read(file, terminal)?;
            request.document = read.text.into_bytes();
            request.name = name(file);
            request.near = near(file);
        }
        None => request.name = args.resume.clone().unwrap_or_default(),
    }
    let performance = Performance {
        project: &project,
        board: &board,
        talk,
        is_json: args.json,
        is_quiet: args.means.quiet,
        timeout: args.timeout,
        before,
    };
    performance.run(request, entry, terminal)
}

/// It is not said which set is meant; `option` names a kept run.
pub(super) fn unnamed(option: &str) -> Complaint {
    let message =
        format!("no set is named: give a FILE, `-` for stdin, or {option} for a kept run");
    Complaint::refused("bad_usage", message).help("`contexture flow list` shows the kept runs")
}

fn project(args: &Args) -> Result<Project, Stop> {
    match args.file.as_deref().filter(|file| is_program(file)) {
        Some(file) => workspace::of_program(args.place.workspace.as_deref(), file),
        // A person named the set, wherever it lies: its run is kept where they are.
        None => args.place.project(),
    }
}

fn name(file: &Path) -> String {
    if input::is_stdin(file) { "stdin".to_owned() } else { file.display().to_string() }
}

/// The folder in which the set lies: its programs may be called.
pub(super) fn near(file: &Path) -> Option<std::path::PathBuf> {
    let folder = file.parent().filter(|_| !input::is_stdin(file))?;
    let here = folder.as_os_str().is_empty();
    Some(if here { Path::new(".").to_owned() } else { folder.to_owned() })
}
