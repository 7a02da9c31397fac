//! `contexture context export`: a context as JSON lines (CP-10).

use super::context_file::ContextLocation;
use crate::output::progress::ProgressDisplay;
use crate::output::terminal::written;
use crate::prelude::*;
use crate::support::new_file::{NewFile, Watched};
use contexture_server::serve::audit::AuditEvent;
use std::io;

const EXAMPLES: &str = "\
Examples:
  contexture context export ctx_weather > weather.jsonl
  contexture context export ctx_weather --output copy.jsonl --json

The first line is the context with its state, each further line a message. Sealed fields are written
in plain text.";

/// Writes a context with its messages as JSON lines, for `context import`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The context.
    #[arg(value_name = "ID")]
    id: String,
    /// The owner; needed when several owners have this id.
    #[arg(long, value_name = "NAME")]
    owner: Option<String>,
    /// Write to this file instead of stdout.
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    output: Option<PathBuf>,
    /// Replace an existing file.
    #[arg(long, requires = "output")]
    force: bool,
    #[command(flatten)]
    location: ContextLocation,
    /// Print one JSON object about the file: contextId, file and messages.
    #[arg(long, requires = "output")]
    json: bool,
}

pub(super) fn run(args: &Args, terminal: &Terminal) -> CommandResult {
    let (file, named) = args.location.find(&args.id, args.owner.as_deref())?;
    file.note(AuditEvent::ContextsExported, &named.owner, &named.id)?;
    let Some(output) = &args.output else {
        let mut out = Watched::new(io::stdout().lock());
        let done = file.store.export(named.key(), &mut out);
        return match (done, out.fault) {
            (Err(_), Some(fault)) => written(Err(fault)).map(|()| Exit::Done),
            (Err(error), None) => Err(error.into()),
            (Ok(_), _) => Ok(Exit::Done),
        };
    };
    let target = NewFile::create(output, args.force)?;
    let count = ProgressDisplay::waiting(terminal, "exporting", || {
        target.fill(|out| file.store.export(named.key(), out))
    })?;
    let name = output.display().to_string();
    if args.json {
        terminal.print_json(&json!({ "contextId": named.id, "file": name, "messages": count }))?;
    } else {
        let messages = counted(count, "message");
        terminal.note(&format!("exported `{}` with {messages} to {name}", named.id));
    }
    Ok(Exit::Done)
}
