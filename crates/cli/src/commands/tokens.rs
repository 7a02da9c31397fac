//! `contexture tokens`: counting and cutting text as a model's tokenizer does (AS-16).

mod budget;

use super::Outcome;
use crate::complaint::{Complaint, Exit, Stop};
use crate::input;
use crate::terminal::Terminal;
use crate::workspace;
use clap::{Subcommand, ValueEnum};
use contexture::context::cut::cut;
use contexture::context::tokens::{TokenCounter, tokenizer_for};
use contexture::context::{Budget, Keep};
use contexture::llm::ModelUri;
use contexture::models::default_model;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  contexture tokens count < README.md
  contexture tokens count --model openai://gpt-4 README.md
  contexture tokens cut --max 200 < README.md
  contexture tokens cut --max '8k chars' --keep tail < README.md";

/// Counts tokens, or cuts a text to a budget.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES, subcommand_required = true, arg_required_else_help = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    Count(Count),
    Cut(Cut),
}

const COUNT_EXAMPLES: &str = "\
Examples:
  contexture tokens count < README.md
  contexture tokens count --model openai://gpt-4o README.md";

/// Prints how many tokens a text has.
#[derive(Debug, clap::Args)]
#[command(after_help = COUNT_EXAMPLES)]
struct Count {
    /// The text; stdin when absent.
    #[arg(value_name = "FILE", default_value = "-", hide_default_value = true, value_hint = clap::ValueHint::FilePath)]
    file: PathBuf,
    /// The model whose tokenizer counts; the default model when absent.
    #[arg(long, value_name = "URI")]
    model: Option<String>,
}

const CUT_EXAMPLES: &str = "\
Examples:
  contexture tokens cut --max 2k < README.md
  contexture tokens cut --max 300 --keep middle README.md
  contexture tokens cut --max '1k chars' --keep tail < README.md";

/// Cuts a text to a budget, as `use … max …` does.
///
/// The marker that says what was cut counts towards the budget. A text that fits is unchanged.
#[derive(Debug, clap::Args)]
#[command(after_help = CUT_EXAMPLES)]
struct Cut {
    /// The text; stdin when absent.
    #[arg(value_name = "FILE", default_value = "-", hide_default_value = true, value_hint = clap::ValueHint::FilePath)]
    file: PathBuf,
    /// The budget: tokens (`2k`, `500`) or characters (`8k chars`).
    #[arg(long, value_name = "BUDGET", value_parser = budget::parse)]
    max: Budget,
    /// What stays.
    #[arg(long, value_enum, default_value_t)]
    keep: Part,
    /// The model whose tokenizer counts; the default model when absent.
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

/// Runs `contexture tokens`.
pub(crate) fn run(args: &Args, terminal: &Terminal) -> Outcome {
    match &args.action {
        Action::Count(args) => {
            let text = input::text(&args.file, "the text", terminal)?;
            terminal
                .print_line(&counter(args.model.as_deref(), terminal)?.count(&text).to_string())?;
        }
        Action::Cut(args) => {
            let text = input::text(&args.file, "the text", terminal)?;
            let counter = counter(args.model.as_deref(), terminal)?;
            let limit = usize::try_from(args.max.limit).unwrap_or(usize::MAX);
            let keep = match args.keep {
                Part::Head => Keep::Head,
                Part::Tail => Keep::Tail,
                Part::Middle => Keep::Middle,
            };
            terminal.print(&cut(&text, limit, args.max.measure, keep, counter).text)?;
        }
    }
    Ok(Exit::Done)
}

/// The tokenizer of a model, or of the model that a run would ask.
fn counter(model: Option<&str>, terminal: &Terminal) -> Result<&'static dyn TokenCounter, Stop> {
    let model = match model {
        // A plain name is that of a model; what looks like a URI has to be one.
        Some(model) if model.contains("://") => {
            let uri: Result<ModelUri, _> = model.parse();
            uri.map_err(|error| {
                let complaint = Complaint::refused("model_uri", error.to_string());
                Complaint { help: error.help(), ..complaint }
            })?;
            model.to_owned()
        }
        Some(model) => model.to_owned(),
        None => default_model(&workspace::here_or(None)?, None).uri,
    };
    let counter = tokenizer_for(&model);
    if !counter.exact() {
        terminal.note(&format!(
            "the tokenizer of {model} is not public; {} stands in for it",
            counter.name()
        ));
    }
    Ok(counter)
}
