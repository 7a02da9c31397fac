//! `generate`: a prompt is laid out, recorded, sent, its answer checked and recorded (AS-19 to AS-23).

use super::attachments;
use super::convert::think;
use super::knowledge;
use super::model_tools::ModelTools;
use super::prompt::{Prepared, prepare};
use super::references::{Gathered, gather};
use super::servers::{self, Offered};
use super::{LiveHost, placeholder, supplied, unknown};
use crate::models::Model;
use crate::observe::Progress;
use contexture_answer::{FieldError, Shape};
use contexture_context::{CutReason, Digest, Trust};
use contexture_llm::{
    Answer, Ask, AskError, AskEvent, AskObserver, Attempt, LlmError, Report, ask,
};
use contexture_prompt::{OpenaiChatMessage, OpenaiContentPart, Usage};
use contexture_reference::tool::Offers;
use contexture_script::host::{GenerateCall, HostError, Supplied};
use serde::Serialize;
use serde_json::{Value, json};
use std::time::Duration;

/// How often in a row a model may call tools before it has to answer.
const TOOL_ROUNDS: u32 = 8;

/// Answers a `generate`.
pub(super) async fn generate(
    host: &LiveHost,
    mut call: GenerateCall,
) -> Result<Supplied, HostError> {
    host.hint(&mut call);
    let number = host.count_model_call()?;
    let model = host.models.get(call.model.as_deref()).map_err(|error| llm_error(&error))?;
    let shown = knowledge::show(host, &call, &model)?;
    let attached = attachments::show(host, &shown.call, &model).await?;
    let media = attached.parts;
    let Gathered { call, offers, packs: of_references, answers } =
        gather(host, &attached.call, &model).await?;
    let mut packs = shown.packs;
    packs.add(answers);
    let fenced: Vec<_> = host.state().fenced.iter().cloned().collect();
    let mut prepared = prepare(&call, &model, number, &fenced, &mut packs)?;
    let mut packs = packs.kept(&prepared.items)?;
    packs.extend(of_references);
    prepared.manifest.packs = std::mem::take(&mut packs.records);
    host.note_call(&call, &model, &prepared);
    if host.dry_run {
        return Ok(dry_run(host, &call, &prepared));
    }
    knowledge::log(host, &packs.found);
    host.recorder.keep(std::mem::take(&mut prepared.blobs));
    host.recorder.amend_field(call.event, "manifest", &prepared.manifest);
    let key = cache_key(&call, &model, &prepared);
    if let Some(value) = key.as_ref().and_then(|key| host.state().cache.get(key).cloned()) {
        host.recorder.amend(call.event, json!({ "from_cache": true }));
        return Ok(supplied(value, Trust::Model));
    }
    if !call.options.tools.is_empty() && model.uri.starts_with("builtin:") {
        host.warn(format!(
            "{}: {} calls no tools, and answers from what it is shown alone",
            call.site, model.uri
        ));
    }
    let of_servers = servers::offered(host, &call.options.tools).await?;
    host.observer.notify(Progress::GenerateStarted {
        event: call.event,
        site: call.site.clone(),
        model: model.uri.clone(),
        prompt_tokens: prepared.manifest.tokens,
    });
    let outcome = send(host, &call, &model, prepared, (offers, of_servers), media).await;
    let value = finish(host, &call, outcome)?;
    if let Some(key) = key {
        host.state().cache.insert(key, value.clone());
    }
    Ok(supplied(value, Trust::Model))
}

async fn send(
    host: &LiveHost,
    call: &GenerateCall,
    model: &Model,
    prepared: Prepared,
    offered: (Offers, Vec<Offered>),
    media: Vec<OpenaiContentPart>,
) -> Result<Answer, AskError> {
    let options = &call.options;
    let tools = ModelTools::new(host, call, model, prepared.manifest, offered);
    let definitions = tools.definitions();
    let mut messages = prepared.laid.messages;
    attachments::put(&mut messages, media);
    let question = Ask {
        messages,
        shape: call.shape.as_ref(),
        attempts: options.attempts,
        strict: options.strict,
        max_output: options.max_output,
        temperature: options.temperature,
        think: options.think.map(think),
        timeout: options.timeout_ms.map(Duration::from_millis),
        retry: host.retry,
        executor: (!definitions.is_empty()).then_some(&tools),
        tools: definitions,
        tool_rounds: TOOL_ROUNDS,
    };
    let mut listener = Listener {
        host,
        tools: &tools,
        event: call.event,
        base: question.messages.len(),
        attempts: Vec::new(),
        calls: 0,
    };
    let outcome = ask(&*model.provider, &question, &mut listener, &host.cancel).await;
    // A program that lists tools means them; what is offered beside it can be left out.
    match &outcome {
        Err(error) if options.tools.is_empty() && refuses_tools(&question, error) => {
            host.warn(format!("{} takes no tools: what is pending can't be loaded", model.uri));
            host.state().without_tools.insert(model.uri.clone());
            let question = Ask { tools: Vec::new(), executor: None, ..question };
            ask(&*model.provider, &question, &mut listener, &host.cancel).await
        }
        _ => outcome,
    }
}

