//! `contexture flow`: instruction sets and tool calls: check, draw and run them (FL-1 to FL-13).
//!
//! Decision: a set is a file in the form of the protocol, so that the command line runs what a model
//! or a server sends without conversion. A run is stored by default, so that it can be resumed after
//! a crash.

mod bars;
mod cancel;
mod check;
mod control;
mod eval;
mod graph;
mod list;
mod live_board;
mod live_table;
mod pause;
mod program;
mod progress_lines;
mod prune;
mod report_file;
mod report_json;
mod resume;
mod run;
mod run_args;
mod run_options;
mod runner;
mod set_file;
mod show;
mod stored_runs;
mod summary;
mod table;

use super::command_group::command_group;
pub(crate) use stored_runs::{FlowLocation, StoredRun};

const EXAMPLES: &str = "\
Examples:
  contexture flow check examples/flows/branches.json
  contexture flow graph examples/flows/branches.json
  contexture flow run examples/flows/branches.json
  contexture flow eval 'size(\"two\") == 3'

A set is an INSTRUCTION or TOOL_CALL_REQUEST message, {type, content}, or only its content with
`instructions`, `calls` or `toolCalls`. Runs are stored in .contexture/data/flows.db of the project.";

command_group! {
    /// Runs sets of dependent instructions and tool calls.
    Run(run),
    Check(check),
    Eval(eval),
    Graph(graph),
    List(list),
    Show(show),
    Pause(pause),
    Resume(resume),
    Cancel(cancel),
    Prune(prune),
}
