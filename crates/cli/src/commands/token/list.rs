//! `contexture token list`: all tokens, but for the tokens themselves.

use super::place::{Place, now, refuse};
use super::show;
use crate::commands::Outcome;
use crate::complaint::Exit;
use crate::terminal::Terminal;
use contexture_server::serve::tokens::{Entry, Standing};
use serde_json::{Value, json};

const EXAMPLES: &str = "\
Examples:
  contexture token list
  contexture token list --all --json";

/// Lists tokens: who they are for, what they may do, and whether they let in.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// Show tokens that were revoked, too.
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    place: Place,
    /// Print one JSON object: tokens, each with id, name, owner, senders, scopes, created, expires,
    /// revoked and state.
    #[arg(long)]
    pub(super) json: bool,
}

/// Runs `contexture token list`.
pub(super) fn run(args: &Args, terminal: &Terminal) -> Outcome {
    let now = now();
    let mut tokens = args.place.tokens()?.list().map_err(refuse)?;
    tokens.retain(|token: &Entry| args.all || token.standing(now) != Standing::Revoked);
    if args.json {
        let tokens: Vec<Value> = tokens.iter().map(|token| token.to_value(now)).collect();
        terminal.print_json(&json!({ "tokens": tokens }))?;
    } else if tokens.is_empty() {
        terminal.note("no tokens; `contexture token add NAME` makes one");
    } else {
        terminal.print(&show::table(&tokens, now, terminal.out))?;
    }
    Ok(Exit::Done)
}
