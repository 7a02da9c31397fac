//! `contexture tokens cut`: a text cut to a budget (AS-16).

use super::budget;
use super::tokenizer::counter;
use crate::prelude::*;
use clap::ValueEnum;
use contexture::context::cut::cut;
use contexture::context::{Budget, Keep};

const EXAMPLES: &str = "\
Examples:
  contexture tokens cut --max 2k < README.md
  contexture tokens cut --max 300 --keep middle README.md
  contexture tokens cut --max '1k chars' --keep tail < README.md";

/// Cuts a text to a budget, as `use … max …` does.
///
/// The marker at the cut counts towards the budget. A text that fits is unchanged.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The file with the text [default: stdin].
    #[arg(value_name = "FILE", default_value = "-", hide_default_value = true, value_hint = clap::ValueHint::FilePath)]
    file: PathBuf,
    /// The budget: tokens (`2k`, `500`) or characters (`8k chars`).
    #[arg(long, value_name = "BUDGET", value_parser = budget::parse)]
    max: Budget,
    /// The part to keep.
    #[arg(long, value_enum, default_value_t)]
    keep: Part,
    /// The model whose tokenizer is used [default: the default model].
    #[arg(long, value_name = "URI")]
    model: Option<String>,
}

#[derive(Debug, Clone, Copy, Default, ValueEnum)]
enum Part {
    /// The beginning
    #[default]
    Head,
    /// The end
    Tail,
    /// The middle
    Middle,
}

pub(super) fn run(args: &Args, terminal: &Terminal) -> CommandResult {
    let text = input::text(&args.file, "the text", terminal)?;
    let counter = counter(args.model.as_deref(), terminal)?;
    let limit = usize::try_from(args.max.limit).unwrap_or(usize::MAX);
    let keep = match args.keep {
        Part::Head => Keep::Head,
        Part::Tail => Keep::Tail,
        Part::Middle => Keep::Middle,
    };
    terminal.print(&cut(&text, limit, args.max.measure, keep, counter).text)?;
    Ok(Exit::Done)
}
