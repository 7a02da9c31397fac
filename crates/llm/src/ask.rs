//! Ask and check: a request, an answer of the right shape, and another try when it is not
//! (AS-21, AS-22).
//!
//! Decision: an attempt is one answer of the model to the whole prompt. Anything else (a rate
//! limit, a tool call) uses none; an answer that can't be used takes one and is sent back with its
//! faults. An answer that ended before it was whole is never read as if it were (CA-1): it is asked
//! for again with more room where the caller allows that. Everything that happens is reported to an observer at once, so that a trace is
//! written also of a run that fails.

mod observe;
mod report;
mod room;
mod stop;
#[cfg(test)]
mod tests;

pub use observe::{AskEvent, AskObserver};
pub use report::{Answer, AskError, Attempt, Ended, Report, Retried};

use crate::exchange::Exchange;
use crate::retry::RetryPolicy;
use crate::tools::{ToolExecutor, ToolOutcome};
use contexture_answer::{
    AnswerError, FieldError, Partial, ReadOptions, Reading, Shape, read, repair_message,
};
use contexture_context::Digest;
use contexture_core::cancel::CancelToken;
use contexture_core::error::LlmError;
use contexture_core::provider::{ChatCall, Provider, Reply, SchemaHint, Think};
use contexture_prompt::{
    ChatResponse, FinishReason, OpenaiChatMessage, OpenaiChatRequest, Role, Stop, ToolCall,
    ToolChoice, ToolDefinition, Usage,
};
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;
use stop::{Stops, cut};
use tokio::time::Instant;

/// A check beyond the shape: returns what is wrong with a value.
pub type Verify<'a> = &'a (dyn Fn(&Value) -> Vec<FieldError> + Send + Sync);

/// A question and the check of its answer (AS-19).
#[derive(Clone, Default)]
pub struct Ask<'a> {
    /// The prompt.
    pub messages: Vec<OpenaiChatMessage>,
    /// What follows the prompt: calls of tools that whoever asks has run, with their results.
    pub earlier: Vec<OpenaiChatMessage>,
    /// The place of the call among those of its run, for a journal.
    pub key: Option<Arc<str>>,
    /// The shape of the answer; without one the raw text is the value.
    pub shape: Option<&'a Shape>,
    /// The schema of `shape`, where a caller asks often; without it each request makes it.
    pub schema: Option<Arc<SchemaHint>>,
    /// A check of a value that has the shape.
    pub verify: Option<Verify<'a>>,
    /// Answers that may be asked for in all; 0 counts as 1.
    pub attempts: u32,
    /// Exact JSON, no coercion, no fields beyond the shape.
    pub strict: bool,
    /// Tokens that each request may take, as the program says.
    pub max_input: Option<u64>,
    /// Tokens that each request may take in fact: `max_input`, or what the window leaves. What
    /// follows the prompt in further requests is left out where it does not fit.
    pub room: Option<u64>,
    /// Tokens of an answer.
    pub max_output: Option<u64>,
    /// Tokens that an answer may grow to when it was cut off and an attempt is left.
    pub most_output: Option<u64>,
    /// True if a text that was cut off is taken as it is; of no effect with a shape.
    pub keep_cut: bool,
    /// Sampling hint.
    pub temperature: Option<f64>,
    /// Reasoning hint.
    pub think: Option<Think>,
    /// Time for the whole, with all attempts, waits and tools.
    pub timeout: Option<Duration>,
    /// The rule for trying again after a provider's failure.
    pub retry: RetryPolicy,
    /// Tools that the model may call; of no effect without an executor.
    pub tools: Vec<ToolDefinition>,
    /// The rule for calling them.
    pub tool_choice: Option<ToolChoice>,
    /// False if an answer may hold one call alone.
    pub parallel_tool_calls: Option<bool>,
    /// Texts that end an answer, and are not a part of it; of no effect with a shape.
    pub stop: Vec<String>,
    /// The executor of the tools.
    pub executor: Option<&'a dyn ToolExecutor>,
    /// The most rounds of tool calls in a row before the model has to answer.
    pub tool_rounds: u32,
}

impl Ask<'_> {
    /// Returns the texts that end an answer.
    fn stops(&self) -> &[String] {
        if self.shape.is_some() { &[] } else { &self.stop }
    }
}

