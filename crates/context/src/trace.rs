//! Trace events: the actions of a run, one JSON line each, written as they happen (AS-29).
//!
//! An event that takes time is written more than once under one id: when it begins (`duration_us`
//! absent), when something is learnt about it (the manifest of a model call before the call is
//! made), and when it ends. Each line contains only new data; lines that would be written together
//! are one. A reader adds them up with [`TraceEvent::absorb`]. So a trace grows with the events,
//! and a run that was killed still shows what was running.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The version of the trace lines that this crate writes.
pub const TRACE_VERSION: u32 = 1;

/// The kinds of events (AS-29).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum TraceKind {
    /// The whole run: program, input, model, outcome. The root of the tree.
    Run,
    /// A `use` declaration: source, label, budget.
    Use,
    /// A model call: site, manifest, each attempt, value.
    Generate,
    /// A tool call.
    Tool,
    /// A memory call.
    Memory,
    /// A query of a knowledge pack.
    Knowledge,
    /// A call of an agent.
    Agent,
    /// A `for`, `repeat` or `loop`.
    For,
    /// A `parallel for`.
    ParallelFor,
    /// One iteration of a loop.
    Iteration,
    /// The input of the run or of an agent.
    Input,
    /// A file that was imported.
    File,
    /// A warning, such as a `max` that truncated a loop (AS-11).
    Warning,
    /// What a program says that it does (CA-8).
    Progress,
    /// A value that a program lets up: the reason, its sources, its parts (GU-4).
    Release,
    /// A failure.
    Error,
}

/// One line of a trace.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TraceEvent {
    /// [`TRACE_VERSION`] at the time of writing.
    pub v: u32,
    /// The number of the event in its run, from 1.
    pub id: u64,
    /// The parent of the event; absent at the root.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub parent: Option<u64>,
    /// Its kind.
    pub kind: TraceKind,
    /// Its start, in microseconds since 1970-01-01 UTC.
    pub start_us: u64,
    /// Its duration, in microseconds; absent while it is running.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub duration_us: Option<u64>,
    /// The details, by kind; texts by digest.
    pub data: Value,
}

impl TraceEvent {
    /// Adds a later line of the same event: its fields of `data` are added, equal ones replaced,
    /// and its duration counts if it has one.
    pub fn absorb(&mut self, later: Self) {
        self.duration_us = later.duration_us.or(self.duration_us);
        match (&mut self.data, later.data) {
            (Value::Object(data), Value::Object(more)) => data.extend(more),
            (_, Value::Null) => {}
            (data, more) => *data = more,
        }
    }
}

/// Returns the JSON Schema of [`TraceEvent`], as published in `schemas/`.
#[must_use]
pub fn trace_schema() -> Value {
    schemars::schema_for!(TraceEvent).to_value()
}
