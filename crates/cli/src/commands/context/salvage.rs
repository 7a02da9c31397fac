//! `contexture context salvage`: what can still be read of a damaged data folder (GU-12).

use super::context_file::DataFolder;
use crate::prelude::*;
use contexture_server::serve::upkeep;

const EXAMPLES: &str = "\
Examples:
  contexture context salvage saved
  contexture context salvage saved-2 --json

Only what is as it was written is taken over. `contexture serve --data DIR` serves the new folder. The
exit code is 1 when something is lost.";

/// Writes what can be read of a damaged data folder into a new one, and lists what is lost.
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
    let salvage = |data: &Path| upkeep::salvage(data, &args.output);
    let saved = args.data.work(terminal, "saving", salvage)?;
    let folder = args.output.display().to_string();
    let contexts = counted(saved.contexts, "context");
    let entries = saved.entries;
    let done = format!("saved {contexts} with {entries} messages and changes in {folder}");
    let lost: Vec<String> = saved.lost.iter().map(ToString::to_string).collect();
    let front = json!({ "folder": folder });
    args.data.print(terminal, front, &saved, (&lost, &[done]))?;
    Ok(if saved.lost.is_empty() { Exit::Done } else { Exit::Failed })
}
