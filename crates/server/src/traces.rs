//! Kept runs as traces for OpenTelemetry (IN-14).
//!
//! Enabled and addressed by the same variables as the traces of [`crate::serve`]. A span is made of
//! each event of the record that takes time, with the times of the record. Texts are not part of it.
//!
//! Decision: the ids follow from the id of the run, so that the record leads to the trace and a run
//! that is exported twice is the same trace. So the spans are made here, not by a tracer, which would
//! choose ids and times itself.

use crate::Fault;
use crate::serve::operations::otlp::endpoint;
use crate::serve::operations::telemetry::{exporter, finish_reasons, model_name, resource, usage};
use contexture::Project;
use contexture::context::manifest::AttemptRecord;
use contexture::context::{Digest, TraceEvent, TraceKind};
use contexture::inspect::attempts;
use contexture::prompt::Usage;
use contexture::store::runs::{RunId, RunLog, RunStore};
use futures_util::FutureExt as _;
use opentelemetry::trace::{
    SpanContext, SpanId, SpanKind, Status, TraceFlags, TraceId, TraceState,
};
use opentelemetry::{InstrumentationScope, KeyValue};
use opentelemetry_otlp::SpanExporter;
use opentelemetry_sdk::trace::{SpanData, SpanEvents, SpanExporter as _, SpanLinks};
use serde_json::Value;
use std::collections::HashMap;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The spans of one request to a collector.
const BATCH: usize = 512;

/// The export of kept runs to a collector.
#[derive(Debug)]
pub struct Traces {
    exporter: SpanExporter,
}

impl Traces {
    /// Sets the export up from the environment of a project; `None` where that enables none.
    ///
    /// # Errors
    /// [`Fault`] for a setting that is not supported.
    pub fn open(project: &Project) -> Result<Option<Self>, Fault> {
        let Some(endpoint) = endpoint(&project.environment)? else { return Ok(None) };
        let mut exporter = exporter(&project.environment, &endpoint)?;
        exporter.set_resource(&resource(&project.environment));
        Ok(Some(Self { exporter }))
    }

    /// Sends the spans of a run; returns their number. Blocks until the collector has them.
    ///
    /// # Errors
    /// [`Fault`] when the record can't be read or the collector does not take them.
    pub fn export(&self, runs: &dyn RunStore, id: &RunId) -> Result<usize, Fault> {
        let log = runs.load(id).map_err(|error| Fault::new(error.code(), error.to_string()))?;
        let spans = spans(&log);
        let all = spans.len();
        for batch in spans.chunks(BATCH) {
            // The client blocks, so the export is done when it was polled once.
            let sent = self.exporter.export(batch.to_vec()).now_or_never();
            let failed = |problem: &str| {
                Fault::new("trace_not_sent", format!("the trace was not sent: {problem}"))
                    .with_help(
                        "see whether the collector of OTEL_EXPORTER_OTLP_ENDPOINT runs; \
                     OTEL_SDK_DISABLED=true switches the export off",
                    )
            };
            sent.ok_or_else(|| failed("the client did not wait for the collector"))?
                .map_err(|error| failed(&error.to_string()))?;
        }
        Ok(all)
    }
}

/// Returns the spans of a run: its events that take time, each within the nearest such event.
fn spans(log: &RunLog) -> Vec<SpanData> {
    let end = log.events.iter().map(end_us).max().unwrap_or_default();
    let mut parents: HashMap<u64, Option<u64>> = HashMap::new();
    let mut spans = Vec::new();
    for event in &log.events {
        // An event within one that is not shown is within the one around that.
        let above = event.parent.and_then(|parent| match parents.get(&parent) {
            Some(above) => *above,
            None => Some(parent),
        });
        match name(event) {
            Some(name) => spans.push(span(&log.id, event, (name, above), end)),
            None => {
                parents.insert(event.id, above);
            }
        }
    }
    spans
}

fn end_us(event: &TraceEvent) -> u64 {
    event.start_us.saturating_add(event.duration_us.unwrap_or_default())
}

