//! The spans of one turn: the agent's, and under it one for each model call and each tool.

use crate::serve::operations::parent::Parent;
use crate::serve::turn::ended::Ended;
use contexture::llm::ModelUri;
use contexture::observe::Progress;
use contexture::prompt::{FinishReason, Usage};
use contexture::store::masker::Masker;
use contexture::turn::{Call, Conversation, Runtime, ToolFailure, TurnEvent};
use contexture_protocol::ErrorCode;
use opentelemetry::trace::{
    Span as _, SpanContext, SpanId, SpanKind, Status, TraceContextExt as _, TraceFlags, TraceId,
    TraceState, Tracer as _,
};
use opentelemetry::{Array, Context, KeyValue, StringValue, Value as Attribute};
use opentelemetry_sdk::trace::{SdkTracer, SdkTracerProvider, Span};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

pub(super) struct Export {
    pub(super) provider: SdkTracerProvider,
    pub(super) tracer: SdkTracer,
    /// The masker of texts, if they are exported.
    pub(super) captured: Option<Masker>,
}

/// The spans of a turn. Without an exporter it contains only the trace of the sender.
pub(crate) struct TurnSpan {
    open: Option<Open>,
    trace: Option<String>,
}

struct Open {
    export: Arc<Export>,
    /// The masker of the sensitive texts of the conversation.
    private: Masker,
    context: Context,
    /// Model calls that run.
    models: HashMap<u64, Span>,
    /// The arguments of running tools.
    calls: HashMap<String, Value>,
    is_ended: bool,
}

impl TurnSpan {
    /// Starts the span of a turn.
    pub(super) fn begin(
        export: Option<&Arc<Export>>,
        agent: &str,
        parent: Option<&Parent>,
        conversation: &Conversation,
    ) -> Self {
        let Some(export) = export else {
            return Self { open: None, trace: parent.map(Parent::trace_id) };
        };
        let mut attributes = vec![
            KeyValue::new("gen_ai.operation.name", "invoke_agent"),
            KeyValue::new("gen_ai.provider.name", "contexture"),
            KeyValue::new("gen_ai.agent.name", agent.to_owned()),
        ];
        if let Some(context) = &conversation.context_id {
            attributes.push(KeyValue::new("gen_ai.conversation.id", context.clone()));
        }
        let above = parent.map_or_else(Context::new, |parent| remote(*parent));
        let span = export
            .tracer
            .span_builder(format!("invoke_agent {agent}"))
            .with_kind(SpanKind::Internal)
            .with_attributes(attributes)
            .start_with_context(&export.tracer, &above);
        let trace = span.span_context().trace_id().to_string();
        let context = above.with_span(span);
        let export = Arc::clone(export);
        let (models, calls) = (HashMap::new(), HashMap::new());
        let private = Masker::new(conversation.private.iter().cloned());
        let open = Open { export, private, context, models, calls, is_ended: false };
        open.say("gen_ai.input.messages", || {
            let past = conversation.messages.iter();
            let past = past.map(|said| message(said.role.as_str(), &said.text));
            past.chain([message("user", &conversation.text)]).collect()
        });
        Self { open: Some(open), trace: Some(trace) }
    }
}

/// Returns the span of the sender as a parent.
fn remote(parent: Parent) -> Context {
    let (trace, span, flags) = parent.ids();
    let (trace, span) = (TraceId::from(trace), SpanId::from(span));
    let state = TraceState::default();
    let remote = SpanContext::new(trace, span, TraceFlags::new(flags), true, state);
    Context::new().with_remote_span_context(remote)
}

impl TurnSpan {
    pub(crate) fn trace_id(&self) -> Option<&str> {
        self.trace.as_deref()
    }

    pub(crate) fn event(&mut self, event: &TurnEvent) {
        let Some(open) = &mut self.open else { return };
        match event {
            TurnEvent::Progress(Progress::GenerateStarted { event, model, .. }) => {
                open.ask(*event, model);
            }
            TurnEvent::Progress(Progress::GenerateEnded { event, usage, ok, finish, .. }) => {
                open.answered(*event, usage, *ok, finish.as_ref());
            }
            TurnEvent::ToolCalls { calls, .. } => open.calls(calls),
            TurnEvent::ToolResult { call_id, name, runtime, outcome, execution_ms } => {
                open.tool(call_id, name, *runtime, outcome, *execution_ms);
            }
            _ => {}
        }
    }

    pub(crate) fn end(&mut self, ended: &Ended) {
        let Some(open) = &mut self.open else { return };
        let span = open.context.span();
        usage(&ended.report.usage).into_iter().for_each(|one| span.set_attribute(one));
        if let Some(model) = &ended.report.model {
            span.set_attribute(KeyValue::new("gen_ai.request.model", name(model).1));
        }
        match ended.error() {
            Some(refused) => open.fail(refused.code),
            None => {
                let reason = if ended.word() == "length" { "length" } else { "stop" };
                open.say("gen_ai.output.messages", || {
                    let mut said = message("assistant", &ended.report.text);
                    if let Some(fields) = said.as_object_mut() {
                        fields.insert("finish_reason".to_owned(), reason.into());
                    }
                    vec![said]
                });
            }
        }
        open.is_ended = true;
        open.context.span().end();
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        if !self.is_ended {
            self.fail(ErrorCode::Internal);
        }
    }
}

