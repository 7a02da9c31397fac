//! The `contexture` command line: it reads arguments, calls the façade, and talks.
//!
//! Decision: no logic lives here. Every command is one file of `commands/` that holds its
//! arguments, its examples (shown by `--help` and run by the tests) and the few lines that turn a
//! library's answer into text or JSON. Results go to stdout, talk goes to stderr, and the exit
//! code says whose fault it was: 0 done, 1 the program (or the check asked for) failed, 2 bad
//! usage, source or input (AS-31).

mod args;
mod columns;
mod commands;
mod complaint;
mod faults;
mod input;
mod paint;
mod terminal;
mod workspace;

use std::process::ExitCode;

fn main() -> ExitCode {
    commands::main(std::env::args_os().collect())
}
