//! `contexture token revoke`: a token lets nobody in any more.

use super::place::{Place, now, refuse};
use super::show;
use crate::commands::Outcome;
use crate::complaint::Exit;
use crate::terminal::Terminal;
use contexture_server::serve::audit::{Deed, Record};

const EXAMPLES: &str = "\
Examples:
  contexture token add phone && contexture token revoke phone

A server that runs closes the connections that the token opened, within seconds.";

/// Takes a token back, by its name or id.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The token's name, or its id.
    #[arg(value_name = "NAME|ID")]
    token: String,
    #[command(flatten)]
    place: Place,
    /// Print one JSON object: id, name, owner, senders, scopes, created, expires, revoked, state.
    #[arg(long)]
    pub(super) json: bool,
}

/// Runs `contexture token revoke`.
pub(super) fn run(args: &Args, terminal: &Terminal) -> Outcome {
    let entry = args.place.tokens()?.revoke(&args.token).map_err(refuse)?;
    let record = Record::new(Deed::TokenRevoked)
        .with("token", entry.id.as_str())
        .with("name", entry.name.as_str())
        .with("owner", entry.owner.as_str());
    args.place.note(&record)?;
    if args.json {
        terminal.print_json(&entry.to_value(now()))?;
    } else {
        terminal.note(&format!("{} is revoked", show::told(&entry)));
    }
    Ok(Exit::Done)
}
