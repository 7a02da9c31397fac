//! `contexture tokens count`: the number of tokens of a text (AS-16).

use super::tokenizer::counter;
use crate::prelude::*;

const EXAMPLES: &str = "\
Examples:
  contexture tokens count < README.md
  contexture tokens count --model openai://gpt-4o README.md";

/// Prints the number of tokens of a text.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The file with the text [default: stdin].
    #[arg(value_name = "FILE", default_value = "-", hide_default_value = true, value_hint = clap::ValueHint::FilePath)]
    file: PathBuf,
    /// The model whose tokenizer is used [default: the default model].
    #[arg(long, value_name = "URI")]
    model: Option<String>,
}

pub(super) fn run(args: &Args, terminal: &Terminal) -> CommandResult {
    let text = input::text(&args.file, "the text", terminal)?;
    let count = counter(args.model.as_deref(), terminal)?.count(&text);
    terminal.print_line(&count.to_string())?;
    Ok(Exit::Done)
}
