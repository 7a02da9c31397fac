//! `contexture flow resume`: continues an interrupted or paused run (FL-11, FL-12).

use super::control::{TargetRun, ask_of};
use super::live_board::LiveBoard;
use super::run_options::RunOptions;
use super::runner::FlowRunner;
use crate::prelude::*;
use contexture::flows::{FlowRequest, is_within};
use contexture::store::flows::{Ask, RunState};

const EXAMPLES: &str = "\
Examples:
  contexture flow resume latest

Ended steps do not run again. Running steps are repeated if that is safe, and else FAILED with
OUTCOME_UNCERTAIN. Exit codes are those of `flow run`.";

/// Continues an interrupted or paused run.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    #[command(flatten)]
    asked: TargetRun,
    /// A program whose agents the set may call [default: the programs of the run].
    #[arg(long, value_name = "APP.as", value_hint = clap::ValueHint::FilePath, help_heading = "What to run")]
    program: Vec<PathBuf>,
    #[command(flatten)]
    options: RunOptions,
}

pub(super) fn run(args: &Args, terminal: &Terminal) -> CommandResult {
    let stored = args.asked.location.find(&args.asked.run)?;
    if matches!(stored.summary.state, RunState::Running | RunState::Paused) {
        return ask_of(&stored, Ask::Resume, args.asked.json, terminal);
    }
    if is_within(stored.id()) {
        return Err(stored.within("resume", "continues both"));
    }
    let is_json = args.asked.json;
    let verbosity = args.options.verbosity(is_json);
    let board = LiveBoard::new(terminal, verbosity, args.options.quiet);
    let request = FlowRequest {
        name: stored.summary.name.clone(),
        programs: args.program.clone(),
        resume: Some(stored.id().to_owned()),
        ..args.options.request(&board)?
    };
    let before = stored.done();
    drop(stored);
    let project = args.asked.location.project()?;
    let runner = FlowRunner {
        project: &project,
        board: &board,
        verbosity,
        is_json,
        is_quiet: args.options.quiet,
        timeout: None,
        before,
    };
    runner.run(request, None, terminal)
}
