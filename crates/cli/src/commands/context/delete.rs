//! `contexture context delete`: contexts with all they hold (CP-10).

use super::place::{Desk, Named, Place, refuse};
use crate::columns::counted;
use crate::commands::Outcome;
use crate::complaint::{Complaint, Exit, Stop};
use crate::paint::one_line;
use crate::terminal::Terminal;
use contexture::store::contexts::{ContextError, ContextStore as _};
use contexture_server::serve::audit::Deed;
use serde_json::json;

const EXAMPLES: &str = "\
Examples:
  contexture context delete ctx_weather --yes

A message that was here before does not bring a context back. An export keeps a copy.";

/// Removes contexts with their messages and states. A terminal is asked first.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The contexts.
    #[arg(required = true, value_name = "ID")]
    ids: Vec<String>,
    /// Whose they are; else whoever's they are.
    #[arg(long, value_name = "NAME")]
    owner: Option<String>,
    /// Do not ask.
    #[arg(long, short)]
    yes: bool,
    #[command(flatten)]
    place: Place,
    /// Print one JSON object: deleted, the ids.
    #[arg(long)]
    pub(super) json: bool,
}

/// Runs `contexture context delete`.
pub(super) fn run(args: &Args, terminal: &Terminal) -> Outcome {
    let Some(first) = args.ids.first() else { return Ok(Exit::Done) };
    let (desk, named) = args.place.find(first, args.owner.as_deref())?;
    let mut all = vec![named];
    // One that is not there keeps the others from being removed.
    for id in args.ids.iter().skip(1).filter(|id| *id != first) {
        if all.iter().all(|known| known.id != *id) {
            all.push(desk.named(id, args.owner.as_deref())?);
        }
    }
    if !args.yes && !is_agreed(&desk, &all, terminal)? {
        let complaint = Complaint::failed("not_deleted", "nothing was deleted");
        return Err(complaint.into());
    }
    for named in &all {
        match desk.store.delete(named.key()) {
            // Somebody else was faster.
            Ok(()) | Err(ContextError::NotFound(_)) => {
                desk.note(Deed::Deleted, &named.owner, &named.id)?;
            }
            Err(error) => return Err(refuse(&error)),
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

/// Asks whoever sits at the terminal.
fn is_agreed(desk: &Desk, all: &[Named], terminal: &Terminal) -> Result<bool, Stop> {
    if !terminal.is_answered() {
        return Err(Complaint::refused("not_confirmed", "nobody is there to be asked")
            .help("--yes deletes without asking")
            .into());
    }
    for named in all {
        let head = desk.store.head(named.key()).map_err(|error| refuse(&error))?;
        let (id, owner) = (one_line(&named.id), one_line(&named.owner));
        terminal.say(&format!("{id}  {owner}  {}", counted(head.messages, "message")));
    }
    let what = if all.len() == 1 { "this context" } else { "these contexts" };
    Ok(terminal.says_yes(&format!("Delete {what} for good? [y/N] ")))
}
