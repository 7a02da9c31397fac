//! `contexture context restore`: puts a backup into the place of a data folder (GU-12).

use super::context_file::DataFolder;
use crate::prelude::*;
use contexture_server::Fault;
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
    data: DataFolder,
}

pub(super) fn run(args: &Args, terminal: &Terminal) -> CommandResult {
    let (folder, restored) = args.data.work(terminal, "restoring", |data| {
        let restored = upkeep::restore(&args.backup, data, args.force)?;
        Ok::<_, Fault>((data.display().to_string(), restored))
    })?;
    let contexts = counted(restored.backup.contexts, "context");
    let created = &restored.backup.created_at;
    let mut done = vec![format!("restored {contexts} of {created} to {folder}")];
    let earlier = restored.earlier.map(|path| path.display().to_string());
    done.extend(earlier.iter().map(|earlier| format!("the earlier folder is {earlier}")));
    let front = json!({ "folder": folder, "earlier": earlier });
    args.data.print(terminal, front, &restored.backup, (&[], &done))?;
    Ok(Exit::Done)
}
