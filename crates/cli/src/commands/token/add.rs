//! `contexture token add`: a new token, shown once.

use super::place::{Place, now, refuse};
use super::show;
use crate::commands::Outcome;
use crate::complaint::Exit;
use crate::terminal::Terminal;
use contexture_server::serve::audit::{Deed, Record};
use contexture_server::serve::tokens::{NewToken, Scopes, Senders, expiry, scopes, senders};
use serde_json::{Value, json};

const EXAMPLES: &str = "\
Examples:
  contexture token add phone
  contexture token add reporter --owner ann --scope read --expires 30d
  contexture token add robot --sender USER,MODEL --json

The token goes to stdout, all else to stderr. It can't be shown again: only its digest is kept.";

/// Makes a token and prints it, once.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// What the token is called: letters, digits and `-_.@`.
    #[arg(value_name = "NAME")]
    name: String,
    /// Whose contexts it reaches; several tokens may have one owner. [default: NAME]
    #[arg(long, value_name = "NAME")]
    owner: Option<String>,
    /// The sender types of messages that it may send: USER, MODEL, SYSTEM, TOOL.
    #[arg(long, value_name = "TYPE,…", default_value = "USER", value_parser = senders)]
    sender: Senders,
    /// What it may do: read contexts, write them, have agents run.
    #[arg(long, value_name = "SCOPE,…", default_value = "read,write,run", value_parser = scopes)]
    scope: Scopes,
    /// When it expires: a span such as 30d, 12h or 45m, or a time such as 2027-01-31T00:00:00Z.
    #[arg(long, value_name = "WHEN", value_parser = until)]
    expires: Option<u64>,
    #[command(flatten)]
    place: Place,
    /// Print one JSON object: token, and id, name, owner, senders, scopes, created, expires, state.
    #[arg(long)]
    pub(super) json: bool,
}

fn until(text: &str) -> Result<u64, String> {
    expiry(text, now())
}

/// Runs `contexture token add`.
pub(super) fn run(args: &Args, terminal: &Terminal) -> Outcome {
    let new = NewToken {
        owner: args.owner.clone(),
        senders: args.sender,
        scopes: args.scope,
        expires: args.expires,
        ..NewToken::new(&args.name)
    };
    let (entry, secret) = args.place.tokens()?.add(new).map_err(refuse)?;
    let record = Record::new(Deed::TokenAdded)
        .with("token", entry.id.as_str())
        .with("name", entry.name.as_str())
        .with("owner", entry.owner.as_str());
    args.place.note(&record)?;
    if args.json {
        let mut told = json!({ "token": secret.expose() });
        if let (Value::Object(told), Value::Object(entry)) = (&mut told, entry.to_value(now())) {
            told.extend(entry);
        }
        terminal.print_json(&told)?;
    } else {
        terminal.note(&format!("{}: it is not shown again", show::told(&entry)));
        terminal.print_line(secret.expose())?;
    }
    Ok(Exit::Done)
}
