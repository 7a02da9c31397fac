//! `contexture context fork`: a copy that goes its own way (CP-10).

use super::list::to_json;
use super::place::{Place, refuse};
use crate::columns::counted;
use crate::commands::Outcome;
use crate::commands::run::Screen;
use crate::complaint::Exit;
use crate::terminal::Terminal;
use contexture::store::contexts::{ContextStore as _, Fork};

const EXAMPLES: &str = "\
Examples:
  contexture context fork ctx_weather
  contexture context fork ctx_weather --id ctx_try --json";

/// Copies a context with its messages and state; the copy goes its own way.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The context.
    #[arg(value_name = "ID")]
    context: String,
    /// The id of the copy. [default: a new one]
    #[arg(long, value_name = "ID")]
    id: Option<String>,
    /// Whose it is; else whoever's it is. The copy is the same owner's.
    #[arg(long, value_name = "NAME")]
    owner: Option<String>,
    #[command(flatten)]
    place: Place,
    /// Print one JSON object: contextId, owner, creationTime, lastUpdateTime, version, messageCount
    /// and metadata, with forkedFrom in it.
    #[arg(long)]
    pub(super) json: bool,
}

/// Runs `contexture context fork`.
pub(super) fn run(args: &Args, terminal: &Terminal) -> Outcome {
    let (desk, named) = args.place.find(&args.context, args.owner.as_deref())?;
    let fork = Fork { context_id: args.id.clone() };
    let head = Screen::waiting(terminal, "copying", || desk.store.fork(named.key(), fork));
    let head = head.map_err(|error| refuse(&error))?;
    if args.json {
        terminal.print_json(&to_json(&head))?;
    } else {
        terminal.print_line(&head.context_id)?;
        let messages = counted(head.messages, "message");
        terminal.note(&format!("`{}` begins with {messages} of `{}`", head.context_id, named.id));
    }
    Ok(Exit::Done)
}
