//! The tokenizers of the models.

use super::bpe::{CL100K_BASE, O200K_BASE, O200K_STAND_IN};
use super::counter::TokenCounter;

/// Families with a public tokenizer. A family matches the whole name or a name that goes on with
/// one of `-`, `:`, `@`; the first match counts.
const O200K: &[&str] = &[
    "o200k_base",
    "gpt-4o",
    "gpt-4.1",
    "gpt-4.5",
    "gpt-5",
    "gpt-5.1",
    "gpt-5.2",
    "gpt-oss",
    "chatgpt-4o",
    "o1",
    "o3",
    "o4",
    // Contexture's own: they have no tokenizer and count in o200k_base by definition.
    "builtin://extractive",
    "extractive",
    "mock",
    "replay",
];
const CL100K: &[&str] = &[
    "cl100k_base",
    "gpt-4",
    "gpt-3.5",
    "gpt-35",
    "text-embedding-3",
    "text-embedding-ada-002",
    "davinci-002",
    "babbage-002",
];

/// The tokenizer of a model, by its name or URI (`gpt-4o`, `openai://gpt-4o`,
/// `openai+https://host/v1/gpt-4o`, `ft:gpt-4o:…`) or by its own name (`cl100k_base`).
///
/// The last part of a URI's path names the model. A model whose tokenizer is not public gets
/// `o200k_base` as a stand-in whose [`exact`](TokenCounter::exact) is false.
#[must_use]
pub fn tokenizer_for(model: &str) -> &'static dyn TokenCounter {
    let name = model_name(model);
    let is_of = |families: &[&str]| families.iter().any(|family| belongs(&name, family));
    if is_of(O200K) {
        &O200K_BASE
    } else if is_of(CL100K) {
        &CL100K_BASE
    } else {
        &O200K_STAND_IN
    }
}

fn model_name(model: &str) -> String {
    let model = model.trim().to_ascii_lowercase();
    let model = model.split(['?', '#']).next().unwrap_or_default();
    if model.starts_with("replay:") {
        return "replay".to_owned();
    }
    let name = model.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    name.strip_prefix("ft:").unwrap_or(name).to_owned()
}

fn belongs(name: &str, family: &str) -> bool {
    name.strip_prefix(family)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', ':', '@']))
}