/// Whether a server refused a request because of the tools in it.
fn refuses_tools(question: &Ask<'_>, error: &AskError) -> bool {
    let AskError::Provider { error, .. } = error else { return false };
    match error {
        LlmError::BadRequest { message, .. } | LlmError::Server { message, .. } => {
            !question.tools.is_empty() && message.to_lowercase().contains("tool")
        }
        _ => false,
    }
}

/// Gathers what the call took, tells of it, and turns a failure into the program's.
fn finish(
    host: &LiveHost,
    call: &GenerateCall,
    outcome: Result<Answer, AskError>,
) -> Result<Value, HostError> {
    let report = match &outcome {
        Ok(answer) => &answer.report,
        Err(error) => error.report(),
    };
    note_report(host, call, report);
    host.observer.notify(Progress::GenerateEnded {
        event: call.event,
        usage: report.usage,
        ok: outcome.is_ok(),
        finish: report.attempts.last().and_then(|attempt| attempt.finish_reason.clone()),
    });
    outcome.map(|answer| answer.value).map_err(|error| ask_error(&error))
}

fn note_report(host: &LiveHost, call: &GenerateCall, report: &Report) {
    host.state().usage += report.usage;
    host.recorder.amend_field(call.event, "usage", &report.usage);
    host.recorder.amend_field(call.event, "usage_estimated", &report.usage_estimated);
    if call.options.debug {
        for warning in &report.warnings {
            host.warn(format!("{}: {warning}", call.site));
        }
    }
}

/// Follows an answer while it comes, and keeps each attempt in the trace.
struct Listener<'h> {
    host: &'h LiveHost,
    tools: &'h ModelTools<'h>,
    event: u64,
    /// Messages of the prompt itself; what follows them was added on the way.
    base: usize,
    attempts: Vec<Entry>,
    calls: u64,
}

impl AskObserver for Listener<'_> {
    fn event(&mut self, event: AskEvent<'_>) {
        match event {
            AskEvent::Request { attempt, round, digest, call } => {
                if round == 0 {
                    let number = attempt;
                    self.host
                        .observer
                        .notify(Progress::AttemptStarted { event: self.event, attempt: number });
                }
                if self.host.recorder.is_on() {
                    self.request(attempt, digest, &call.request.messages);
                }
            }
            AskEvent::Text { delta } => self
                .host
                .observer
                .notify(Progress::TextDelta { event: self.event, text: delta.to_owned() }),
            AskEvent::Value { value } => self
                .host
                .observer
                .notify(Progress::PartialValue { event: self.event, value: value.clone() }),
            AskEvent::Retrying { error, wait } => {
                let seconds = wait.as_secs_f64();
                self.host.warn(format!("{error}; trying again in {seconds:.1} s"));
            }
            AskEvent::ToolsAsked { text, calls, usage } => self.tools.asked(text, calls, usage),
            AskEvent::ToolCalled { call } => {
                self.host.observer.notify(Progress::ToolCalled { name: call.function.name.clone() })
            }
            AskEvent::AttemptEnded { attempt } => self.ended(attempt),
            _ => {}
        }
    }

    fn wants_text(&self) -> bool {
        self.host.observer.wants_text()
    }

    fn wants_values(&self) -> bool {
        self.host.observer.wants_values()
    }
}

impl Listener<'_> {
    fn request(&mut self, attempt: u32, digest: &Digest, messages: &[OpenaiChatMessage]) {
        self.calls += 1;
        let added_messages = messages.iter().skip(self.base).cloned().collect();
        self.attempts.push(Entry::new(attempt, digest.clone(), added_messages));
        self.write();
        self.host.recorder.flush();
    }

    fn ended(&mut self, attempt: &Attempt) {
        let Some(entry) = self.attempts.last_mut() else { return };
        entry.answer = Some(attempt.text.clone());
        entry.usage = Some(attempt.usage);
        entry.finish_reason =
            attempt.finish_reason.as_ref().map(|reason| reason.as_str().to_owned());
        entry.errors.clone_from(&attempt.errors);
        entry.failure.clone_from(&attempt.failure);
        entry.repaired = attempt.repairs.iter().map(ToString::to_string).collect();
        entry.coerced = attempt.coerced.iter().map(ToString::to_string).collect();
        entry.retried = attempt.retried.iter().map(|one| one.error.to_string()).collect();
        self.write();
    }

    fn write(&self) {
        self.host.recorder.amend_field(self.event, "attempts", &self.attempts);
    }
}

