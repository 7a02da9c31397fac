//! Answers written down beforehand: for tests, specimens and `--mock=FILE`.
//!
//! A file of answers is a JSON list, or one JSON value per line. A string is the text of an answer;
//! an object defines more:
//!
//! ```json
//! [
//!   "plain text",
//!   {"json": {"ok": true}},
//!   {"when": "second item", "text": "only for a prompt that holds these words"},
//!   {"repeat": true, "when": "ping", "text": "pong, as often as asked"},
//!   {"tool_calls": [{"name": "search", "arguments": {"query": "x"}}]},
//!   {"error": {"kind": "rate_limited", "message": "slow down", "retry_after_ms": 10}},
//!   {"text": "late", "delay_ms": 50, "usage": {"prompt_tokens": 7, "completion_tokens": 2}}
//! ]
//! ```
//!
//! Answers are given in order; one with `when` waits for a prompt that holds its words.

use crate::file;
use crate::mock::local_response;
use crate::record::StoredError;
use contexture_context::json;
use contexture_core::cancel::CancelToken;
use contexture_core::error::LlmError;
use contexture_core::provider::{BoxFuture, ChatCall, Provider, Reply, TextSink};
use contexture_prompt::{FinishReason, ToolCall, Usage};
use serde::Deserialize;
use serde_json::Value;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// One answer written down.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Canned {
    /// Words that the prompt must hold.
    pub when: Option<String>,
    /// True if it may be given again and again.
    pub repeat: bool,
    /// The time it takes.
    pub delay: Option<Duration>,
    /// Its tokens; counted when absent.
    pub usage: Option<Usage>,
    /// The reason why it ended; complete when absent.
    pub finish: Option<FinishReason>,
    /// The outcome.
    pub outcome: CannedOutcome,
}

/// The outcome of a [`Canned`].
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum CannedOutcome {
    /// A text.
    Text(String),
    /// Calls of tools.
    ToolCalls(Vec<ToolCall>),
    /// A failure.
    Error(LlmError),
}

impl Default for CannedOutcome {
    fn default() -> Self {
        Self::Text(String::new())
    }
}

impl Canned {
    /// Creates an answer that is a text.
    pub fn text(text: impl Into<String>) -> Self {
        Self { outcome: CannedOutcome::Text(text.into()), ..Self::default() }
    }

    /// Creates an answer that is a failure.
    #[must_use]
    pub fn error(error: LlmError) -> Self {
        Self { outcome: CannedOutcome::Error(error), ..Self::default() }
    }

    /// Calls of tools.
    #[must_use]
    pub fn tool_calls(calls: Vec<ToolCall>) -> Self {
        Self { outcome: CannedOutcome::ToolCalls(calls), ..Self::default() }
    }

    /// Limits the answer to prompts that hold these words.
    #[must_use]
    pub fn when(mut self, words: impl Into<String>) -> Self {
        self.when = Some(words.into());
        self
    }

    /// Ends the answer for a reason.
    #[must_use]
    pub fn ended(mut self, finish: FinishReason) -> Self {
        self.finish = Some(finish);
        self
    }

    /// Delays the answer.
    #[must_use]
    pub fn after(mut self, delay: Duration) -> Self {
        self.delay = Some(delay);
        self
    }
}

/// A provider that gives answers written down, in order.
///
/// Clones share what has been given.
#[derive(Clone)]
pub struct Scripted {
    uri: String,
    state: Arc<Mutex<State>>,
}

struct State {
    /// Answers not given yet.
    waiting: Vec<Canned>,
    given: usize,
    total: usize,
    calls: Vec<ChatCall>,
}

/// The largest file of answers that is read, in bytes.
const ANSWERS_BYTES: u64 = 64 << 20;

/// The fields of which one defines the result of a request.
const OUTCOMES: [&str; 4] = ["text", "json", "tool_calls", "error"];

impl Scripted {
    /// Creates a provider of these answers.
    pub fn new(answers: impl IntoIterator<Item = Canned>) -> Self {
        let waiting: Vec<Canned> = answers.into_iter().collect();
        let total = waiting.len();
        let state = State { waiting, given: 0, total, calls: Vec::new() };
        Self { uri: "mock".to_owned(), state: Arc::new(Mutex::new(state)) }
    }

