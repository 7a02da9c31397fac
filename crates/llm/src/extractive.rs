//! `builtin://extractive`: a model in this process that only quotes (AS-24).
//!
//! It sees what any model sees, the messages and the schema, and fills the schema with sentences,
//! numbers and words that stand in the context: titles from headings, summaries from the sentences
//! that best describe the whole, lists from distinct sentences that touch the question, values
//! from `Key: value` lines. Every text it gives stands in the context, but for white space.
//!
//! What nothing supports it does not give (CA-9): an optional field is left out, a required one
//! ends the call, and a question without a shape gets [`NOTHING_FOUND`].
//!
//! Decision: no learnt weights, no randomness. The same request has the same answer on every
//! machine, so that a first run needs no key, no network and no download, and tests can rely on it.

mod asked;
mod blocks;
mod field;
mod fill;
mod layout;
mod mail;
mod rank;
mod sentences;
mod source;
mod terms;
#[cfg(test)]
mod tests;

use crate::mock::{answer_schema, kind, local_response, unheeded_hints};
use asked::{Ask, is_question};
use contexture_context::tokens::tokenizer_for;
use contexture_core::cancel::CancelToken;
use contexture_core::error::LlmError;
use contexture_core::provider::{BoxFuture, ChatCall, Provider, Reply, TextSink};
use contexture_prompt::FinishReason;
use field::Field;
use fill::{Filler, Size};
use layout::{Item, Prompt};
use rank::Index;
use serde_json::Value;
use source::Source;

const URI: &str = "builtin://extractive";

/// What a person is told of an answer of this model.
pub const STAND_IN: &str = "extractive stand-in, not a language model";

/// The answer without a shape when nothing in the context is one.
pub const NOTHING_FOUND: &str = "nothing found";

/// The extractive model.
#[derive(Debug, Clone, Copy, Default)]
pub struct Extractive;

impl Extractive {
    /// Creates the model.
    #[must_use]
    pub const fn new() -> Self {
        Self
    }
}

impl Provider for Extractive {
    fn uri(&self) -> &'static str {
        URI
    }

    fn calls_tools(&self) -> bool {
        false
    }

    fn complete<'a>(
        &'a self,
        call: &'a ChatCall,
        sink: Option<TextSink<'a>>,
        cancel: &'a CancelToken,
    ) -> BoxFuture<'a, Result<Reply, LlmError>> {
        Box::pin(async move {
            if cancel.is_cancelled() {
                return Err(LlmError::Cancelled);
            }
            let (text, cut) =
                answer(call).map_err(|fields| LlmError::NothingSupports { fields })?;
            if let Some(sink) = sink {
                sink(&text);
            }
            let mut reply = Reply::from(local_response(URI, call, text));
            reply.warnings = unheeded_hints(URI, call);
            reply.warnings.push(STAND_IN.to_owned());
            if cut {
                reply.response.finish_reason = Some(FinishReason::Length);
                reply.warnings.push("the answer was cut by `max_output`".to_owned());
            }
            if call.request.tools.as_ref().is_some_and(|tools| !tools.is_empty()) {
                reply.warnings.push("the extractive model calls no tools".to_owned());
            }
            Ok(reply)
        })
    }
}

/// Sizes of an answer, from the usual one down to the smallest.
const SIZES: [Size; 8] = [
    Size { sentences: 3, items: 50, words: usize::MAX },
    Size { sentences: 3, items: 4, words: usize::MAX },
    Size { sentences: 2, items: 3, words: 60 },
    Size { sentences: 1, items: 2, words: 40 },
    Size { sentences: 1, items: 1, words: 20 },
    Size { sentences: 1, items: 1, words: 10 },
    Size { sentences: 1, items: 1, words: 5 },
    Size { sentences: 1, items: 0, words: 3 },
];

/// Returns the answer to a call, and whether it had to be cut in the middle.
///
/// # Errors
/// The required fields that nothing in the context supports.
fn answer(call: &ChatCall) -> Result<(String, bool), Vec<String>> {
    let schema = answer_schema(call);
    let Prompt { items, instruction } = layout::read(&call.request.messages, schema.is_some());
    let (questions, quoted): (Vec<Item>, Vec<Item>) =
        items.into_iter().partition(Item::is_question);
    // When all there is asks, that is what there is to quote from.
    let (questions, quoted) =
        if quoted.is_empty() { (quoted, questions) } else { (questions, quoted) };
    let mut source = Source::default();
    for item in &quoted {
        source.add(&item.label, &item.source, &item.text);
    }
    let index = Index::new(&source);
    let ask = Ask::of(&instruction, &questions);
    let question = is_question(&instruction) || !questions.is_empty();
    let counter = tokenizer_for(URI);
    let limit = call.output_limit().map(|limit| usize::try_from(limit).unwrap_or(usize::MAX));
    let mut text = String::new();
    let first = Filler::new(&index, &ask, SIZES[0]);
    for size in SIZES {
        let mut filler = first.resized(size);
        text = match schema {
            Some(schema) => fill(&mut filler, schema)?.to_string(),
            None => filler.paragraph(question).unwrap_or_else(|| NOTHING_FOUND.to_owned()),
        };
        let Some(limit) = limit else { return Ok((text, false)) };
        if counter.count(&text) <= limit {
            return Ok((text, false));
        }
    }
    Ok((first_tokens(&text, limit.unwrap_or(usize::MAX)), true))
}

fn fill(filler: &mut Filler<'_>, schema: &Value) -> Result<Value, Vec<String>> {
    let found = match kind(schema) {
        "object" => filler.object(schema),
        _ => filler.value(schema, &Field::new("answer", "", true)),
    };
    found.ok_or_else(|| match std::mem::take(&mut filler.missing) {
        missing if missing.is_empty() => vec!["the answer".to_owned()],
        missing => missing,
    })
}

/// Returns the beginning of a text, of at most so many tokens.
fn first_tokens(text: &str, limit: usize) -> String {
    let ends = tokenizer_for(URI).token_ends(text);
    let mut end = limit.checked_sub(1).and_then(|last| ends.get(last)).copied().unwrap_or(0);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or_default().to_owned()
}