/// Asks until an answer can be used or the attempts are used up.
///
/// ```
/// use contexture_answer::{Field, Shape};
/// use contexture_llm::{Ask, CancelToken, Canned, Scripted, ask};
/// use contexture_prompt::{OpenaiChatMessage, Role};
///
/// # let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
/// # runtime.block_on(async {
/// let model = Scripted::new([Canned::text("I think so."), Canned::text("{ok: yes}"), Canned::text("{ok: true}")]);
/// let shape = Shape::Object(vec![Field::new("ok", Shape::Boolean)]);
/// let ask_for = Ask {
///     messages: vec![OpenaiChatMessage::of_text(Role::User, "Is it ok?")],
///     shape: Some(&shape),
///     attempts: 3,
///     ..Ask::default()
/// };
/// let answer = ask(&model, &ask_for, &mut (), &CancelToken::new()).await?;
/// assert_eq!(answer.value, serde_json::json!({"ok": true}));
/// assert_eq!(answer.report.attempts.len(), 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`AskError::Provider`] when the provider fails, [`AskError::Unusable`] when no attempt gave an
/// answer of the shape, [`AskError::Ended`] when the answer ended before it was whole. All carry the
/// report of what happened.
pub async fn ask(
    provider: &dyn Provider,
    ask: &Ask<'_>,
    observer: &mut dyn AskObserver,
    cancel: &CancelToken,
) -> Result<Answer, AskError> {
    let deadline = Exchange::until(ask.timeout);
    let exchange = Exchange { provider, cancel, retry: ask.retry, deadline };
    let max_output = ask.max_output;
    let mut run = Run { ask, exchange, observer, report: Report::default(), max_output };
    match run.attempts().await {
        Ok(answered) => Ok(Answer { value: answered.0, text: answered.1, report: run.report }),
        Err(Failure::Provider(error)) => Err(AskError::Provider { error, report: run.report }),
        Err(Failure::Unusable(error, text)) => {
            Err(AskError::Unusable { error, text, report: run.report })
        }
        Err(Failure::Ended(ended, text)) => {
            let max_output = run.max_output;
            Err(AskError::Ended { ended, text, max_output, report: run.report })
        }
        Err(Failure::Left(text, calls)) => Err(AskError::Left { text, calls, report: run.report }),
    }
}

enum Failure {
    Provider(LlmError),
    Unusable(AnswerError, String),
    Ended(Ended, String),
    Left(String, Vec<ToolCall>),
}

/// The result of an attempt.
enum Said {
    Text(String),
    /// Calls that are left to whoever asks.
    Calls(ChatResponse),
}

struct Run<'r, 'a> {
    ask: &'r Ask<'a>,
    exchange: Exchange<'r>,
    observer: &'r mut dyn AskObserver,
    report: Report,
    /// Tokens of the answer under way.
    max_output: Option<u64>,
}

impl Run<'_, '_> {
    async fn attempts(&mut self) -> Result<(Value, String), Failure> {
        let attempts = self.ask.attempts.max(1);
        let mut messages = self.prompt();
        let mut number = 1;
        loop {
            let said = self.attempt(number, messages).await.map_err(Failure::Provider)?;
            let text = match said {
                Said::Text(text) => text,
                Said::Calls(response) => {
                    if let Some(attempt) = self.report.attempts.last_mut() {
                        self.observer.event(AskEvent::AttemptEnded { attempt });
                    }
                    return Err(Failure::Left(response.text, response.tool_calls));
                }
            };
            let checked = match self.ended() {
                Some(ended) => Err(ended),
                None => self.closed(self.check(&text)),
            };
            let checked = match checked {
                Ok(checked) => checked,
                Err(ended) => {
                    self.fail_attempt(&ended);
                    let Some(larger) = self.larger(ended).filter(|_| number < attempts) else {
                        return Err(Failure::Ended(ended, text));
                    };
                    self.max_output = Some(larger);
                    messages = self.prompt();
                    number += 1;
                    continue;
                }
            };
            self.end_attempt(&text, &checked);
            let error = match checked {
                Ok(reading) => return Ok((reading.value, text)),
                Err(error) => error,
            };
            if number >= attempts {
                return Err(Failure::Unusable(error, text));
            }
            messages = self.repair(&text, &error);
            number += 1;
        }
    }

