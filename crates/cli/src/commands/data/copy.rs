//! `contexture data copy`: from files to a database, and back (WA-11).

use crate::output::progress::ProgressDisplay;
use crate::prelude::*;
use contexture_server::serve::{Place, upkeep};

const EXAMPLES: &str = "\
Examples:
  contexture data copy .contexture/data sqlite:copy-1
  contexture data copy .contexture/data copy-2 --json

`contexture data copy .contexture/data postgres://ann@db/app` moves to a database, which several
servers can share, and with both places swapped back to files. No server may work on either place.
Contexts with their histories, answers, runs of sets, what waits, journals of turns and tokens are
copied, whole or not at all; FROM stays as it is.";

/// Copies all that a server keeps into an empty place.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The place that is copied: a folder, sqlite:FOLDER or postgres://…
    #[arg(value_name = "FROM", value_hint = clap::ValueHint::DirPath)]
    from: PathBuf,
    /// The empty place that is filled: a folder, sqlite:FOLDER or postgres://…
    #[arg(value_name = "TO", value_hint = clap::ValueHint::DirPath)]
    to: PathBuf,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    workspace: Workspace,
}

pub(super) fn run(args: &Args, terminal: &Terminal) -> CommandResult {
    let project = args.workspace.open()?;
    let from = Place::of(&project, Some(&args.from))?;
    let to = Place::of(&project, Some(&args.to))?;
    let counts =
        ProgressDisplay::waiting(terminal, "copying", || upkeep::transfer(&project, &from, &to))?;
    if args.json {
        terminal.print_json(&json!(counts))?;
        return Ok(Exit::Done);
    }
    terminal.note(&format!(
        "copied {}, {}, {} and {}",
        counted(counts.contexts, "context"),
        counted(counts.runs, "run"),
        counted(counts.waits, "wait"),
        counted(counts.journals, "journal")
    ));
    Ok(Exit::Done)
}
