//! `contexture context backup`: a copy of a data folder, while a server runs (GU-12).

use super::context_file::{ContextLocation, extend};
use crate::output::progress::ProgressDisplay;
use crate::prelude::*;
use contexture_server::serve::upkeep;

const EXAMPLES: &str = "\
Examples:
  contexture context backup backup-1
  contexture context backup backup-2 --json

The folder has the contexts, the journal of flows, the tokens and the audit log as they were at one
moment, and backup.json with their digests. Only its owner can read it. Keep it safe: what is not
sealed stands there in plain text.";

/// Copies all that a server keeps into a new folder, while it runs.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The new folder.
    #[arg(value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    output: PathBuf,
    #[command(flatten)]
    location: ContextLocation,
    /// Print one JSON object: folder, createdAt, contexts and files, each with name, bytes and digest.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, terminal: &Terminal) -> CommandResult {
    let data = args.location.folder()?;
    let list =
        ProgressDisplay::waiting(terminal, "copying", || upkeep::backup(&data, &args.output))?;
    let folder = args.output.display().to_string();
    if args.json {
        let mut value = json!({ "folder": folder });
        extend(&mut value, &list);
        terminal.print_json(&value)?;
    } else {
        let contexts = counted(list.contexts, "context");
        let files = counted(list.files.len() as u64, "file");
        terminal.note(&format!("copied {contexts} in {files} to {folder}"));
    }
    Ok(Exit::Done)
}
