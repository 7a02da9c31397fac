//! A kept run with its model calls and their exact prompts.

use contexture_context::manifest::{AttemptRecord, MessageRecord, assemble};
use contexture_context::{Digest, Manifest, TraceEvent, TraceKind};
use contexture_store::runs::{RunLog, RunStore};
use serde::Serialize;
use serde_json::Value;

/// A model call of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Call<'a> {
    /// The trace event.
    pub event: &'a TraceEvent,
    /// Its manifest.
    pub manifest: Manifest,
}

/// The reason why a part of a run could not be shown.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InspectError {
    /// The run has fewer calls.
    #[error("run {run} has {}; there is no call {asked}", calls_of(*.calls))]
    NoSuchCall {
        /// The run.
        run: String,
        /// The number of its calls.
        calls: usize,
        /// The number of the requested call, from 1.
        asked: u64,
    },
    /// The question why something is not in a prompt names nothing.
    #[error("nothing is asked for: expected a label, a source, a file, a pack or words of a text")]
    NothingAsked,
    /// A text is not in the store any more.
    #[error("the store has no text {digest}")]
    MissingText {
        /// Its digest.
        digest: Digest,
    },
    /// The store can't be read.
    #[error("{0}")]
    Store(String),
    /// The run is too large for one file.
    #[error("the page of the run would have more than {most} bytes")]
    TooLarge {
        /// The most bytes.
        most: usize,
    },
}

impl InspectError {
    /// Returns the error with how many calls the whole run has, where only some were read.
    #[must_use]
    pub fn counted(self, all: u64) -> Self {
        match self {
            Self::NoSuchCall { run, asked, .. } => {
                let calls = usize::try_from(all).unwrap_or(usize::MAX);
                Self::NoSuchCall { run, calls, asked }
            }
            other => other,
        }
    }
}

/// A run that was loaded, with the store that has its texts.
#[derive(Clone, Copy)]
pub struct Kept<'a> {
    /// The store.
    pub store: &'a dyn RunStore,
    /// The run.
    pub log: &'a RunLog,
}

/// The messages of one request as they were sent, with the answer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SentRequest {
    /// The attempt, from 1.
    pub attempt: u64,
    /// Role and exact text of each message.
    pub messages: Vec<SentMessage>,
    /// The definitions of the functions that were offered with them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<Value>,
    /// The raw answer, if one came.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    /// The errors in it, by field path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub errors: Option<Value>,
    /// Where the answer was kept from, if nothing was sent: `record` in a recheck, `cache` for a
    /// request that the run had made before. It is the value then, as nobody said it here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kept: Option<&'static str>,
}

/// A message as it was sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SentMessage {
    /// The provider's role.
    pub role: String,
    /// The text.
    pub text: String,
    /// The tools that the model called with it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<SentCall>,
}

/// A call of a tool in a message of a model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SentCall {
    /// The name of the function.
    pub function: String,
    /// Its arguments, as the model wrote them.
    pub arguments: String,
}

impl<'a> Call<'a> {
    /// Returns the model call of an event; `None` if the event has no manifest.
    #[must_use]
    pub fn of(event: &'a TraceEvent) -> Option<Self> {
        Some(Call { event, manifest: manifest(event)? })
    }
}

