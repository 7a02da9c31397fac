//! `contexture context salvage`: what can still be read of a damaged data folder (GU-12).

use super::context_file::{ContextLocation, extend};
use crate::output::progress::ProgressDisplay;
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
    location: ContextLocation,
    /// Print one JSON object: folder, contexts, entries and lost.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, terminal: &Terminal) -> CommandResult {
    let data = args.location.folder()?;
    let saved =
        ProgressDisplay::waiting(terminal, "saving", || upkeep::salvage(&data, &args.output))?;
    let folder = args.output.display().to_string();
    if args.json {
        let mut value = json!({ "folder": folder });
        extend(&mut value, &saved);
        terminal.print_json(&value)?;
    } else {
        for lost in &saved.lost {
            terminal.print_line(&one_line(&lost.to_string()))?;
        }
        let contexts = counted(saved.contexts, "context");
        let entries = format!("{} messages and changes", saved.entries);
        terminal.note(&format!("saved {contexts} with {entries} in {folder}"));
    }
    Ok(if saved.lost.is_empty() { Exit::Done } else { Exit::Failed })
}
