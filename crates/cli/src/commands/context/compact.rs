//! `contexture context compact`: drops the older part of a change log (CP-10, CP-12).

use super::context_file::ContextLocation;
use super::list::to_json;
use crate::output::progress::ProgressDisplay;
use crate::prelude::*;

const EXAMPLES: &str = "\
Examples:
  contexture context compact ctx_weather
  contexture context compact ctx_weather --through 1 --json

Messages and state are unchanged. The texts of cleared messages are dropped with the log. A client
that has seen an older version reads the whole context again.";

/// Drops the change log and the cleared messages.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The context.
    #[arg(value_name = "ID")]
    id: String,
    /// Drop the changes up to this version [default: all].
    #[arg(long, value_name = "VERSION")]
    through: Option<u64>,
    /// The owner; needed when several owners have this id.
    #[arg(long, value_name = "NAME")]
    owner: Option<String>,
    #[command(flatten)]
    location: ContextLocation,
    /// Print one JSON object: contextId, owner, version, oldestVersion, messageCount and more.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, terminal: &Terminal) -> CommandResult {
    let (file, named) = args.location.find(&args.id, args.owner.as_deref())?;
    let head = ProgressDisplay::waiting(terminal, "compacting", || {
        let now = || file.store.head(named.key()).map(|head| head.version);
        let through = args.through.map_or_else(now, Ok)?;
        file.store.compact(named.key(), through)
    })?;
    if args.json {
        let mut value = to_json(&head);
        if let Value::Object(fields) = &mut value {
            fields.insert("oldestVersion".to_owned(), head.oldest.into());
        }
        terminal.print_json(&value)?;
    } else {
        let (oldest, version) = (head.oldest, head.version);
        terminal.note(&format!(
            "changes after version {oldest} are kept; the current version is {version}"
        ));
    }
    Ok(Exit::Done)
}