impl<'a> Kept<'a> {
    /// Returns the model calls in the order in which their prompts were built.
    #[must_use]
    pub fn calls(self) -> Vec<Call<'a>> {
        let mut calls: Vec<Call<'a>> =
            self.log.of_kind(TraceKind::Generate).filter_map(Call::of).collect();
        calls.sort_by_key(|call| call.manifest.call);
        calls
    }

    /// Returns the call `number` (from 1).
    ///
    /// # Errors
    /// [`InspectError::NoSuchCall`].
    pub fn call(self, number: u64) -> Result<Call<'a>, InspectError> {
        let mut calls = self.calls();
        match calls.iter().position(|call| call.manifest.call == number) {
            Some(index) => Ok(calls.swap_remove(index)),
            None => {
                let run = self.log.id.to_string();
                Err(InspectError::NoSuchCall { run, calls: calls.len(), asked: number })
            }
        }
    }

    /// Returns a text of the run.
    ///
    /// # Errors
    /// [`InspectError::MissingText`], [`InspectError::Store`].
    pub fn text(self, digest: &Digest) -> Result<String, InspectError> {
        let found = self.store.text(&self.log.id, digest);
        found
            .map_err(|error| InspectError::Store(error.line()))?
            .ok_or_else(|| InspectError::MissingText { digest: digest.clone() })
    }

    /// Returns the exact text of a message.
    ///
    /// # Errors
    /// [`InspectError::MissingText`], [`InspectError::Store`].
    pub fn message(self, message: &MessageRecord) -> Result<SentMessage, InspectError> {
        let mut fault = None;
        let text = assemble(&message.pieces, |digest| {
            self.text(digest).map_err(|error| fault = Some(error)).ok()
        });
        let missing = |digest| InspectError::MissingText { digest };
        let text = text.map_err(|digest| fault.unwrap_or_else(|| missing(digest)))?;
        Ok(SentMessage { role: message.role.clone(), text, calls: Vec::new() })
    }

    /// Returns all requests of the call `number` (from 1), exactly as they were sent.
    ///
    /// # Errors
    /// [`InspectError::NoSuchCall`], [`InspectError::MissingText`].
    pub fn prompt(self, number: u64) -> Result<Vec<SentRequest>, InspectError> {
        self.requests(&self.call(number)?)
    }

    /// Returns all requests of a model call, exactly as they were sent.
    pub(super) fn requests(self, call: &Call<'_>) -> Result<Vec<SentRequest>, InspectError> {
        let messages = call.manifest.messages.iter().map(|message| self.message(message));
        let base = messages.collect::<Result<Vec<_>, _>>()?;
        let sent = (base, self.definitions(&call.manifest));
        let attempts = call.event.data.get("attempts").and_then(Value::as_array);
        let attempts = attempts.map_or(&[][..], Vec::as_slice);
        if attempts.is_empty() {
            let request = self.request(&sent, &Value::Null);
            return Ok(vec![self.kept_answer(&call.event.data, request)]);
        }
        Ok(attempts.iter().map(|attempt| self.request(&sent, attempt)).collect())
    }

    /// Returns the definitions of the functions that were sent with a prompt. A plan's are not sent,
    /// and earlier versions did not keep them.
    fn definitions(self, manifest: &Manifest) -> Vec<Value> {
        let texts = manifest.tools.iter().filter_map(|tool| self.text(&tool.digest).ok());
        texts.filter_map(|text| serde_json::from_str(&text).ok()).collect()
    }

    /// Adds the answer of a call that kept one.
    fn kept_answer(self, data: &Value, request: SentRequest) -> SentRequest {
        let says = |name: &str| data.get(name) == Some(&Value::Bool(true));
        let kept = [("from_record", "record"), ("from_cache", "cache")];
        let kept = kept.into_iter().find(|(name, _)| says(name)).map(|(_, from)| from);
        let (Some(kept), Some(value)) = (kept, data.get("value")) else { return request };
        let mut value = value.clone();
        crate::recorder::inline_texts(&mut value, &mut |digest| self.text(digest).ok());
        let answer = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        SentRequest { answer: Some(answer), kept: Some(kept), ..request }
    }

    fn request(self, sent: &(Vec<SentMessage>, Vec<Value>), attempt: &Value) -> SentRequest {
        let (base, tools) = sent;
        let mut attempt = attempt.clone();
        crate::recorder::inline_texts(&mut attempt, &mut |digest| self.text(digest).ok());
        let added = attempt.get("added_messages").and_then(Value::as_array);
        let added = added.into_iter().flatten().filter_map(|message| {
            let message: contexture_prompt::OpenaiChatMessage =
                serde_json::from_value(message.clone()).ok()?;
            let (role, text) = (message.role.to_string(), message.text().into_owned());
            let calls = message.tool_calls.into_iter().flatten().map(|call| SentCall {
                function: call.function.name,
                arguments: call.function.arguments,
            });
            Some(SentMessage { role, text, calls: calls.collect() })
        });
        SentRequest {
            attempt: attempt.get("attempt").and_then(Value::as_u64).unwrap_or(1),
            messages: base.iter().cloned().chain(added).collect(),
            tools: tools.clone(),
            answer: attempt.get("answer").and_then(Value::as_str).map(str::to_owned),
            errors: attempt.get("errors").cloned(),
            kept: None,
        }
    }
}

