//! The `contexture` command line: it reads arguments, calls the façade and prints the result.
//!
//! Decision: no logic lives here. Four layers, each of which uses only those below: `dispatch` with
//! the root of the `arguments`; `commands`, one file per command with its arguments, its examples
//! (shown by `--help` and run by the tests) and the few lines that turn a library's answer into
//! text or JSON; `support`, what commands share; `output`, what they print. `prelude` names what
//! nearly every command uses of the last two. Results go to stdout,
//! messages to stderr. Exit code 0: done; 1: the program failed, or a check found errors; 2: wrong
//! usage, source or input (AS-31).

#![cfg_attr(
    not(all(feature = "flow", feature = "knowledge", feature = "mcp", feature = "server")),
    allow(dead_code, unused_imports, reason = "commands that are left out use it")
)]
#![allow(
    rustdoc::bare_urls,
    rustdoc::broken_intra_doc_links,
    reason = "docs of arguments are the help that a terminal shows"
)]

mod arguments;
mod commands;
mod dispatch;
mod output;
mod prelude;
mod support;

use std::process::ExitCode;

fn main() -> ExitCode {
    dispatch::main(std::env::args_os().collect())
}
