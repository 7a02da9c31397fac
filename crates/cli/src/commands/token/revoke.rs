//! `contexture token revoke`: ends the access of a token.

use super::table;
use super::token_file::{TokenLocation, now};
use crate::prelude::*;
use contexture_server::serve::audit::{AuditEvent, AuditRecord};

const EXAMPLES: &str = "\
Examples:
  contexture token add phone && contexture token revoke phone

A running server closes the connections of the token within seconds.";

/// Revokes a token by its name or id.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The name or id of the token.
    #[arg(value_name = "NAME|ID")]
    token: String,
    #[command(flatten)]
    location: TokenLocation,
    /// Print one JSON object: id, name, owner, senders, scopes, created, expires, revoked, state.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, terminal: &Terminal) -> CommandResult {
    let entry = args.location.tokens()?.revoke(&args.token)?;
    let record = AuditRecord::new(AuditEvent::TokenRevoked)
        .with("token", entry.id.as_str())
        .with("name", entry.name.as_str())
        .with("owner", entry.owner.as_str());
    args.location.note(&record)?;
    if args.json {
        terminal.print_json(&entry.to_value(now()))?;
    } else {
        terminal.note(&format!("{} is revoked", table::name_of(&entry)));
    }
    Ok(Exit::Done)
}