fn calls_of(calls: usize) -> String {
    match calls {
        0 => "no model call".to_owned(),
        1 => "1 model call".to_owned(),
        calls => format!("{calls} model calls"),
    }
}

/// Returns the manifest that an event carries.
fn manifest(event: &TraceEvent) -> Option<Manifest> {
    let mut manifest: Manifest =
        serde_json::from_value(event.data.get("manifest")?.clone()).ok()?;
    if manifest.attempts.is_empty() {
        manifest.attempts = attempts(event);
    }
    let cost = event.data.get("cost").cloned();
    manifest.cost = manifest.cost.or_else(|| serde_json::from_value(cost?).ok());
    Some(manifest)
}

/// Puts together the attempts of a model call, of which the trace has each request.
#[must_use]
pub fn attempts(event: &TraceEvent) -> Vec<AttemptRecord> {
    let requests = event.data.get("attempts").and_then(Value::as_array);
    let mut records: Vec<AttemptRecord> = Vec::new();
    for request in requests.into_iter().flatten() {
        let number = request.get("attempt").and_then(Value::as_u64).unwrap_or(1);
        if records.last().is_none_or(|last| last.attempt != number) {
            records.push(AttemptRecord { attempt: number, ..AttemptRecord::default() });
        }
        let Some(record) = records.last_mut() else { continue };
        let word = |name: &str| request.get(name).and_then(Value::as_str).map(str::to_owned);
        record.requests.extend(word("request").and_then(|digest| digest.parse().ok()));
        record.finish_reason = word("finish_reason").or(record.finish_reason.take());
        record.failure = word("failure").or(record.failure.take());
        let number = |name: &str| request.get(name).and_then(Value::as_u64);
        record.latency_ms = number("ms").or(record.latency_ms);
        record.max_output = number("max_output").or(record.max_output);
        record.schema_form = word("schema").or(record.schema_form.take());
        record.options = request.get("options").cloned().or(record.options.take());
        let retried = request.get("retried").and_then(Value::as_array).into_iter().flatten();
        record.retried.extend(retried.filter_map(Value::as_str).map(str::to_owned));
        let waits = request.get("waits_ms").and_then(Value::as_array).into_iter().flatten();
        record.waits_ms.extend(waits.filter_map(Value::as_u64));
        if let Some(usage) = request.get("usage") {
            let tokens = |name: &str| usage.get(name).and_then(Value::as_u64);
            record.prompt_tokens = tokens("prompt_tokens");
            record.completion_tokens = tokens("completion_tokens");
            record.cached_tokens = tokens("cached_tokens");
            record.estimated = request.get("usage_estimated").is_some();
        }
    }
    records
}

#[cfg(test)]
mod tests {
    use super::InspectError;

    #[test]
    fn as_29_a_call_that_is_not_there_is_told_with_how_many_there_are() {
        let told =
            |calls| InspectError::NoSuchCall { run: "r".to_owned(), calls, asked: 9 }.to_string();
        assert_eq!(told(0), "run r has no model call; there is no call 9");
        assert_eq!(told(1), "run r has 1 model call; there is no call 9");
        assert_eq!(told(2), "run r has 2 model calls; there is no call 9");
    }
}
