//! `contexture eval record`: cases and examples made of kept runs (EV-7, EV-10).

use crate::prelude::*;
use contexture::eval::{case_of, example_of};
use contexture::inspect::Kept;
use contexture::store::runs::select;

const EXAMPLES: &str = "\
Examples:
  contexture eval record latest
  contexture eval record latest~1 latest > cases.jsonl
  contexture eval record --examples latest~1 latest > examples.json

Each run becomes a line of a file of cases: its input, the answers of its models, and its value as what
is expected. With --examples all become one list of inputs with their outputs, for a program that shows
some of them: `use best 3 of Examples for input.question`. Secrets are masked as in the record.";

/// Makes cases of kept runs, one JSON object a line, or examples, one JSON list.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The runs: ids, beginnings or ends of ids, `latest`, or `latest~1` for the run before.
    #[arg(value_name = "RUN", required = true)]
    runs: Vec<String>,
    /// Print one JSON list of inputs with their outputs.
    #[arg(long)]
    examples: bool,
    #[command(flatten)]
    workspace: Workspace,
}

pub(super) fn run(args: &Args, terminal: &Terminal) -> CommandResult {
    let project = args.workspace.open()?;
    let store = contexture::runs(&project);
    let mut examples = Vec::new();
    for asked in &args.runs {
        let id = select(&*store, asked)?;
        let log = store.load(&id).map_err(|error| {
            let help = error.help();
            Abort::from(CommandError::refused(error.code(), error.to_string()).help(help))
        })?;
        let kept = Kept { store: &*store, log: &log };
        let made = if args.examples { example_of(kept) } else { case_of(kept) };
        let made = made.map_err(|error| {
            let help = "name runs that ended with a value, and whose models answered with texts";
            Abort::from(CommandError::failed("no_case", error.to_string()).help(help))
        })?;
        match args.examples {
            true => examples.push(made),
            false => terminal.print_json(&made)?,
        }
    }
    if args.examples {
        terminal.print_json(&examples)?;
    }
    Ok(Exit::Done)
}