/// Returns the name of an event's span; `None` for what takes no time.
fn name(event: &TraceEvent) -> Option<String> {
    let word = |name: &str| event.data.get(name).and_then(Value::as_str).unwrap_or_default();
    let of = |what: &str, name: &str| format!("{what} {name}").trim_end().to_owned();
    Some(match event.kind {
        TraceKind::Run => of("run", word("program")),
        TraceKind::Agent if word("agent").is_empty() => of("call", word("function")),
        TraceKind::Agent => of("invoke_agent", word("agent")),
        TraceKind::Generate => of("chat", &model(event).1),
        TraceKind::Tool => of("execute_tool", &called(event)),
        TraceKind::Memory => of("memory", &called(event)),
        TraceKind::Knowledge => of("knowledge", word("name")),
        TraceKind::For => of("for", word("variable")),
        TraceKind::ParallelFor => of("parallel for", word("variable")),
        TraceKind::Iteration => "iteration".to_owned(),
        _ => return None,
    })
}

/// Returns the tool or memory with the method that was called.
fn called(event: &TraceEvent) -> String {
    let words = ["name", "method"].map(|name| event.data.get(name).and_then(Value::as_str));
    words.into_iter().flatten().collect::<Vec<_>>().join(".")
}

/// Returns the provider and the model that a call asked.
fn model(event: &TraceEvent) -> (&'static str, String) {
    let uri = event.data.pointer("/manifest/model/uri").and_then(Value::as_str);
    model_name(uri.unwrap_or_default())
}

fn span(
    run: &RunId,
    event: &TraceEvent,
    (name, above): (String, Option<u64>),
    end: u64,
) -> SpanData {
    let error = event.data.pointer("/error/code").and_then(Value::as_str);
    let mut attributes = told(run, event);
    attributes.extend(error.map(|code| KeyValue::new("error.type", code.to_owned())));
    // What has no end was under way when its run was killed.
    let end = event.duration_us.map_or(end, |_| end_us(event));
    let context = SpanContext::new(
        trace_id(run),
        span_id(run, event.id),
        TraceFlags::SAMPLED,
        false,
        TraceState::default(),
    );
    SpanData {
        span_context: context,
        parent_span_id: above.map_or(SpanId::INVALID, |parent| span_id(run, parent)),
        parent_span_is_remote: false,
        span_kind: match event.kind {
            TraceKind::Generate => SpanKind::Client,
            _ => SpanKind::Internal,
        },
        name: name.into(),
        start_time: time(event.start_us),
        end_time: time(end),
        attributes,
        dropped_attributes_count: 0,
        events: SpanEvents::default(),
        links: SpanLinks::default(),
        status: error.map_or(Status::Unset, |_| Status::error("")),
        instrumentation_scope: InstrumentationScope::builder("contexture").build(),
    }
}

/// Returns the attributes of a span.
fn told(run: &RunId, event: &TraceEvent) -> Vec<KeyValue> {
    let number = |value: u64| i64::try_from(value).unwrap_or(i64::MAX);
    let word = |name: &str| event.data.get(name).and_then(Value::as_str).map(str::to_owned);
    let mut all = vec![
        KeyValue::new("contexture.run.id", run.as_str().to_owned()),
        KeyValue::new("contexture.event.id", number(event.id)),
    ];
    all.extend(word("file").map(|file| KeyValue::new("code.file.path", file)));
    let line = event.data.get("line").and_then(Value::as_u64);
    all.extend(line.map(|line| KeyValue::new("code.line.number", number(line))));
    match event.kind {
        TraceKind::Agent => {
            all.push(KeyValue::new("gen_ai.operation.name", "invoke_agent"));
            all.extend(word("agent").map(|agent| KeyValue::new("gen_ai.agent.name", agent)));
        }
        TraceKind::Tool => {
            all.push(KeyValue::new("gen_ai.operation.name", "execute_tool"));
            all.push(KeyValue::new("gen_ai.tool.name", called(event)));
        }
        TraceKind::Generate => all.extend(of_call(event)),
        _ => {}
    }
    all
}