    /// Uses the URI of another model, which picks the tokenizer.
    #[must_use]
    pub fn in_place_of(mut self, uri: &str) -> Self {
        uri.clone_into(&mut self.uri);
        self
    }

    /// Reads a file of answers.
    ///
    /// # Errors
    /// [`LlmError::Recording`] with the line or answer that can't be used.
    pub fn open(path: &Path) -> Result<Self, LlmError> {
        let name = path.display().to_string();
        let text = String::from_utf8(file::read(path, ANSWERS_BYTES)?).map_err(|error| {
            let valid = error.as_bytes().iter().take(error.utf8_error().valid_up_to());
            let line = valid.filter(|byte| **byte == b'\n').count() + 1;
            let message = "the line is not UTF-8".to_owned();
            LlmError::Recording { file: name.clone(), line: Some(line), message }
        })?;
        Self::parse(&name, &text)
    }

    /// Reads answers from memory; `name` stands in errors.
    ///
    /// # Errors
    /// As [`Scripted::open`].
    pub fn parse(name: &str, text: &str) -> Result<Self, LlmError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let fault = |line, message| LlmError::Recording { file: name.to_owned(), line, message };
        if text.trim_start().starts_with('[') {
            let values: Vec<Value> = json::read(text.as_bytes())
                .map_err(|error| fault(Some(error.line()), error.to_string()))?;
            return Self::of(name, values);
        }
        let mut answers = Vec::new();
        for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let value = json::read(line.as_bytes())
                .map_err(|error| fault(Some(at + 1), error.to_string()))?;
            answers.push(canned(value).map_err(|why| fault(Some(at + 1), why))?);
        }
        Ok(Self::new(answers))
    }

    /// Takes answers in the forms that a file has; `name` stands in errors.
    ///
    /// # Errors
    /// [`LlmError::Recording`] with the answer that can't be used.
    pub fn of(name: &str, answers: Vec<Value>) -> Result<Self, LlmError> {
        let one = |(at, value)| {
            canned(value).map_err(|why| LlmError::Recording {
                file: name.to_owned(),
                line: None,
                message: format!("answer {}: {why}", at + 1),
            })
        };
        let answers: Result<Vec<Canned>, LlmError> =
            answers.into_iter().enumerate().map(one).collect();
        Ok(Self::new(answers?))
    }

    /// Returns the calls received so far.
    #[must_use]
    pub fn calls(&self) -> Vec<ChatCall> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).calls.clone()
    }

    /// Answers that have not been given.
    #[must_use]
    pub fn left(&self) -> usize {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).waiting.len()
    }

    fn next(&self, call: &ChatCall) -> Result<Canned, LlmError> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.calls.push(call.clone());
        let fits = |answer: &Canned| {
            let Some(words) = &answer.when else { return true };
            call.request.messages.iter().any(|message| message.text().contains(words.as_str()))
        };
        let Some(at) = state.waiting.iter().position(fits) else {
            return Err(LlmError::NoAnswerLeft { used: state.given, total: state.total });
        };
        state.given += 1;
        match state.waiting.get(at) {
            Some(answer) if answer.repeat => Ok(answer.clone()),
            _ => Ok(state.waiting.remove(at)),
        }
    }
}

