//! `contexture tokens`: counting and cutting text as a model's tokenizer does (AS-16).

mod budget;
mod count;
mod cut;

use super::family::{family, never};
use crate::complaint::{Complaint, Stop};
use crate::terminal::Terminal;
use crate::workspace;
use contexture::context::tokens::{TokenCounter, tokenizer_for};
use contexture::llm::ModelUri;
use contexture::models::default_model;

const EXAMPLES: &str = "\
Examples:
  contexture tokens count < README.md
  contexture tokens count --model openai://gpt-4 README.md
  contexture tokens cut --max 200 < README.md
  contexture tokens cut --max '8k chars' --keep tail < README.md";

family! {
    /// Counts tokens, or cuts a text to a budget.
    Count(count, never),
    Cut(cut, never),
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