/// Returns what a model call took, as its manifest has it.
fn of_call(event: &TraceEvent) -> Vec<KeyValue> {
    let (provider, model) = model(event);
    let mut all = vec![
        KeyValue::new("gen_ai.operation.name", "chat"),
        KeyValue::new("gen_ai.provider.name", provider),
        KeyValue::new("gen_ai.request.model", model),
    ];
    let call = event.data.pointer("/manifest/call").and_then(Value::as_i64);
    all.extend(call.map(|call| KeyValue::new("contexture.call", call)));
    let attempts = attempts(event);
    if attempts.iter().any(|attempt| attempt.prompt_tokens.is_some()) {
        let sum =
            |count: fn(&AttemptRecord) -> Option<u64>| attempts.iter().filter_map(count).sum();
        all.extend(usage(&Usage {
            prompt_tokens: sum(|attempt| attempt.prompt_tokens),
            completion_tokens: sum(|attempt| attempt.completion_tokens),
            ..Usage::default()
        }));
    }
    let finish = attempts.iter().rev().find_map(|attempt| attempt.finish_reason.as_deref());
    all.extend(finish.map(finish_reasons));
    all
}

fn trace_id(run: &RunId) -> TraceId {
    TraceId::from_hex(&contexture::inspect::trace_id(run)).unwrap_or(TraceId::INVALID)
}

fn span_id(run: &RunId, event: u64) -> SpanId {
    let hex = Digest::of_text(&format!("{run} {event}")).hex();
    hex.get(..16).and_then(|id| SpanId::from_hex(id).ok()).unwrap_or(SpanId::INVALID)
}

fn time(micros: u64) -> SystemTime {
    UNIX_EPOCH + Duration::from_micros(micros)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn event(id: u64, parent: Option<u64>, kind: TraceKind, data: Value) -> TraceEvent {
        let duration_us = (id != 7).then_some(10);
        TraceEvent { v: 1, id, parent, kind, start_us: 1_000 + id, duration_us, data }
    }

    #[test]
    fn in_14_spans_have_times_and_places_of_record() {
        let call = json!({
            "manifest": { "call": 3, "model": { "uri": "openai://gpt-x" } },
            "attempts": [{ "attempt": 1, "usage": { "prompt_tokens": 7, "completion_tokens": 2 } },
                { "attempt": 2, "usage": { "prompt_tokens": 9, "completion_tokens": 4 }, "finish_reason": "stop" }],
        });
        let error =
            json!({ "name": "File", "method": "read", "error": { "code": "file_missing" } });
        let id = RunId::parse("01m8jhp81vq1yfx3vyg7r5zz42").unwrap();
        let events = [
            event(1, None, TraceKind::Run, json!({ "program": "p.as" })),
            event(2, Some(1), TraceKind::Agent, json!({ "agent": "Support" })),
            event(3, Some(2), TraceKind::Use, json!({})),
            event(4, Some(3), TraceKind::Tool, error),
            event(7, Some(2), TraceKind::Generate, call),
        ];
        let lines: String = events.iter().map(|event| json!(event).to_string() + "\n").collect();
        let log = RunLog::read(id.clone(), lines.as_bytes()).unwrap();
        let spans = spans(&log);
        let names: Vec<&str> = spans.iter().map(|span| &*span.name).collect();
        assert_eq!(
            names,
            ["run p.as", "invoke_agent Support", "execute_tool File.read", "chat gpt-x"]
        );
        let above: Vec<SpanId> = spans.iter().map(|span| span.parent_span_id).collect();
        let own = |id| span_id(&log.id, id);
        assert_eq!(above, [SpanId::INVALID, own(1), own(2), own(2)], "a `use` is not a span");
        assert!(spans.iter().all(|span| span.span_context.trace_id() == trace_id(&id)));
        assert_eq!(spans[2].start_time, time(1_004));
        assert_eq!(spans[2].end_time, time(1_014));
        assert_eq!(spans[2].status, Status::error(""));
        assert_eq!(spans[3].end_time, time(1_014), "it had no end: that of what ended last");
        let value = |name: &str| {
            let found = spans[3].attributes.iter().find(|one| one.key.as_str() == name);
            found.map(|one| one.value.to_string()).unwrap_or_default()
        };
        assert_eq!(value("gen_ai.usage.input_tokens"), "16");
        assert_eq!(value("gen_ai.usage.output_tokens"), "6");
        assert_eq!(value("gen_ai.provider.name"), "openai");
        assert_eq!(value("gen_ai.response.finish_reasons"), "[\"stop\"]");
        assert_eq!(value("contexture.call"), "3");
    }
}
