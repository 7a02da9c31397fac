//! `contexture flow run`: runs a set (FL-1 to FL-12).

pub(super) use super::run_args::Args;

use super::live_board::LiveBoard;
use super::program;
use super::runner::FlowRunner;
use super::set_file::{SetFile, folder_of, is_program, no_set, not_ready};
use crate::prelude::*;
use contexture::Project;
use contexture::flows::FlowRequest;

pub(super) fn run(args: &Args, terminal: &Terminal) -> CommandResult {
    if args.file.is_none() && args.resume.is_none() {
        return Err(not_ready(no_set("--resume RUN")).into());
    }
    let verbosity = args.options.verbosity(args.json);
    let board = LiveBoard::new(terminal, verbosity, args.options.quiet);
    let project = project(args)?;
    let mut request = FlowRequest {
        programs: args.program.clone(),
        allow: Some(args.allow.clone()).filter(|allow| !allow.is_empty()),
        ..args.options.request(&board)?
    };
    request.run.forget = args.no_keep;
    let mut entry = None;
    let mut before = 0;
    if let Some(resume) = &args.resume {
        let stored = args.location.find(resume)?;
        before = stored.done();
        request.resume = Some(stored.id().to_owned());
    }
    match args.file.as_deref() {
        Some(file) if is_program(file) => {
            entry = Some(program::entry(args, file, terminal)?);
            request.name = input::name_of(file);
            request.near = folder_of(file);
        }
        Some(file) => {
            program::reject_options(args)?;
            request.document = SetFile::read(file, terminal)?.text.into_bytes();
            request.name = input::name_of(file);
            request.near = folder_of(file);
        }
        None => request.name = args.resume.clone().unwrap_or_default(),
    }
    let runner = FlowRunner {
        project: &project,
        board: &board,
        verbosity,
        is_json: args.json,
        is_quiet: args.options.quiet,
        timeout: args.timeout,
        before,
    };
    runner.run(request, entry, terminal)
}

fn project(args: &Args) -> Result<Project, Abort> {
    match args.file.as_deref().filter(|file| is_program(file)) {
        Some(file) => args.location.workspace.open_for(Some(file)),
        // The run of a set is stored in the project of the current folder, wherever the set is.
        None => args.location.project(),
    }
}
