//! Cases and examples made of kept runs (EV-7, EV-10).
//!
//! Decision: a case is made of what the record has, which is masked as it was written. Its answers are
//! those that models gave, so that the case asks nobody; its value is what it expects.

use crate::inspect::{InspectError, Kept};
use crate::recorder::inline_texts;
use contexture_context::TraceKind;
use serde_json::{Map, Value, json};

/// The reason why no case can be made of a run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordError {
    /// A text of the record is missing.
    #[error(transparent)]
    Part(#[from] InspectError),
    /// The run gave no value.
    #[error("the run {0} gave no value, so there is nothing to expect")]
    NoValue(String),
    /// A model called tools, and what it said is not a text.
    #[error(
        "the model of call {call} of the run {run} called tools, expected answers that are texts"
    )]
    ToolCalls {
        /// The run.
        run: String,
        /// The model call, from 1.
        call: u64,
    },
}

/// Returns the case of a run, with the keys of a file of tests.
///
/// # Errors
/// [`RecordError`] when the run gave no value, or its record lacks what a case needs.
pub fn case_of(kept: Kept<'_>) -> Result<Value, RecordError> {
    let run = kept.log.id.to_string();
    let value = value_of(kept).ok_or_else(|| RecordError::NoValue(run.clone()))?;
    let mut answers = Vec::new();
    for call in kept.calls() {
        let number = call.manifest.call;
        for request in kept.prompt(number)? {
            let error = || RecordError::ToolCalls { run: run.clone(), call: number };
            answers.push(Value::String(request.answer.ok_or_else(error)?));
        }
    }
    let mut case = Map::new();
    case.insert("name".to_owned(), Value::String(run));
    case.insert("input".to_owned(), input_of(kept));
    case.insert("answers".to_owned(), Value::Array(answers));
    let selections = kept.log.root().and_then(|root| root.data.get("selections"));
    if let Some(select) = selections {
        case.insert("select".to_owned(), select.clone());
    }
    case.insert("expect".to_owned(), json!([{ "equals": value }]));
    Ok(Value::Object(case))
}

/// Returns the example of a run, for a program that shows what a good answer is: its input and its
/// output.
///
/// # Errors
/// [`RecordError::NoValue`] when the run gave no value.
pub fn example_of(kept: Kept<'_>) -> Result<Value, RecordError> {
    let value = value_of(kept).ok_or_else(|| RecordError::NoValue(kept.log.id.to_string()))?;
    Ok(json!({ "input": input_of(kept), "output": value }))
}

fn input_of(kept: Kept<'_>) -> Value {
    let input = kept.log.of_kind(TraceKind::Input).next();
    let input = input.and_then(|input| input.data.get("value")).map(|value| whole(kept, value));
    input.unwrap_or_else(|| Value::Object(Map::new()))
}

/// Returns the value of a run as its record has it.
pub(super) fn value_of(kept: Kept<'_>) -> Option<Value> {
    kept.log.root().and_then(|root| root.data.get("value")).map(|value| whole(kept, value))
}

/// Returns a value of a record with its texts.
fn whole(kept: Kept<'_>, value: &Value) -> Value {
    let mut value = value.clone();
    inline_texts(&mut value, &mut |digest| kept.text(digest).ok());
    value
}