    /// Returns the prompt with what follows it from the beginning.
    fn prompt(&self) -> Vec<OpenaiChatMessage> {
        self.ask.messages.iter().chain(&self.ask.earlier).cloned().collect()
    }

    /// Returns why the last answer is not a whole one.
    fn ended(&self) -> Option<Ended> {
        let reason = self.report.attempts.last()?.finish_reason.as_ref();
        let ended = reason.and_then(Ended::of)?;
        let is_kept = ended == Ended::CutOff && self.ask.keep_cut && self.ask.shape.is_none();
        (!is_kept).then_some(ended)
    }

    /// Refuses a value whose closer was supplied, unless the server says that the model came to its
    /// end.
    fn closed(
        &self,
        checked: Result<Reading, AnswerError>,
    ) -> Result<Result<Reading, AnswerError>, Ended> {
        let reason = self.report.attempts.last().and_then(|last| last.finish_reason.as_ref());
        let is_unknown = matches!(reason, None | Some(FinishReason::Other(_)));
        let is_cut = checked.as_ref().is_ok_and(|reading| reading.is_cut);
        if is_unknown && is_cut { Err(Ended::Unclosed) } else { Ok(checked) }
    }

    /// Returns the tokens of the next try of an answer that was cut off: twice as many, within what
    /// is allowed.
    fn larger(&self, ended: Ended) -> Option<u64> {
        let most =
            self.ask.most_output.filter(|_| matches!(ended, Ended::CutOff | Ended::Unclosed))?;
        let own = self.max_output.filter(|own| *own < most)?;
        Some(own.saturating_mul(2).min(most))
    }

    /// Returns the prompt again with the answer and what is wrong with it. Earlier attempts are
    /// left out: the last answer is the one to fix.
    fn repair(&self, text: &str, error: &AnswerError) -> Vec<OpenaiChatMessage> {
        let mut messages = self.prompt();
        let repair = match self.ask.shape {
            Some(shape) => repair_message(text, error, shape),
            None => error.to_string(),
        };
        messages.push(OpenaiChatMessage::of_text(Role::Assistant, text));
        messages.push(OpenaiChatMessage::of_text(Role::User, repair));
        messages
    }

    fn check(&self, text: &str) -> Result<Reading, AnswerError> {
        match self.ask.shape {
            Some(shape) => {
                let strict = self.ask.strict;
                let options = ReadOptions { strict, ..ReadOptions::default() };
                let reading = read(text, Some(shape), &options)?;
                let errors = self.ask.verify.map(|verify| verify(&reading.value));
                match errors.filter(|errors| !errors.is_empty()) {
                    None => Ok(reading),
                    Some(errors) => Err(AnswerError::Mismatch {
                        errors,
                        more: 0,
                        value: Box::new(reading.value),
                    }),
                }
            }
            None => Ok(Reading::exact(Value::from(text))),
        }
    }

    /// One answer, with the tool calls on the way to it.
    async fn attempt(
        &mut self,
        number: u32,
        mut messages: Vec<OpenaiChatMessage>,
    ) -> Result<Said, LlmError> {
        self.make_room(&mut messages)?;
        let max_output = self.max_output;
        self.report.attempts.push(Attempt { number, max_output, ..Attempt::default() });
        let mut round = 0;
        loop {
            let response = match self.request(number, round, &messages).await {
                Ok(response) => response,
                Err(error) => {
                    self.fail_attempt(&error);
                    return Err(error);
                }
            };
            // The arguments of a call that was cut off are not whole either.
            let is_whole = response.finish_reason.as_ref().and_then(Ended::of).is_none();
            let calls = is_whole && !response.tool_calls.is_empty();
            let Some(executor) = self.ask.executor.filter(|_| calls) else {
                return Ok(Said::Text(response.text));
            };
            if response.tool_calls.iter().any(|call| executor.leaves(call)) {
                return Ok(Said::Calls(response));
            }
            if round >= self.ask.tool_rounds {
                let error = LlmError::ToolRounds { limit: self.ask.tool_rounds };
                self.fail_attempt(&error);
                return Err(error);
            }
            round += 1;
            messages.push(response.to_message());
            self.observer.event(AskEvent::ToolsAsked {
                text: &response.text,
                calls: &response.tool_calls,
                usage: response.usage,
            });
            for call in &response.tool_calls {
                let outcome = match self.call_tool(executor, call).await {
                    Ok(outcome) => outcome,
                    Err(error) => {
                        self.fail_attempt(&error);
                        return Err(error);
                    }
                };
                messages.push(OpenaiChatMessage::tool(call.id.as_str(), outcome.text));
            }
            if let Err(error) = self.make_room(&mut messages) {
                self.fail_attempt(&error);
                return Err(error);
            }
        }
    }

