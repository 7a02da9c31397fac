//! What the model of each `generate` may call, for people and for programs (GU-2).

use crate::output::text::sanitized;
use crate::prelude::*;
use contexture::diagnostic::{SourceFile, render};
use contexture::ports::policy::Class;
use contexture::script::semantic::{Cause, GenerateFacts};

/// A model call of a checked program.
pub(super) struct CallEffects {
    facts: GenerateFacts,
    span: Value,
}

impl CallEffects {
    pub(super) fn new(facts: GenerateFacts, files: &[SourceFile]) -> Self {
        let source = files.iter().find(|file| file.name() == facts.file);
        let span = source.map(|source| render::span_json(facts.span, source));
        Self { span: span.unwrap_or_default(), facts }
    }
}

pub(super) fn json(found: &CallEffects) -> Value {
    let cause = |cause: &Cause| json!({ "tool": cause.tool, "method": cause.method, "class": cause.class.as_str() });
    let can: Vec<Value> = found.facts.can.iter().map(cause).collect();
    json!({ "file": found.facts.file, "span": found.span, "can": can, "plan": found.facts.plan })
}

/// Renders a line for each model call, with the methods by class.
pub(super) fn text(found: &[CallEffects], paint: Paint) -> String {
    let mut text = String::new();
    for CallEffects { facts, span } in found {
        let at = |key: &str| span.get(key).and_then(Value::as_u64).unwrap_or_default();
        let place = format!("{}:{}:{}", sanitized(&facts.file), at("line"), at("column"));
        let what = match summary(&facts.can) {
            parts if parts.is_empty() => "its model may call nothing".to_owned(),
            parts if facts.plan => format!("its plan may {parts}"),
            parts => format!("its model may {parts}"),
        };
        // Writing to a string can't fail.
        let _ = writeln!(text, "{}: {what}", paint.bold(&place));
    }
    if found.is_empty() {
        text.push_str("no model calls\n");
    }
    text
}

/// Returns `read with Grep.run, File.read; write with File.write`.
fn summary(can: &[Cause]) -> String {
    let classes = [Class::Read, Class::Write, Class::Send, Class::Execute];
    let parts = classes.into_iter().filter_map(|class| {
        let names = can.iter().filter(|cause| cause.class == class);
        let names: Vec<String> =
            names.map(|cause| format!("{}.{}", cause.tool, cause.method)).collect();
        (!names.is_empty()).then(|| format!("{class} with {}", names.join(", ")))
    });
    parts.collect::<Vec<String>>().join("; ")
}
