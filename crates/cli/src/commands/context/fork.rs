//! `contexture context fork`: an independent copy of a context (CP-10).

use super::context_file::ContextLocation;
use super::list::to_json;
use crate::output::progress::ProgressDisplay;
use crate::prelude::*;
use contexture::store::contexts::Fork;

const EXAMPLES: &str = "\
Examples:
  contexture context fork ctx_weather
  contexture context fork ctx_weather --id ctx_try --json";

/// Copies a context with its messages and state; the copy is independent.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The context.
    #[arg(value_name = "ID")]
    context: String,
    /// The id of the copy [default: a new one].
    #[arg(long, value_name = "ID")]
    id: Option<String>,
    /// The owner of both [default: any].
    #[arg(long, value_name = "NAME")]
    owner: Option<String>,
    #[command(flatten)]
    location: ContextLocation,
    /// Print one JSON object: contextId, owner, creationTime, lastUpdateTime, version, messageCount
    /// and metadata, with forkedFrom in it.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, terminal: &Terminal) -> CommandResult {
    let (file, named) = args.location.find(&args.context, args.owner.as_deref())?;
    let fork = Fork { context_id: args.id.clone() };
    let head =
        ProgressDisplay::waiting(terminal, "copying", || file.store.fork(named.key(), fork))?;
    if args.json {
        terminal.print_json(&to_json(&head))?;
    } else {
        terminal.print_line(&head.context_id)?;
        let messages = counted(head.messages, "message");
        terminal.note(&format!("`{}` starts with {messages} of `{}`", head.context_id, named.id));
    }
    Ok(Exit::Done)
}