    /// Leaves out what follows the prompt and does not fit any more.
    fn make_room(&self, messages: &mut Vec<OpenaiChatMessage>) -> Result<(), LlmError> {
        let base = self.ask.messages.len();
        let Some(room) = self.ask.room.filter(|_| messages.len() > base) else { return Ok(()) };
        let counter = self.exchange.provider.tokenizer();
        let fixed = room::of_messages(&self.ask.messages, counter)
            .saturating_add(room::of_tools(&self.ask.tools, counter));
        let left = room.saturating_sub(fixed);
        room::fit(messages, base, left, counter).map_err(|needed| LlmError::WindowOverflow {
            provider: self.exchange.provider.uri().to_owned(),
            status: None,
            message: format!(
                "a round of tools takes {needed} tokens, and {left} of {room} are left for it"
            ),
        })
    }

    async fn call_tool(
        &mut self,
        executor: &dyn ToolExecutor,
        call: &ToolCall,
    ) -> Result<ToolOutcome, LlmError> {
        self.observer.event(AskEvent::ToolCalled { call });
        let work = executor.execute(call, self.exchange.cancel);
        let outcome = self.exchange.within(work).await?;
        self.observer.event(AskEvent::ToolReturned { call, outcome: &outcome });
        Ok(outcome)
    }

