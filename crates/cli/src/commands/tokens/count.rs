//! `contexture tokens count`: how many tokens a text has (AS-16).

use super::counter;
use crate::commands::Outcome;
use crate::complaint::Exit;
use crate::input;
use crate::terminal::Terminal;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  contexture tokens count < README.md
  contexture tokens count --model openai://gpt-4o README.md";

/// Prints how many tokens a text has.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The text; stdin when absent.
    #[arg(value_name = "FILE", default_value = "-", hide_default_value = true, value_hint = clap::ValueHint::FilePath)]
    file: PathBuf,
    /// The model whose tokenizer counts; the default model when absent.
    #[arg(long, value_name = "URI")]
    model: Option<String>,
}

/// Runs `contexture tokens count`.
pub(super) fn run(args: &Args, terminal: &Terminal) -> Outcome {
    let text = input::text(&args.file, "the text", terminal)?;
    let count = counter(args.model.as_deref(), terminal)?.count(&text);
    terminal.print_line(&count.to_string())?;
    Ok(Exit::Done)
}
