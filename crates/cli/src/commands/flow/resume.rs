//! `contexture flow resume`: a run that was broken off goes on, and one that is paused too (FL-11,
//! FL-12).

use super::ask::{Asked, ask_of};
use super::board::Board;
use super::means::Means;
use super::run::Performance;
use crate::commands::Outcome;
use crate::complaint::Complaint;
use crate::terminal::Terminal;
use contexture::flows::{FlowRequest, is_within};
use contexture::store::flows::{Ask, RunState};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  contexture flow resume latest

What has ended is not run again. What was running is tried again if that does no harm, and is else
FAILED with OUTCOME_UNCERTAIN. Exit codes are those of `flow run`.";

/// Goes on with a run that was broken off or is paused.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    #[command(flatten)]
    asked: Asked,
    /// A program whose agents the set may call. [default: those of the run]
    #[arg(long, value_name = "APP.as", value_hint = clap::ValueHint::FilePath, help_heading = "What to run")]
    program: Vec<PathBuf>,
    #[command(flatten)]
    means: Means,
}

impl Args {
    pub(super) const fn wants_json(&self) -> bool {
        self.asked.json
    }
}

/// Runs `contexture flow resume`.
pub(super) fn run(args: &Args, terminal: &Terminal) -> Outcome {
    let kept = args.asked.place.find(&args.asked.run)?;
    if matches!(kept.summary.state, RunState::Running | RunState::Paused) {
        return ask_of(&kept, Ask::Resume, args.asked.json, terminal);
    }
    if is_within(kept.id()) {
        let outer = kept.id().split('/').next().unwrap_or_default();
        let message = format!("the run {} belongs to a step of another run", kept.id());
        let help = format!("`contexture flow resume {outer}` goes on with both");
        return Err(Complaint::refused("flow_run_within", message).help(help).into());
    }
    let is_json = args.asked.json;
    let talk = args.means.talk(is_json);
    let board = Board::new(terminal, talk, args.means.quiet);
    let request = FlowRequest {
        name: kept.summary.name.clone(),
        programs: args.program.clone(),
        resume: Some(kept.id().to_owned()),
        ..args.means.put(FlowRequest::default(), &board)
    };
    let before = kept.done();
    drop(kept);
    let project = args.asked.place.project()?;
    let performance = Performance {
        project: &project,
        board: &board,
        talk,
        is_json,
        is_quiet: args.means.quiet,
        timeout: None,
        before,
    };
    performance.run(request, None, terminal)
}
