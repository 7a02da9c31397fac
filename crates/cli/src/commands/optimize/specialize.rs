//! `contexture optimize specialize`: a program with other candidates marked (AS-33).

use super::source::checked;
use crate::commands::run::selection;
use crate::prelude::*;
use contexture::script::sites::specialize;
use std::fs;

const EXAMPLES: &str = "\
Examples:
  contexture optimize specialize examples/use_one_of.as --select evidence=overview
  contexture optimize specialize examples/use_one_of.as --select 15=none --out special.as

Only the words `selected` differ: the rest of the file stays as it is, byte for byte.";

/// Prints a program in which other candidates are marked `selected`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The program.
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    file: PathBuf,
    /// Mark this candidate of a `use one of`, which is named by its label or line. May be repeated.
    #[arg(long, value_name = "SITE=CANDIDATE", value_parser = selection, required = true)]
    select: Vec<(String, String)>,
    /// Write the program to this file instead of printing it.
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    out: Option<PathBuf>,
    #[command(flatten)]
    workspace: Workspace,
}

pub(super) fn run(args: &Args, terminal: &Terminal) -> CommandResult {
    let program = checked(&args.file, &args.workspace, terminal)?;
    let text = specialize(&program.source, &program.file, &args.select).map_err(|error| {
        let code = if error.is_of_site { "unknown_selection" } else { "unknown_candidate" };
        Abort::from(CommandError::refused(code, error.message).help(error.help))
    })?;
    match &args.out {
        Some(path) => {
            let name = path.display().to_string();
            fs::write(path, text).map_err(|error| Abort::write(&name, &error))?;
        }
        None => terminal.print(&text)?,
    }
    Ok(Exit::Done)
}