impl Open {
    /// Adds texts to the span, if they are exported.
    fn say(&self, name: &'static str, said: impl FnOnce() -> Vec<Value>) {
        let Some(masker) = &self.export.captured else { return };
        let text = Value::Array(said()).to_string();
        let text = self.private.text(&masker.text(&text)).into_owned();
        self.context.span().set_attribute(KeyValue::new(name, text));
    }

    fn fail(&self, code: ErrorCode) {
        let span = self.context.span();
        span.set_attribute(KeyValue::new("error.type", code.as_str()));
        span.set_status(Status::error(""));
    }

    fn child(
        &self,
        name: String,
        kind: SpanKind,
        began: SystemTime,
        attributes: Vec<KeyValue>,
    ) -> Span {
        let tracer = &self.export.tracer;
        let builder = tracer.span_builder(name).with_kind(kind).with_start_time(began);
        builder.with_attributes(attributes).start_with_context(tracer, &self.context)
    }

    fn ask(&mut self, event: u64, uri: &str) {
        let (provider, model) = name(uri);
        let attributes = vec![
            KeyValue::new("gen_ai.operation.name", "chat"),
            KeyValue::new("gen_ai.provider.name", provider),
            KeyValue::new("gen_ai.request.model", model.clone()),
        ];
        let span =
            self.child(format!("chat {model}"), SpanKind::Client, SystemTime::now(), attributes);
        self.models.insert(event, span);
    }

    fn answered(&mut self, event: u64, used: &Usage, ok: bool, finish: Option<&FinishReason>) {
        let Some(mut span) = self.models.remove(&event) else { return };
        span.set_attributes(usage(used));
        if let Some(finish) = finish {
            span.set_attribute(finish_reasons(finish.as_str()));
        }
        if !ok {
            span.set_attribute(KeyValue::new("error.type", "_OTHER"));
            span.set_status(Status::error(""));
        }
        span.end();
    }

    fn calls(&mut self, calls: &[Call]) {
        if self.export.captured.is_some() {
            let given = calls.iter().map(|call| (call.call_id.clone(), call.parameters.clone()));
            self.calls.extend(given);
        }
    }

    fn tool(
        &mut self,
        call: &str,
        name: &str,
        runtime: Runtime,
        outcome: &Result<Value, ToolFailure>,
        millis: u64,
    ) {
        let kind = match runtime {
            Runtime::Frontend => "function",
            Runtime::Backend => "extension",
        };
        let mut attributes = vec![
            KeyValue::new("gen_ai.operation.name", "execute_tool"),
            KeyValue::new("gen_ai.tool.name", name.to_owned()),
            KeyValue::new("gen_ai.tool.call.id", call.to_owned()),
            KeyValue::new("gen_ai.tool.type", kind),
        ];
        if let Some(masker) = &self.export.captured {
            let mut tell = |name: &'static str, value: &Value| {
                let text = value.to_string();
                let text = self.private.text(&masker.text(&text)).into_owned();
                attributes.push(KeyValue::new(name, text));
            };
            if let Some(given) = self.calls.remove(call) {
                tell("gen_ai.tool.call.arguments", &given);
            }
            if let Ok(value) = outcome {
                tell("gen_ai.tool.call.result", value);
            }
        }
        let began = SystemTime::now().checked_sub(Duration::from_millis(millis));
        let began = began.unwrap_or_else(SystemTime::now);
        let title = format!("execute_tool {name}");
        let mut span = self.child(title, SpanKind::Internal, began, attributes);
        if let Err(failure) = outcome {
            span.set_attribute(KeyValue::new("error.type", failure.code.clone()));
            span.set_status(Status::error(""));
        }
        span.end();
    }
}

/// Returns the reason why a model stopped, in the form of the conventions.
pub(crate) fn finish_reasons(reason: &str) -> KeyValue {
    let reasons = Attribute::Array(Array::String(vec![StringValue::from(reason.to_owned())]));
    KeyValue::new("gen_ai.response.finish_reasons", reasons)
}

pub(crate) fn usage(usage: &Usage) -> Vec<KeyValue> {
    let count = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
    vec![
        KeyValue::new("gen_ai.usage.input_tokens", count(usage.prompt_tokens)),
        KeyValue::new("gen_ai.usage.output_tokens", count(usage.completion_tokens)),
    ]
}

/// Returns a message in the form of the conventions.
fn message(role: &str, text: &str) -> Value {
    let role = if role == "model" { "assistant" } else { role };
    json!({ "role": role, "parts": [{ "type": "text", "content": text }] })
}

/// Returns the provider and the model of a URI.
pub(crate) fn name(uri: &str) -> (&'static str, String) {
    let Ok(parsed) = uri.parse::<ModelUri>() else { return ("_OTHER", uri.to_owned()) };
    let provider = match &parsed {
        ModelUri::OpenAi { .. } | ModelUri::Compatible { .. } => "openai",
        ModelUri::Anthropic { .. } => "anthropic",
        ModelUri::Ollama { .. } => "ollama",
        _ => "contexture",
    };
    (provider, parsed.model().to_owned())
}
