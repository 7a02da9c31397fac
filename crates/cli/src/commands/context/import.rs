//! `contexture context import`: a context from JSON lines (CP-9, CP-10).

use super::list::to_json;
use super::place::{LOCAL, Place, refuse};
use crate::columns::counted;
use crate::commands::Outcome;
use crate::commands::run::Screen;
use crate::complaint::{Complaint, Exit, Stop};
use crate::input::is_stdin;
use crate::terminal::Terminal;
use contexture::store::contexts::{ContextStore as _, Import};
use contexture_server::serve::audit::Deed;
use std::fs::File;
use std::io::{self, BufRead, BufReader, IsTerminal as _};
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  contexture context import examples/serve/conversation.jsonl --id ctx_yesterday
  contexture context import --id ctx_older --owner ada --json < examples/serve/conversation.jsonl

Everything is looked at before anything is kept. A message needs messageId, type and content.";

/// Takes in what `context export` wrote, or a context as one JSON object.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The file; `-` is stdin.
    #[arg(value_name = "FILE", default_value = "-", value_hint = clap::ValueHint::FilePath)]
    file: PathBuf,
    /// The id that the context gets. [default: the one in the file, else a new one]
    #[arg(long, value_name = "ID")]
    id: Option<String>,
    /// Whose it becomes.
    #[arg(long, value_name = "NAME", default_value = LOCAL)]
    owner: String,
    #[command(flatten)]
    place: Place,
    /// Print one JSON object: contextId, owner, creationTime, lastUpdateTime, version, messageCount
    /// and metadata.
    #[arg(long)]
    pub(super) json: bool,
}

/// Runs `contexture context import`.
pub(super) fn run(args: &Args, terminal: &Terminal) -> Outcome {
    if args.owner.is_empty() {
        return Err(Complaint::refused("bad_usage", "--owner: the name is empty").into());
    }
    let mut input = open(&args.file, terminal)?;
    let desk = args.place.open()?;
    let import = Import { context_id: args.id.clone(), review: None };
    let head = Screen::waiting(terminal, "importing", || {
        desk.store.import(&args.owner, &mut *input, import).map_err(|error| refuse(&error))
    })?;
    desk.note(Deed::Imported, &head.owner, &head.context_id)?;
    if args.json {
        terminal.print_json(&to_json(&head))?;
    } else {
        terminal.print_line(&head.context_id)?;
        let messages = counted(head.messages, "message");
        terminal.note(&format!("`{}` has {messages}, and is `{}`'s", head.context_id, head.owner));
    }
    Ok(Exit::Done)
}

fn open(file: &Path, terminal: &Terminal) -> Result<Box<dyn BufRead>, Stop> {
    if !is_stdin(file) {
        let opened = File::open(file).map_err(|error| Stop::read(file, error))?;
        let meta = opened.metadata().map_err(|error| Stop::read(file, error))?;
        if meta.is_dir() {
            return Err(Stop::read(file, io::ErrorKind::IsADirectory.into()));
        }
        return Ok(Box::new(BufReader::new(opened)));
    }
    if io::stdin().is_terminal() {
        terminal.note("reading a context from the terminal; end it with Ctrl-D");
    }
    Ok(Box::new(BufReader::new(io::stdin())))
}
