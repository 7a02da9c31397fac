//! `contexture context`: conversations and their states, from the file where they are kept (CP-9 to
//! CP-12).
//!
//! Decision: the commands open the file itself, as whoever may read the folder can. So they work
//! whether or not a server runs, and reach the contexts of all owners.

mod compact;
mod delete;
mod export;
mod fork;
mod import;
mod list;
mod place;
mod show;

use super::family::family;

const EXAMPLES: &str = "\
Examples:
  contexture context list
  contexture context show ctx_weather --messages 2
  contexture context export ctx_weather --output weather.jsonl
  contexture context fork ctx_weather --id ctx_try && contexture context delete ctx_try --yes

Contexts are kept by `contexture serve`, in .contexture/data/contexts.db of the project or in the
folder of --data. All commands work while a server runs.";

family! {
    /// Lists, shows, copies and removes the conversations that `contexture serve` keeps.
    List(list),
    Show(show),
    Export(export),
    Import(import),
    Fork(fork),
    Delete(delete),
    Compact(compact),
}
