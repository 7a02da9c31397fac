//! `contexture context compact`: the older part of a change log is dropped (CP-10, CP-12).

use super::list::to_json;
use super::place::{Place, refuse};
use crate::commands::Outcome;
use crate::commands::run::Screen;
use crate::complaint::Exit;
use crate::terminal::Terminal;
use contexture::store::contexts::ContextStore as _;
use serde_json::Value;

const EXAMPLES: &str = "\
Examples:
  contexture context compact ctx_weather
  contexture context compact ctx_weather --through 1 --json

Messages and state stay as they are. The texts of messages that were cleared are dropped with the
log. A client that has seen an older version reads the whole context anew.";

/// Drops the log of changes, and the messages that were cleared.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The context.
    #[arg(value_name = "ID")]
    id: String,
    /// Drop the changes up to this version, and keep those after it. [default: all]
    #[arg(long, value_name = "VERSION")]
    through: Option<u64>,
    /// Whose it is; else whoever's it is.
    #[arg(long, value_name = "NAME")]
    owner: Option<String>,
    #[command(flatten)]
    place: Place,
    /// Print one JSON object: contextId, owner, version, oldestVersion, messageCount and more.
    #[arg(long)]
    pub(super) json: bool,
}

/// Runs `contexture context compact`.
pub(super) fn run(args: &Args, terminal: &Terminal) -> Outcome {
    let (desk, named) = args.place.find(&args.id, args.owner.as_deref())?;
    let head = Screen::waiting(terminal, "compacting", || {
        let now = || desk.store.head(named.key()).map(|head| head.version);
        let through = args.through.map_or_else(now, Ok)?;
        desk.store.compact(named.key(), through)
    });
    let head = head.map_err(|error| refuse(&error))?;
    if args.json {
        let mut value = to_json(&head);
        if let Value::Object(fields) = &mut value {
            fields.insert("oldestVersion".to_owned(), head.oldest.into());
        }
        terminal.print_json(&value)?;
    } else {
        let (oldest, version) = (head.oldest, head.version);
        terminal.note(&format!("changes are kept after version {oldest}, of {version}"));
    }
    Ok(Exit::Done)
}
