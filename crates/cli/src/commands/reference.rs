//! `contexture ref`: references, from their text to what they name (REF-1 to REF-24).

mod explain;
mod list;
mod load;
mod parse;
mod plan;
mod scan;
mod scope;

pub(crate) use scope::tokens;

use super::Outcome;
use crate::terminal::Terminal;
use clap::Subcommand;

const EXAMPLES: &str = "\
Examples:
  contexture ref parse '@file://a.md?line=5-10'
  contexture ref load '@markdown:file://README.md?section=Contexture&max=200'
  contexture ref list

A shell takes `?`, `!` and `*` for itself: put single quotes around a reference.";

/// Reads, finds, plans, loads and explains references such as @file://a.md.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES, subcommand_required = true, arg_required_else_help = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    Parse(parse::Args),
    Scan(scan::Args),
    Plan(plan::Args),
    Load(load::Args),
    List(list::Args),
    Explain(explain::Args),
}

/// Whether the command was asked for JSON.
pub(crate) fn wants_json(args: &Args) -> bool {
    match &args.action {
        Action::Parse(args) => args.json,
        Action::Scan(args) => args.json,
        Action::Plan(args) => args.json,
        Action::Load(args) => args.json,
        Action::List(args) => args.json,
        Action::Explain(args) => args.json,
    }
}

/// Runs `contexture ref`.
pub(crate) fn run(args: &Args, terminal: &Terminal) -> Outcome {
    match &args.action {
        Action::Parse(args) => parse::run(args, terminal),
        Action::Scan(args) => scan::run(args, terminal),
        Action::Plan(args) => plan::run(args, terminal),
        Action::Load(args) => load::run(args, terminal),
        Action::List(args) => list::run(args, terminal),
        Action::Explain(args) => explain::run(args, terminal),
    }
}
