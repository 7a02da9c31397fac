//! `contexture flow`: instruction sets and tool calls, checked, drawn and run (FL-1 to FL-13).
//!
//! Decision: a set is a file in the protocol's own form, so that what a model or a server sends is
//! run from the command line as it is. A run is kept by default: that is what makes it possible to
//! go on with it after a crash.

mod ask;
mod bars;
mod board;
mod cancel;
mod check;
mod document;
mod ending;
mod eval;
mod graph;
mod list;
mod means;
mod outcomes;
mod pause;
mod place;
mod prune;
mod report;
mod resume;
mod run;
mod show;
mod table;

use super::Outcome;
use super::family::{family, never};

const EXAMPLES: &str = "\
Examples:
  contexture flow check examples/flows/branches.json
  contexture flow graph examples/flows/branches.json
  contexture flow run examples/flows/branches.json
  contexture flow eval 'size(\"two\") == 3'

A set is an INSTRUCTION or TOOL_CALL_REQUEST message, {type, content}, or the content alone with
`instructions`, `calls` or `toolCalls`. Runs are kept in .contexture/data/flows.db of the project.";

family! {
    /// Runs sets of instructions and tool calls that depend on each other.
    Run(run),
    Check(check),
    Eval(eval),
    Graph(graph, never),
    List(list),
    Show(show),
    Pause(pause, pause::Args::wants_json),
    Resume(resume, resume::Args::wants_json),
    Cancel(cancel, cancel::Args::wants_json),
    Prune(prune),
}