    async fn request(
        &mut self,
        attempt: u32,
        round: u32,
        messages: &[OpenaiChatMessage],
    ) -> Result<ChatResponse, LlmError> {
        let mut call = self.call(messages);
        let digest = call.digest();
        self.observer.event(AskEvent::Request { attempt, round, digest: &digest, call: &call });
        let (text, values) = (self.observer.wants_text(), self.observer.wants_values());
        // Without a shape the text itself is the value.
        let mut partial =
            self.ask.shape.filter(|_| values).map(|shape| Partial::new(Some(shape.clone())));
        // Both closures below report to the observer, and never at the same time.
        let observer = std::sync::Mutex::new(&mut *self.observer);
        let told = |event: AskEvent<'_>| {
            observer.lock().unwrap_or_else(std::sync::PoisonError::into_inner).event(event);
        };
        let (ask, mut heard) = (self.ask, String::new());
        let mut stops = Stops::new(ask.stops());
        let mut hear = |delta: &str| {
            heard.push_str(delta);
            let said = stops.push(delta);
            if text && !said.is_empty() {
                told(AskEvent::Text { delta: &said });
            }
            if let Some(value) = partial.as_mut().and_then(|partial| partial.push(delta)) {
                told(AskEvent::Value { value });
            }
        };
        let mut retried = Vec::new();
        let mut on_retry = |error: &LlmError, wait: Duration| {
            retried.push(Retried { error: error.clone(), wait });
            told(AskEvent::Retrying { error, wait });
        };
        let streamed = text || values;
        let sink: Option<contexture_core::provider::TextSink<'_>> =
            if streamed { Some(&mut hear) } else { None };
        let began = Instant::now();
        let outcome = self.exchange.send(&mut call, Some(&digest), sink, &mut on_retry).await;
        self.report.is_heard = !heard.is_empty();
        let rest = stops.rest();
        if text && outcome.is_ok() && !rest.is_empty() {
            told(AskEvent::Text { delta: &rest });
        }
        // What came since the answer was last read.
        if let Some(value) = partial.as_mut().filter(|_| outcome.is_ok()).and_then(Partial::refresh)
        {
            told(AskEvent::Value { value });
        }
        if outcome.is_err() && !heard.is_empty() {
            self.estimate(messages, &heard);
        }
        self.note(digest, outcome, (retried, began.elapsed()))
    }

    /// Counts the tokens of an answer that broke off: its server reports none, and charges them.
    fn estimate(&mut self, messages: &[OpenaiChatMessage], heard: &str) {
        let counter = self.exchange.provider.tokenizer();
        let prompt = room::of_messages(messages, counter)
            .saturating_add(room::of_tools(&self.ask.tools, counter));
        let usage = Usage::new(prompt, counter.count(heard) as u64);
        if let Some(attempt) = self.report.attempts.last_mut() {
            attempt.usage += usage;
            attempt.usage_estimated = true;
        }
        self.report.usage += usage;
        self.report.usage_estimated = true;
    }

    /// Keeps what a request took and gives its answer.
    fn note(
        &mut self,
        digest: Digest,
        mut outcome: Result<Reply, LlmError>,
        (retried, took): (Vec<Retried>, Duration),
    ) -> Result<ChatResponse, LlmError> {
        if let Ok(Reply { response, .. }) = &mut outcome
            && cut(&mut response.text, self.ask.stops())
        {
            response.finish_reason = Some(FinishReason::Stop);
        }
        let attempt = self.report.attempts.last_mut();
        if let Some(attempt) = attempt {
            if outcome.as_ref().err().is_none_or(LlmError::is_sent) {
                attempt.requests.push(digest);
            }
            attempt.retried.extend(retried);
            attempt.took += took;
            if let Ok(reply) = &outcome {
                attempt.usage += reply.response.usage;
                attempt.usage_estimated |= reply.usage_estimated;
                attempt.conceded += reply.conceded;
                attempt.sent.clone_from(&reply.sent);
                attempt.finish_reason.clone_from(&reply.response.finish_reason);
                attempt.text.clone_from(&reply.response.text);
            }
        }
        let reply = outcome?;
        self.report.usage += reply.response.usage;
        self.report.usage_estimated |= reply.usage_estimated;
        for warning in reply.warnings {
            if !self.report.warnings.contains(&warning) {
                self.report.warnings.push(warning);
            }
        }
        match &reply.response.finish_reason {
            Some(reason) if reason.is_failure() => Err(LlmError::AnswerFailed {
                provider: self.exchange.provider.uri().to_owned(),
                reason: reason.as_str().to_owned(),
            }),
            _ => Ok(reply.response),
        }
    }

    fn call(&self, messages: &[OpenaiChatMessage]) -> ChatCall {
        let ask = self.ask;
        let tools = ask.executor.filter(|_| !ask.tools.is_empty()).map(|_| ask.tools.clone());
        let has_tools = tools.is_some();
        let stop = ask.stops();
        let request = OpenaiChatRequest {
            model: self.exchange.provider.model().to_owned(),
            messages: messages.to_vec(),
            temperature: ask.temperature,
            tools,
            tool_choice: ask.tool_choice.clone().filter(|_| has_tools),
            parallel_tool_calls: ask.parallel_tool_calls.filter(|_| has_tools),
            stop: (!stop.is_empty()).then(|| Stop::Many(stop.to_vec())),
            ..OpenaiChatRequest::default()
        };
        ChatCall {
            request,
            schema: ask.schema.clone().or_else(|| {
                ask.shape.map(|shape| Arc::new(SchemaHint::of_shape(shape, ask.strict)))
            }),
            think: ask.think,
            max_output: self.max_output,
            max_input: ask.max_input,
            timeout: None,
            key: ask.key.clone(),
        }
    }

    fn fail_attempt(&mut self, error: &dyn std::fmt::Display) {
        if let Some(attempt) = self.report.attempts.last_mut() {
            attempt.failure = Some(error.to_string());
            self.observer.event(AskEvent::AttemptEnded { attempt });
        }
    }

    fn end_attempt(&mut self, text: &str, checked: &Result<Reading, AnswerError>) {
        let Some(attempt) = self.report.attempts.last_mut() else { return };
        text.clone_into(&mut attempt.text);
        match checked {
            Ok(reading) => {
                attempt.repairs.clone_from(&reading.repairs);
                attempt.coerced.clone_from(&reading.coerced);
            }
            Err(error) => attempt.errors = error.errors(),
        }
        self.observer.event(AskEvent::AttemptEnded { attempt });
    }
}
