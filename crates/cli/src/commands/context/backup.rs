//! `contexture context backup`: a copy of a data folder, while a server runs (GU-12).

use super::context_file::DataFolder;
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
    data: DataFolder,
}

pub(super) fn run(args: &Args, terminal: &Terminal) -> CommandResult {
    let backup = |data: &Path| upkeep::backup(data, &args.output);
    let list = args.data.work(terminal, "copying", backup)?;
    let folder = args.output.display().to_string();
    let contexts = counted(list.contexts, "context");
    let files = counted(list.files.len() as u64, "file");
    let done = format!("copied {contexts} in {files} to {folder}");
    args.data.print(terminal, json!({ "folder": folder }), &list, (&[], &[done]))?;
    Ok(Exit::Done)
}
