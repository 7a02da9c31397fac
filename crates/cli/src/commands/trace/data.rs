//! The data of a trace event, in words.

use crate::output::text::{one_line, plural};
use contexture::context::Budget;
use serde_json::Value;

/// The characters of a value that a line shows.
pub(super) const VALUE: usize = 72;

#[derive(Clone, Copy)]
pub(super) struct Data<'a>(pub(super) &'a Value);

impl Data<'_> {
    pub(super) fn word(self, name: &str) -> String {
        one_line(self.0.get(name).and_then(Value::as_str).unwrap_or_default())
    }

    pub(super) fn number(self, name: &str) -> Option<u64> {
        self.0.get(name).and_then(Value::as_u64)
    }

    pub(super) fn short(self, name: &str) -> String {
        self.0.get(name).map(summary).unwrap_or_default()
    }

    /// Formats the entry point: `Agent.function`.
    pub(super) fn entry(self) -> String {
        match (self.word("agent"), self.word("function")) {
            (agent, function) if agent.is_empty() => function,
            (agent, function) if function.is_empty() => agent,
            (agent, function) => format!("{agent}.{function}"),
        }
    }

    /// Formats a `use`: `document max 2k as notes`.
    pub(super) fn usage(self) -> String {
        let budget = self.0.get("budget").cloned();
        let budget = budget.and_then(|found| serde_json::from_value::<Budget>(found).ok());
        let budget = budget.map(|found| format!(" max {found}")).unwrap_or_default();
        let label = match self.word("label") {
            label if label.is_empty() => String::new(),
            label => format!(" as {label}"),
        };
        let chosen = match self.word("chosen") {
            name if name.is_empty() => String::new(),
            name => format!(" → {name}"),
        };
        let question = match self.word("for") {
            question if question.is_empty() => String::new(),
            question => format!(" for {question}"),
        };
        format!("{}{budget}{question}{label}{chosen}", self.source())
    }

    /// Formats the source of a `use`, for `one of` with the names of its candidates.
    fn source(self) -> String {
        let candidates = self.0.get("candidates").and_then(Value::as_array);
        let names = candidates.into_iter().flatten().map(|one| Data(one).word("name"));
        let names: Vec<String> = names.collect();
        if names.is_empty() {
            return self.word("source");
        }
        format!("{} {}", self.word("source"), names.join(", "))
    }

    pub(super) fn failure(self) -> String {
        format!("{}: {}", self.word("code"), self.word("message"))
    }
}

/// Summarises a value: short ones as JSON, long ones by kind and size.
pub(super) fn summary(value: &Value) -> String {
    let text = value.to_string();
    if text.chars().count() <= VALUE {
        return one_line(&text);
    }
    match value {
        Value::Array(items) => plural(items.len() as u64, "item"),
        Value::Object(fields) if fields.contains_key("$text") => {
            format!("{} bytes of text", fields.get("bytes").and_then(Value::as_u64).unwrap_or(0))
        }
        Value::String(text) => format!("{} bytes of text", text.len()),
        _ => {
            let cut: String = text.chars().take(VALUE - 1).collect();
            one_line(&format!("{cut}…"))
        }
    }
}
