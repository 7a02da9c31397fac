//! `contexture flow pause`: pauses a run of any process (FL-12).

use super::control::{TargetRun, ask};
use crate::prelude::*;
use contexture::store::flows::Ask;

const EXAMPLES: &str = "\
Examples:
  contexture flow pause latest

RUN is as in `flow show`; any process on this machine may execute the run.";

/// Pauses a run: nothing new starts until `flow resume`.
///
/// Running steps continue, and the timeout of the set keeps counting.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    #[command(flatten)]
    asked: TargetRun,
}

pub(super) fn run(args: &Args, terminal: &Terminal) -> CommandResult {
    ask(&args.asked, Ask::Pause, terminal)
}
