//! `contexture flow pause`: a run that any process does starts nothing new until it is resumed
//! (FL-12).

use super::ask::{Asked, ask};
use crate::commands::Outcome;
use crate::terminal::Terminal;
use contexture::store::flows::Ask;

const EXAMPLES: &str = "\
Examples:
  contexture flow pause latest

The run is found as by `flow show`; the process that does it may be any on this machine.";

/// Pauses a run: nothing new is started until `flow resume`.
///
/// What runs goes on, and so does the time of the set.
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

/// Runs `contexture flow pause`.
pub(super) fn run(args: &Args, terminal: &Terminal) -> Outcome {
    ask(&args.asked, Ask::Pause, terminal)
}
