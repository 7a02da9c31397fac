//! `contexture context import`: a context from JSON lines (CP-9, CP-10).

use super::context_file::{ContextLocation, LOCAL};
use super::list::to_json;
use crate::output::progress::ProgressDisplay;
use crate::prelude::*;
use crate::support::input::{self, is_stdin};
use contexture::store::contexts::Import;
use contexture_server::serve::audit::AuditEvent;
use std::fs::File;
use std::io::{self, BufRead, BufReader};

const EXAMPLES: &str = "\
Examples:
  contexture context import examples/serve/conversation.jsonl --id ctx_yesterday
  contexture context import --id ctx_older --owner ada --json < examples/serve/conversation.jsonl

The whole file is checked before anything is stored. A message needs messageId, type and content.";

/// Imports the output of `context export`, or a context as one JSON object.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The file; `-` is stdin.
    #[arg(value_name = "FILE", default_value = "-", value_hint = clap::ValueHint::FilePath)]
    file: PathBuf,
    /// The id of the context [default: the one in the file, else a new one].
    #[arg(long, value_name = "ID")]
    id: Option<String>,
    /// The owner of the context.
    #[arg(long, value_name = "NAME", default_value = LOCAL)]
    owner: String,
    #[command(flatten)]
    location: ContextLocation,
    /// Print one JSON object: contextId, owner, creationTime, lastUpdateTime, version, messageCount
    /// and metadata.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, terminal: &Terminal) -> CommandResult {
    if args.owner.is_empty() {
        return Err(CommandError::refused("bad_usage", "--owner is empty").into());
    }
    let mut input = open(&args.file, terminal)?;
    let file = args.location.open()?;
    let import = Import { context_id: args.id.clone(), review: None };
    let head = ProgressDisplay::waiting(terminal, "importing", || {
        file.store.import(&args.owner, &mut *input, import)
    })?;
    file.note(AuditEvent::ContextsImported, &head.owner, &head.context_id)?;
    if args.json {
        terminal.print_json(&to_json(&head))?;
    } else {
        terminal.print_line(&head.context_id)?;
        let messages = counted(head.messages, "message");
        terminal.note(&format!(
            "imported `{}` with {messages}, owned by `{}`",
            head.context_id, head.owner
        ));
    }
    Ok(Exit::Done)
}

fn open(file: &Path, terminal: &Terminal) -> Result<Box<dyn BufRead>, Abort> {
    if !is_stdin(file) {
        let opened = File::open(file).map_err(|error| Abort::read(file, error))?;
        let meta = opened.metadata().map_err(|error| Abort::read(file, error))?;
        if meta.is_dir() {
            return Err(Abort::read(file, io::ErrorKind::IsADirectory.into()));
        }
        return Ok(Box::new(BufReader::new(opened)));
    }
    input::prompt_for("a context", terminal);
    Ok(Box::new(BufReader::new(io::stdin())))
}
