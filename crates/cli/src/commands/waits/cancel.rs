//! `contexture waits cancel`: a call that nobody is to answer.

use super::wait_file::WaitLocation;
use crate::prelude::*;
use contexture_server::serve::waits::cancelled;

const EXAMPLES: &str = "\
Examples:
  contexture waits list

`contexture waits cancel pick --context ctx_1` cancels the call `pick` of that context.";

/// Cancels a call that waits: it fails with CANCELLED.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The callId, as in `waits list`.
    id: String,
    #[command(flatten)]
    location: WaitLocation,
}

pub(super) fn run(args: &Args, terminal: &Terminal) -> CommandResult {
    let (file, wait) = args.location.find(&args.id)?;
    args.location.give((&file, &wait), cancelled(&args.id), ("cancelled", terminal))
}