/// An attempt as the trace has it: what it was asked, and once it has ended, what came of it.
#[derive(Serialize)]
struct Entry {
    attempt: u32,
    request: Digest,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    added_messages: Vec<OpenaiChatMessage>,
    #[serde(skip_serializing_if = "Option::is_none")]
    answer: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    usage: Option<Usage>,
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
}

impl Entry {
    const fn new(attempt: u32, request: Digest, added_messages: Vec<OpenaiChatMessage>) -> Self {
        Self {
            attempt,
            request,
            added_messages,
            answer: None,
            usage: None,
            finish_reason: None,
            errors: Vec::new(),
            failure: None,
            repaired: Vec::new(),
            coerced: Vec::new(),
            retried: Vec::new(),
        }
    }
}

impl LiveHost {
    /// Tells what a person should know of a call before it is made.
    fn note_call(&self, call: &GenerateCall, model: &Model, prepared: &Prepared) {
        if call.instruction_trust.is_fenced() {
            let trust = call.instruction_trust;
            self.warn(format!(
                "{}: the instruction holds text of trust `{trust}`; show data with `use` instead, so that it stays data",
                call.site
            ));
        }
        for item in &prepared.items {
            // Of resources that share a budget this was told once for all.
            if item.budget.is_some_and(|budget| budget.limit == 0) {
                continue;
            }
            if item.cuts.iter().any(|cut| cut.reason == CutReason::ItemBudget && cut.left_nothing())
            {
                self.warn(format!(
                    "{}: nothing of `{}` fits its budget; raise `max`, or use a part of the value",
                    call.site, item.source
                ));
            }
        }
        let noted = |state: &mut super::State| std::mem::replace(&mut state.fallback_noted, true);
        if model.fallback && !self.dry_run && !noted(&mut self.state()) {
            self.observer.notify(Progress::Note(format!(
                "no model is set: {} answers from the text itself (set one with --model)",
                model.uri
            )));
        }
        if call.options.debug {
            let text = |message: &OpenaiChatMessage| {
                (message.role.to_string(), message.text().into_owned())
            };
            let messages = prepared.laid.messages.iter().map(text).collect();
            self.observer.notify(Progress::DebugPrompt { site: call.site.clone(), messages });
        }
    }
}

/// Keeps the prompt, and gives what stands for its answer: a value of the right type.
fn dry_run(host: &LiveHost, call: &GenerateCall, prepared: &Prepared) -> Supplied {
    let mut state = host.state();
    let after = if call.on_placeholders { state.stood_in.clone() } else { Vec::new() };
    state.prompts.push(prepared.dry(call, after));
    drop(state);
    host.note_placeholder(format!("generate at {}", call.site));
    let Some(shape) = &call.shape else {
        return placeholder("dry-run answer".into(), Trust::Model);
    };
    let answer = contexture_llm::mock::placeholder(&shape.to_json_schema());
    if is_open(shape) {
        return unknown(answer, Trust::Model);
    }
    placeholder(answer, Trust::Model)
}

/// Whether a shape leaves a part of the answer open.
fn is_open(shape: &Shape) -> bool {
    match shape {
        Shape::Json | Shape::List(None) => true,
        Shape::List(Some(item)) => is_open(item),
        Shape::Object(fields) => fields.iter().any(|field| is_open(&field.shape)),
        _ => false,
    }
}

/// Equal requests have equal keys; `None` unless `cache: true`.
fn cache_key(call: &GenerateCall, model: &Model, prepared: &Prepared) -> Option<String> {
    if !call.options.cache {
        return None;
    }
    let manifest = &prepared.manifest;
    let messages: Vec<&Digest> = manifest.messages.iter().map(|one| &one.digest).collect();
    Some(json!([model.uri, messages, manifest.schema, manifest.options]).to_string())
}

fn llm_error(error: &LlmError) -> HostError {
    let mut failure = HostError::new(error.kind(), error.to_string());
    failure.help = error.help();
    failure.cancelled = matches!(error, LlmError::Cancelled);
    failure
}

fn ask_error(error: &AskError) -> HostError {
    match error {
        AskError::Provider { error, .. } => llm_error(error),
        AskError::Unusable { error: fault, text, report } => {
            let mut failure = HostError::new(error.kind(), error.to_string());
            failure.help = error.help();
            let attempts = report.attempts.len();
            failure.details =
                Some(json!({ "errors": fault.errors(), "answer": text, "attempts": attempts }));
            failure
        }
        error => HostError::new(error.kind(), error.to_string()),
    }
}
