//! `contexture context delete`: deletes contexts (CP-10).

use super::context_file::{ContextFile, ContextLocation, ContextRef};
use crate::prelude::*;
use contexture::store::contexts::ContextError;
use contexture_server::serve::audit::AuditEvent;

const EXAMPLES: &str = "\
Examples:
  contexture context delete ctx_weather --yes

A message of the past does not restore a context. `contexture context export` keeps a copy.";

/// Deletes contexts with their messages and states, after a question at a terminal.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The contexts.
    #[arg(required = true, value_name = "ID")]
    ids: Vec<String>,
    /// The owner; needed when several owners have this id.
    #[arg(long, value_name = "NAME")]
    owner: Option<String>,
    /// Delete without asking.
    #[arg(long, short)]
    yes: bool,
    #[command(flatten)]
    location: ContextLocation,
    /// Print one JSON object: deleted, the ids.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, terminal: &Terminal) -> CommandResult {
    let Some(first) = args.ids.first() else { return Ok(Exit::Done) };
    let (file, named) = args.location.find(first, args.owner.as_deref())?;
    let mut all = vec![named];
    // An unknown context prevents the deletion of the others.
    for id in args.ids.iter().skip(1).filter(|id| *id != first) {
        if all.iter().all(|known| known.id != *id) {
            all.push(file.named(id, args.owner.as_deref())?);
        }
    }
    if !args.yes && !is_confirmed(&file, &all, terminal)? {
        return Err(CommandError::failed("not_deleted", "nothing was deleted").into());
    }
    for named in &all {
        match file.store.delete(named.key()) {
            // Another process has deleted it.
            Ok(()) | Err(ContextError::NotFound(_)) => {
                file.note(AuditEvent::ContextDeleted, &named.owner, &named.id)?;
            }
            Err(error) => return Err(error.into()),
        }
    }
    if args.json {
        let ids: Vec<&str> = all.iter().map(|named| named.id.as_str()).collect();
        terminal.print_json(&json!({ "deleted": ids }))?;
    } else {
        terminal.note(&format!("{} deleted", counted(all.len() as u64, "context")));
    }
    Ok(Exit::Done)
}

/// Asks a person at the terminal.
fn is_confirmed(
    file: &ContextFile,
    all: &[ContextRef],
    terminal: &Terminal,
) -> Result<bool, Abort> {
    if !terminal.is_interactive() {
        return Err(CommandError::refused("not_confirmed", "no terminal to ask for confirmation")
            .help("--yes deletes without asking")
            .into());
    }
    for named in all {
        let head = file.store.head(named.key())?;
        let (id, owner) = (one_line(&named.id), one_line(&named.owner));
        terminal.say(&format!("{id}  {owner}  {}", counted(head.messages, "message")));
    }
    let what = if all.len() == 1 { "this context" } else { "these contexts" };
    Ok(terminal.confirm(&format!("Permanently delete {what}? [y/N] ")))
}
