//! `contexture parse`: the syntax tree of a program as JSON (AS-31).

use crate::output::diagnostics;
use crate::prelude::*;
use contexture::context::Limits;
use contexture::diagnostic::SourceFile;
use contexture::script::syntax;

const EXAMPLES: &str = "\
Examples:
  contexture parse examples/hello.as
  echo 'main func(input) { 1 + 2 }' | contexture parse -

The JSON is indented on a terminal, else on one line. A file with errors is printed, too; the errors
go to stderr, with exit code 2.";

/// Prints the syntax tree of a program as JSON.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The program; `-` reads it from stdin.
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    file: PathBuf,
}

pub(crate) fn run(args: &Args, terminal: &Terminal) -> CommandResult {
    let text = input::text(&args.file, "the program", terminal)?;
    let source = SourceFile::new(args.file.display().to_string(), text);
    let parsed = syntax::parse(&source, &Limits::default());
    terminal.print_tree(&syntax::json::tree(&parsed.file, &source))?;
    if !parsed.diagnostics.is_empty() {
        terminal.say(diagnostics::text(&parsed.diagnostics, &[&source], terminal.err).trim_end());
    }
    Ok(if parsed.is_valid() { Exit::Done } else { Exit::Refused })
}
