//! `contexture token add`: a new token, shown once.

use super::table;
use super::token_file::{TokenLocation, now};
use crate::prelude::*;
use crate::support::values::{dollars, tokens};
use contexture::llm::SpendLimit;
use contexture::ports::profile::Money;
use contexture_server::serve::audit::{AuditEvent, AuditRecord};
use contexture_server::serve::tokens::{NewToken, Scopes, Senders, expiry, scopes, senders};

const EXAMPLES: &str = "\
Examples:
  contexture token add phone
  contexture token add reporter --owner ann --scope read --expires 30d
  contexture token add robot --sender USER,MODEL --max-cost 5 --json

The token goes to stdout, everything else to stderr. It can't be shown again: only its digest is
stored.";

/// Creates a token and prints it once.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The name of the token: letters, digits and `-_.@`.
    #[arg(value_name = "NAME")]
    name: String,
    /// The owner of the contexts that it can access; several tokens may share an owner [default:
    /// NAME].
    #[arg(long, value_name = "NAME")]
    owner: Option<String>,
    /// The sender types of the messages that it may send: USER, MODEL, SYSTEM, TOOL.
    #[arg(long, value_name = "TYPE,…", default_value = "USER", value_parser = senders)]
    sender: Senders,
    /// Its permissions: read contexts, write contexts, run agents, inspect the records of all runs.
    #[arg(long, value_name = "SCOPE,…", default_value = "read,write,run", value_parser = scopes)]
    scope: Scopes,
    /// The expiry: a duration such as 30d, 12h or 45m, or a time such as 2027-01-31T00:00:00Z.
    #[arg(long, value_name = "WHEN", value_parser = until)]
    expires: Option<u64>,
    /// The dollars that its model calls may cost together.
    #[arg(long, value_name = "DOLLARS", value_parser = dollars, allow_negative_numbers = true)]
    max_cost: Option<Money>,
    /// The tokens that its model calls may take together, such as 200k.
    #[arg(long, value_name = "N", value_parser = tokens, allow_negative_numbers = true)]
    max_tokens: Option<u64>,
    #[command(flatten)]
    location: TokenLocation,
    /// Print one JSON object: token, and id, name, owner, senders, scopes, limits, created, expires,
    /// state.
    #[arg(long)]
    json: bool,
}

fn until(text: &str) -> Result<u64, String> {
    expiry(text, now())
}

pub(super) fn run(args: &Args, terminal: &Terminal) -> CommandResult {
    let new = NewToken {
        owner: args.owner.clone(),
        senders: args.sender.clone(),
        scopes: args.scope.clone(),
        spend: SpendLimit { money: args.max_cost, tokens: args.max_tokens, calls: None },
        expires: args.expires,
        ..NewToken::new(&args.name)
    };
    let (entry, secret) = args.location.tokens()?.add(new)?;
    let record = AuditRecord::new(AuditEvent::TokenAdded)
        .with("token", entry.id.as_str())
        .with("name", entry.name.as_str())
        .with("owner", entry.owner.as_str());
    args.location.note(&record)?;
    if args.json {
        let mut value = json!({ "token": secret.expose() });
        if let (Value::Object(value), Value::Object(entry)) = (&mut value, entry.to_value(now())) {
            value.extend(entry);
        }
        terminal.print_json(&value)?;
    } else {
        terminal.note(&format!("{}: it is shown only once", table::name_of(&entry)));
        terminal.print_line(secret.expose())?;
    }
    Ok(Exit::Done)
}
