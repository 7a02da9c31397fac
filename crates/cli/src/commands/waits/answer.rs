//! `contexture waits answer`: the result of a call in the place of its client.

use super::wait_file::{WaitLocation, refused};
use crate::prelude::*;
use contexture_server::serve::waits::result_of;

const EXAMPLES: &str = "\
Examples:
  contexture waits list

`contexture waits answer ask_1 '{\"status\": \"SUCCESS\", \"result\": {\"allowed\": true}}'` allows what the
question `ask_1` is about. The JSON is a result of TOOL_CALL_RESPONSE without its callId. The first answer counts.";

/// Answers a call that waits.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The callId, as in `waits list`.
    id: String,
    /// The result: {"status": "SUCCESS", "result": …} or {"status": "ERROR", "error": …}.
    #[arg(value_name = "JSON")]
    result: String,
    #[command(flatten)]
    location: WaitLocation,
}

pub(super) fn run(args: &Args, terminal: &Terminal) -> CommandResult {
    let value: Value = serde_json::from_str(&args.result).map_err(|error| {
        let message = format!("the answer is not JSON: {error}");
        CommandError::refused("not_json", message).help(
            "give the result of the call, such as '{\"status\": \"SUCCESS\", \"result\": {}}'",
        )
    })?;
    let result = result_of(&args.id, value).map_err(|refusal| refused(&refusal))?;
    let (file, wait) = args.location.find(&args.id)?;
    args.location.give((&file, &wait), result, ("answered", terminal))
}
