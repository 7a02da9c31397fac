//! `contexture completions`: a script with which a shell completes commands and options.

use crate::prelude::*;
use clap_complete::Shell;

const EXAMPLES: &str = "\
Examples:
  contexture completions bash > ~/.contexture-completions.bash
  contexture completions fish > contexture.fish
  contexture completions zsh > _contexture";

/// Prints a completion script for a shell.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The shell.
    #[arg(value_enum)]
    shell: Shell,
}

/// Runs `contexture completions`; `command` is the root of the command line.
pub(crate) fn run(args: &Args, command: &mut clap::Command, terminal: &Terminal) -> CommandResult {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, command, "contexture", &mut script);
    terminal.print(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Done)
}