/// Returns the answer that a JSON value describes, or the fault in it.
fn canned(value: Value) -> Result<Canned, String> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Written {
        text: Option<String>,
        json: Option<Value>,
        tool_calls: Option<Vec<WrittenCall>>,
        error: Option<StoredError>,
        when: Option<String>,
        #[serde(default)]
        repeat: bool,
        delay_ms: Option<u64>,
        usage: Option<Usage>,
        finish: Option<FinishReason>,
    }
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct WrittenCall {
        #[serde(default)]
        id: String,
        name: String,
        #[serde(default)]
        arguments: Value,
    }
    let value = match value {
        Value::String(text) => return Ok(Canned::text(text)),
        Value::Object(fields) if OUTCOMES.iter().any(|name| fields.contains_key(*name)) => {
            Value::Object(fields)
        }
        // An object that is not an outcome is the answer itself.
        answer => return Ok(Canned::text(answer.to_string())),
    };
    let written: Written = serde_json::from_value(value).map_err(|error| {
        format!(
            "expected a text, or an object with `text`, `json`, `tool_calls` or `error`: {error}"
        )
    })?;
    let call = |(at, call): (usize, WrittenCall)| {
        let id = if call.id.is_empty() { format!("call_{}", at + 1) } else { call.id };
        ToolCall::function(id, call.name, call.arguments.to_string())
    };
    let outcome = match (written.text, written.json, written.tool_calls, written.error) {
        (Some(text), None, None, None) => CannedOutcome::Text(text),
        (None, Some(json), None, None) => CannedOutcome::Text(json.to_string()),
        (None, None, Some(calls), None) => {
            CannedOutcome::ToolCalls(calls.into_iter().enumerate().map(call).collect())
        }
        (None, None, None, Some(error)) => CannedOutcome::Error(error.into()),
        _ => {
            return Err(
                "expected exactly one of `text`, `json`, `tool_calls` and `error`".to_owned()
            );
        }
    };
    Ok(Canned {
        when: written.when,
        repeat: written.repeat,
        delay: written.delay_ms.map(Duration::from_millis),
        usage: written.usage,
        finish: written.finish,
        outcome,
    })
}

impl Provider for Scripted {
    fn uri(&self) -> &str {
        &self.uri
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
            let answer = self.next(call)?;
            if let Some(delay) = answer.delay {
                wait(delay, call.timeout, cancel).await?;
            }
            let (text, calls) = match answer.outcome {
                CannedOutcome::Text(text) => (text, Vec::new()),
                CannedOutcome::ToolCalls(calls) => (String::new(), calls),
                CannedOutcome::Error(error) => return Err(error),
            };
            if let Some(sink) = sink {
                // Word by word, so that what reads streams is put to use.
                text.split_inclusive(' ').for_each(sink);
            }
            let mut response = local_response(&self.uri, call, text);
            if !calls.is_empty() {
                response.finish_reason = Some(FinishReason::ToolCalls);
                response.tool_calls = calls;
            }
            response.finish_reason = answer.finish.or(response.finish_reason);
            response.usage = match answer.usage {
                Some(told) if told.total_tokens == 0 => {
                    Usage::new(told.prompt_tokens, told.completion_tokens)
                }
                Some(told) => told,
                None => response.usage,
            };
            Ok(response.into())
        })
    }
}

async fn wait(
    delay: Duration,
    timeout: Option<Duration>,
    cancel: &CancelToken,
) -> Result<(), LlmError> {
    let limit = timeout.unwrap_or(Duration::MAX);
    tokio::select! {
        biased;
        () = cancel.cancelled() => Err(LlmError::Cancelled),
        () = tokio::time::sleep(delay.min(limit)) => {
            if delay > limit {
                Err(LlmError::Timeout { host: "mock".to_owned(), limit })
            } else {
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_31_mock_files_are_lists_or_lines() {
        let list = Scripted::parse("a.json", "[\"one\", {\"json\": {\"ok\": true}}]").unwrap();
        let lines =
            Scripted::parse("a.jsonl", "\u{feff}\"one\"\n\n{\"json\": {\"ok\": true}}\n").unwrap();
        assert_eq!((list.left(), lines.left()), (2, 2));
    }

    #[test]
    fn as_31_plain_json_value_in_mock_file_is_answer() {
        let list = Scripted::parse("a.json", "[{\"ok\": true}, 5, null, {}]").unwrap();
        assert_eq!(list.left(), 4);
    }

    #[test]
    fn as_31_fault_in_mock_file_is_named() {
        let say = |text: &str| match Scripted::parse("m.json", text) {
            Err(error) => error.to_string(),
            Ok(_) => String::new(),
        };
        assert!(
            say("[{\"text\": 1}]").contains("answer 1: expected a text"),
            "{}",
            say("[{\"text\": 1}]")
        );
        assert!(
            say("\"a\"\n{\"text\": \"a\", \"json\": 1}")
                .starts_with("m.json, line 2: expected exactly one")
        );
        assert!(say("[1,\n2").starts_with("m.json, line 2"));
        assert!(say("{\"text\": \"a\"").starts_with("m.json, line 1"));
    }
}
