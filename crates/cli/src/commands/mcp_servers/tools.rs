//! The tools of servers, for people and for programs.

use crate::output::text::{padded, sanitized, shortened, width};
use crate::prelude::*;
use contexture::mcp::Definition;
use contexture::mcp::compare::{Compared, State};
use contexture::ports::signature::ObjectSignature;
use similar::{ChangeTag, TextDiff};

/// The columns of a description.
const DESCRIPTION: usize = 72;

pub(super) struct Tool {
    pub(super) name: String,
    pub(super) state: State,
    parts: Vec<&'static str>,
    description: String,
    digest: Option<String>,
}

impl Tool {
    pub(super) fn of(compared: &Compared<'_>) -> Self {
        let definition = compared.offered.or(compared.pinned);
        let description = definition.and_then(|known| known.description.clone());
        Self {
            name: compared.name.to_owned(),
            state: compared.state,
            parts: compared.parts(),
            description: description.unwrap_or_default(),
            digest: definition.map(|known| known.digest().to_string()),
        }
    }

    pub(super) fn json(&self) -> Value {
        json!({
            "name": self.name,
            "state": self.state.as_str(),
            "changed": self.parts,
            "description": self.description,
            "digest": self.digest,
        })
    }
}

fn painted(state: State, paint: Paint) -> String {
    let word = padded(state.as_str(), 7);
    match state {
        State::Same => paint.dim(&word),
        State::New => paint.green(&word),
        State::Changed => paint.yellow(&word),
        State::Gone => paint.red(&word),
    }
}

/// Renders a line for each tool.
pub(super) fn rows(tools: &[Tool], paint: Paint) -> String {
    let names: Vec<String> = tools.iter().map(|tool| one_line(&tool.name)).collect();
    let wide = width(names.iter().map(String::as_str), 32);
    let mut text = String::new();
    for (tool, name) in tools.iter().zip(names) {
        let about = match tool.parts.as_slice() {
            [] => shortened(&one_line(&tool.description), DESCRIPTION),
            parts => format!("changed since accepted: {}", parts.join(", ")),
        };
        let state = painted(tool.state, paint);
        let line = format!("  {state}  {}  {}", padded(&name, wide), paint.dim(&about));
        // Writing to a string can't fail.
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text
}

/// Renders what to review before a tool is accepted; nothing for an unchanged one.
pub(super) fn change(compared: &Compared<'_>, paint: Paint) -> String {
    let empty = String::new();
    let before = compared.pinned.map_or_else(|| empty.clone(), whole);
    let after = compared.offered.map_or(empty, whole);
    if compared.state == State::Same {
        return String::new();
    }
    let mut text = format!(
        "{} {}\n",
        painted(compared.state, paint).trim_end(),
        paint.bold(&one_line(compared.name))
    );
    for change in TextDiff::from_lines(&before, &after).iter_all_changes() {
        let line = sanitized(change.value().trim_end_matches('\n'));
        let line = match change.tag() {
            ChangeTag::Equal => format!("    {line}"),
            ChangeTag::Delete => paint.red(&format!("  - {line}")),
            ChangeTag::Insert => paint.green(&format!("  + {line}")),
        };
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text
}

fn whole(definition: &Definition) -> String {
    let mut text = String::new();
    if let Some(title) = &definition.title {
        let _ = writeln!(text, "title: {title}");
    }
    if let Some(description) = &definition.description {
        let _ = writeln!(text, "{}", description.trim_end());
    }
    let _ = writeln!(text, "{}", ObjectSignature::of(&definition.input_schema).usage());
    let schema = Value::Object(definition.input_schema.clone());
    let _ = writeln!(text, "input schema: {schema:#}");
    if let Some(schema) = &definition.output_schema {
        let _ = writeln!(text, "output schema: {schema:#}");
    }
    if let Some(annotations) = &definition.annotations {
        let _ = writeln!(text, "annotations: {annotations}");
    }
    text
}
