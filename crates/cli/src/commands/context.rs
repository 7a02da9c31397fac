//! `contexture context`: stored conversations and their states (CP-9 to CP-12).
//!
//! Decision: the commands open the file itself, as everybody with access to the folder can. So they
//! work with and without a running server, and see the contexts of all owners.

mod backup;
mod compact;
mod context_file;
mod delete;
mod export;
mod fork;
mod import;
mod list;
mod restore;
mod salvage;
mod show;
mod transcript;
mod verify;

use super::command_group::command_group;

const EXAMPLES: &str = "\
Examples:
  contexture context list
  contexture context show ctx_weather --messages 2
  contexture context export ctx_weather --output weather.jsonl
  contexture context fork ctx_weather --id ctx_try && contexture context delete ctx_try --yes

`contexture serve` stores contexts in .contexture/data/contexts.db of the project, or in the folder
of --data. All commands but restore and salvage work while a server runs.";

command_group! {
    /// Lists, shows, copies and deletes the conversations of `contexture serve`, checks and backs up all.
    List(list),
    Show(show),
    Export(export),
    Import(import),
    Fork(fork),
    Delete(delete),
    Compact(compact),
    Verify(verify),
    Backup(backup),
    Restore(restore),
    Salvage(salvage),
}
