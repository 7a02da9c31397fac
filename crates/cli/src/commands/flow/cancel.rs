//! `contexture flow cancel`: a run that any process does comes to its end (FL-12).

use super::ask::{Asked, ask};
use crate::commands::Outcome;
use crate::terminal::Terminal;
use contexture::store::flows::Ask;

const EXAMPLES: &str = "\
Examples:
  contexture flow cancel latest --json

The run is found as by `flow show`; the process that does it may be any on this machine.";

/// Cancels a run: what runs ends FAILED, what has not started SKIPPED.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    #[command(flatten)]
    asked: Asked,
}

impl Args {
    pub(super) const fn wants_json(&self) -> bool {
        self.asked.json
    }
}

/// Runs `contexture flow cancel`.
pub(super) fn run(args: &Args, terminal: &Terminal) -> Outcome {
    ask(&args.asked, Ask::Cancel, terminal)
}
