//! Follows an answer while it comes, and keeps each attempt in the trace.

use super::model_tools::ModelTools;
use super::run_state::RunState;
use crate::observe::Progress;
use contexture_answer::FieldError;
use contexture_context::Digest;
use contexture_context::manifest::AttemptRecord;
use contexture_llm::{AskEvent, AskObserver, Attempt, LlmError};
use contexture_prompt::{OpenaiChatMessage, Usage};
use serde::Serialize;
use serde_json::{Map, Value};
use std::time::Duration;

/// The listener of one model call.
pub(super) struct Listener<'h> {
    run: &'h RunState,
    tools: &'h ModelTools<'h>,
    event: u64,
    /// Messages of the prompt itself; what follows them was added on the way.
    base: usize,
    attempts: Vec<Entry>,
    /// True if the answer is a plan, whose text is not that of an answer.
    is_plan: bool,
}

impl AskObserver for Listener<'_> {
    fn event(&mut self, asked: AskEvent<'_>) {
        let (run, event) = (self.run, self.event);
        let notify = |progress| run.observer.notify(progress);
        match asked {
            AskEvent::Request { attempt, round, digest, call } => {
                if round == 0 {
                    notify(Progress::AttemptStarted { event, attempt });
                }
                if self.run.recorder.is_on() {
                    self.request(attempt, digest, &call.request.messages);
                }
            }
            AskEvent::Text { delta } if self.wants_text() => {
                notify(Progress::TextDelta { event, text: delta.to_owned() });
            }
            AskEvent::Value { value } if self.wants_values() => {
                notify(Progress::PartialValue { event, value: value.clone() });
            }
            AskEvent::Retrying { error, wait } => {
                let seconds = wait.as_secs_f64();
                self.run.wait(&format!("{error}; trying again in {seconds:.1} s"));
                self.retrying(error, wait);
            }
            AskEvent::ToolsAsked { text, calls, usage } => self.tools.asked(text, calls, usage),
            AskEvent::ToolCalled { call } => {
                notify(Progress::ToolCalled { name: call.function.name.clone() });
            }
            AskEvent::AttemptEnded { attempt } => self.ended(attempt),
            _ => {}
        }
    }

    fn wants_text(&self) -> bool {
        !self.is_plan && self.run.observer.wants_text()
    }

    fn wants_values(&self) -> bool {
        !self.is_plan && self.run.observer.wants_values()
    }
}

impl<'h> Listener<'h> {
    pub(super) const fn new(
        run: &'h RunState,
        tools: &'h ModelTools<'h>,
        (event, is_plan): (u64, bool),
        base: usize,
    ) -> Self {
        Self { run, tools, event, base, attempts: Vec::new(), is_plan }
    }

    fn request(&mut self, attempt: u32, digest: &Digest, messages: &[OpenaiChatMessage]) {
        let added_messages = messages.iter().skip(self.base).cloned().collect();
        self.attempts.push(Entry {
            attempt,
            request: digest.clone(),
            added_messages,
            answer: None,
            max_output: None,
            ms: None,
            usage: None,
            usage_estimated: false,
            schema: None,
            options: None,
            finish_reason: None,
            errors: Vec::new(),
            failure: None,
            repaired: Vec::new(),
            coerced: Vec::new(),
            retried: Vec::new(),
            waits_ms: Vec::new(),
        });
        self.write();
        self.run.recorder.flush();
    }

    /// Keeps a wait when it begins: a run may be killed in it (CA-2).
    fn retrying(&mut self, error: &LlmError, wait: Duration) {
        let Some(entry) = self.attempts.last_mut() else { return };
        entry.retried.push(error.to_string());
        entry.waits_ms.push(whole_millis(wait));
        self.write();
        self.run.recorder.flush();
    }

    fn ended(&mut self, attempt: &Attempt) {
        let Some(entry) = self.attempts.last_mut() else { return };
        entry.answer = Some(attempt.text.clone());
        entry.max_output = attempt.max_output;
        entry.ms = Some(millis(attempt));
        entry.usage = Some(attempt.usage);
        entry.usage_estimated = attempt.usage_estimated;
        entry.schema = attempt.sent.as_ref().and_then(|sent| sent.schema);
        entry.options = attempt.sent.as_ref().map(|sent| sent.options.clone());
        entry.finish_reason =
            attempt.finish_reason.as_ref().map(|reason| reason.as_str().to_owned());
        entry.errors.clone_from(&attempt.errors);
        entry.failure.clone_from(&attempt.failure);
        entry.repaired = attempt.repairs.iter().map(ToString::to_string).collect();
        entry.coerced = attempt.coerced.iter().map(ToString::to_string).collect();
        self.write();
    }

    fn write(&self) {
        self.run.recorder.amend_field(self.event, "attempts", &self.attempts);
    }
}

/// Returns the milliseconds of an attempt; one that took any time has at least one.
fn millis(attempt: &Attempt) -> u64 {
    whole_millis(attempt.took)
}

fn whole_millis(time: Duration) -> u64 {
    u64::try_from(time.as_micros().div_ceil(1_000)).unwrap_or(u64::MAX)
}

/// Returns the record of an attempt that has ended.
pub(super) fn record_of(attempt: &Attempt) -> AttemptRecord {
    let sent = attempt.sent.as_ref();
    AttemptRecord {
        attempt: u64::from(attempt.number),
        requests: attempt.requests.clone(),
        finish_reason: attempt.finish_reason.as_ref().map(|reason| reason.as_str().to_owned()),
        prompt_tokens: Some(attempt.usage.prompt_tokens),
        completion_tokens: Some(attempt.usage.completion_tokens),
        cached_tokens: attempt.usage.cached_tokens,
        estimated: attempt.usage_estimated,
        latency_ms: Some(millis(attempt)),
        max_output: attempt.max_output,
        schema_form: sent.and_then(|sent| sent.schema).map(str::to_owned),
        options: sent.map(|sent| Value::Object(sent.options.clone())),
        retried: attempt.retried.iter().map(|one| one.error.to_string()).collect(),
        waits_ms: attempt.retried.iter().map(|one| whole_millis(one.wait)).collect(),
        failure: attempt.failure.clone(),
    }
}

/// An attempt as the trace has it: its request and, once it has ended, its result.
#[derive(Serialize)]
struct Entry {
    attempt: u32,
    request: Digest,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    added_messages: Vec<OpenaiChatMessage>,
    #[serde(skip_serializing_if = "Option::is_none")]
    answer: Option<String>,
    /// The tokens that its answer was allowed.
    #[serde(skip_serializing_if = "Option::is_none")]
    max_output: Option<u64>,
    /// The milliseconds that its requests took.
    #[serde(skip_serializing_if = "Option::is_none")]
    ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    usage: Option<Usage>,
    /// True if a part of it was counted here.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    usage_estimated: bool,
    /// The form in which the schema was sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    schema: Option<&'static str>,
    /// The options as they were sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    options: Option<Map<String, Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    finish_reason: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    errors: Vec<FieldError>,
    #[serde(skip_serializing_if = "Option::is_none")]
    failure: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    repaired: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    coerced: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    retried: Vec<String>,
    /// The milliseconds waited after each of these.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    waits_ms: Vec<u64>,
}
