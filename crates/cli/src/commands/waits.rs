//! `contexture waits`: calls and questions that wait for clients (WA-1).
//!
//! Decision: the commands open the file itself, as `contexture context` does: a running server finds
//! an answer within a moment, the next one at its start.

mod answer;
mod cancel;
mod list;
mod wait_file;

use super::command_group::command_group;

const EXAMPLES: &str = "\
Examples:
  contexture waits list
  contexture waits list --json

`contexture waits answer pick '{\"status\": \"SUCCESS\", \"result\": 1}'` answers the call `pick`.
A call waits in .contexture/data/flows.db of the project, or in the folder of --data, until its
answer comes or its time is over, also while no server runs.";

command_group! {
    /// Lists, answers and cancels what `contexture serve` waits for.
    List(list),
    Answer(answer),
    Cancel(cancel),
}
