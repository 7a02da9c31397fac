//! `contexture types`: typed clients of a program's entries (TY-12).

mod model;
mod names;
mod python;
mod rust;
#[cfg(test)]
mod tests;
mod typescript;

use super::docs::ProgramFile;
use crate::prelude::*;
use contexture::script::semantic::interface::Interface;

const EXAMPLES: &str = "\
Examples:
  contexture types examples/hello.as --lang ts > hello.ts
  contexture types examples/hello.as --lang python > hello.py
  contexture types examples/hello.as --lang rust > hello.rs

Nothing runs. Exit code 0: done; 2: the program can't be read or has errors.";

/// Prints a typed client of a program's entries, for `contexture serve`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    program: ProgramFile,
    /// The language: `ts` needs `fetch`, `python` is for 3.11, `rust` needs serde and `serde_json`.
    #[arg(long, value_enum)]
    lang: Language,
}

/// A language of clients.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Language {
    Ts,
    Python,
    Rust,
}

pub(crate) fn run(args: &Args, terminal: &Terminal) -> CommandResult {
    let interface = args.program.interface(terminal)?;
    terminal.print(&client(&interface, &args.program.name(), args.lang))?;
    Ok(Exit::Done)
}

/// Returns the source of a client of a program's file.
fn client(interface: &Interface, file: &str, language: Language) -> String {
    let file = names::one_line(file);
    match language {
        Language::Ts => typescript::client(interface, &file),
        Language::Python => python::client(interface, &file),
        Language::Rust => rust::client(interface, &file),
    }
}
