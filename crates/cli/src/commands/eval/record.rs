//! `contexture eval record`: cases made of kept runs (EV-7).

use crate::prelude::*;
use contexture::eval::case_of;
use contexture::inspect::Kept;
use contexture::store::runs::select;

const EXAMPLES: &str = "\
Examples:
  contexture eval record latest
  contexture eval record latest~1 latest > cases.jsonl

Each run becomes a line of a file of cases: its input, the answers of its models, and its value as what
is expected. Secrets are masked as in the record.";

/// Makes cases of kept runs, one JSON object a line.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The runs: ids, beginnings or ends of ids, `latest`, or `latest~1` for the run before.
    #[arg(value_name = "RUN", required = true)]
    runs: Vec<String>,
    #[command(flatten)]
    workspace: Workspace,
}

pub(super) fn run(args: &Args, terminal: &Terminal) -> CommandResult {
    let project = args.workspace.open()?;
    let store = contexture::runs(&project);
    for asked in &args.runs {
        let id = select(&*store, asked)?;
        let log = store.load(&id).map_err(|error| {
            let help = error.help();
            Abort::from(CommandError::refused(error.code(), error.to_string()).help(help))
        })?;
        let case = case_of(Kept { store: &*store, log: &log }).map_err(|error| {
            let help = "name runs that ended with a value, and whose models answered with texts";
            Abort::from(CommandError::failed("no_case", error.to_string()).help(help))
        })?;
        terminal.print_json(&case)?;
    }
    Ok(Exit::Done)
}
