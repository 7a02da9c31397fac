//! The tokenizer of a model.

use crate::prelude::*;
use crate::support::project;
use contexture::context::tokens::{TokenCounter, tokenizer_for};
use contexture::llm::ModelUri;
use contexture::models::default_model;

/// Returns the tokenizer of a model, by default of the one that a run would call.
pub(super) fn counter(
    model: Option<&str>,
    terminal: &Terminal,
) -> Result<&'static dyn TokenCounter, Abort> {
    let model = match model {
        // A name without `://` is the name of a model; anything else must be a URI.
        Some(model) if model.contains("://") => {
            let uri: Result<ModelUri, _> = model.parse();
            uri.map_err(|error| {
                CommandError::refused("model_uri", error.to_string()).maybe_help(error.help())
            })?;
            model.to_owned()
        }
        Some(model) => model.to_owned(),
        None => default_model(&project::here_or(None)?, None).uri,
    };
    let counter = tokenizer_for(&model);
    if !counter.exact() {
        terminal.note(&format!(
            "the tokenizer of {model} is not public; {} is used instead",
            counter.name()
        ));
    }
    Ok(counter)
}
