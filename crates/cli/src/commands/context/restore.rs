//! `contexture context restore`: puts a backup into the place of a data folder (GU-12).

use super::context_file::{ContextLocation, extend};
use crate::output::progress::ProgressDisplay;
use crate::prelude::*;
use contexture_server::serve::upkeep;

const EXAMPLES: &str = "\
Examples:
  contexture context backup backup-3 && contexture context restore backup-3 --data restored
  contexture context restore backup-3 --data restored --force --json

All digests are checked before the folder is put into its place, whole or not at all. With --force an
earlier folder is kept beside it, under another name.";

/// Restores a backup, which no server may use meanwhile.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The folder of the backup.
    #[arg(value_name = "BACKUP", value_hint = clap::ValueHint::DirPath)]
    backup: PathBuf,
    /// Take the place of a folder that is not empty.
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    location: ContextLocation,
    /// Print one JSON object: folder, earlier, createdAt, contexts and files.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, terminal: &Terminal) -> CommandResult {
    let data = args.location.folder()?;
    let restored = ProgressDisplay::waiting(terminal, "restoring", || {
        upkeep::restore(&args.backup, &data, args.force)
    })?;
    let folder = data.display().to_string();
    let earlier = restored.earlier.map(|path| path.display().to_string());
    if args.json {
        let mut value = json!({ "folder": folder, "earlier": earlier });
        extend(&mut value, &restored.backup);
        terminal.print_json(&value)?;
    } else {
        let contexts = counted(restored.backup.contexts, "context");
        let created = restored.backup.created_at;
        terminal.note(&format!("restored {contexts} of {created} to {folder}"));
        if let Some(earlier) = earlier {
            terminal.note(&format!("the earlier folder is {earlier}"));
        }
    }
    Ok(Exit::Done)
}
