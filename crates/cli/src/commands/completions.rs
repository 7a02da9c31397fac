//! `contexture completions`: a script that teaches a shell to complete commands and options.

use super::Outcome;
use crate::args::Cli;
use crate::complaint::Exit;
use crate::terminal::Terminal;
use clap::CommandFactory;
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

/// Prints the script.
pub(crate) fn run(args: &Args, terminal: &Terminal) -> Outcome {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "contexture", &mut script);
    terminal.print(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Done)
}
