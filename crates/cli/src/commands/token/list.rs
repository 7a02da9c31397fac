//! `contexture token list`: all tokens, without their secrets.

use super::table;
use super::token_file::{TokenLocation, now};
use crate::prelude::*;
use contexture_server::serve::tokens::{Entry, Standing};

const EXAMPLES: &str = "\
Examples:
  contexture token list
  contexture token list --all --json";

/// Lists tokens with their owners, permissions and states.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// Also list revoked tokens.
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    location: TokenLocation,
    /// Print one JSON object: tokens, each with id, name, owner, senders, scopes, created, expires,
    /// revoked and state.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, terminal: &Terminal) -> CommandResult {
    let now = now();
    let mut tokens = args.location.tokens()?.list()?;
    tokens.retain(|token: &Entry| args.all || token.standing(now) != Standing::Revoked);
    if args.json {
        let tokens: Vec<Value> = tokens.iter().map(|token| token.to_value(now)).collect();
        terminal.print_json(&json!({ "tokens": tokens }))?;
    } else if tokens.is_empty() {
        terminal.note("no tokens; `contexture token add NAME` creates one");
    } else {
        terminal.print(&table::table(&tokens, now, terminal.out))?;
    }
    Ok(Exit::Done)
}
