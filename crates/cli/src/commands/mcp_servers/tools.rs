//! The tools of servers, for people and for programs.

use crate::output::text::{padded, sanitized, shortened, width};
use crate::prelude::*;
use contexture::mcp::Definition;
use contexture::mcp::compare::{Compared, State};
use contexture::ports::policy::Class;
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
    /// The class that a person gave to it.
    class: Option<Class>,
    /// The server's own word about its class, which counts for nothing.
    hint: Option<Class>,
}

impl Tool {
    pub(super) fn of(compared: &Compared<'_>, class: Option<Class>) -> Self {
        let definition = compared.offered.or(compared.pinned);
        let description = definition.and_then(|known| known.description.clone());
        Self {
            name: compared.name.to_owned(),
            state: compared.state,
            parts: compared.parts(),
            description: description.unwrap_or_default(),
            digest: definition.map(|known| known.digest().to_string()),
            class,
            hint: definition.and_then(hint),
        }
    }

    pub(super) fn json(&self) -> Value {
        json!({
            "name": self.name,
            "state": self.state.as_str(),
            "changed": self.parts,
            "description": self.description,
            "digest": self.digest,
            "class": self.class,
            "hint": self.hint,
        })
    }
}

/// Returns the class that a server claims for a tool: `readOnlyHint` is all that says one.
fn hint(definition: &Definition) -> Option<Class> {
    let claims = definition.annotations.as_ref()?.get("readOnlyHint")?.as_bool()?;
    claims.then_some(Class::Read)
}

/// Returns the tools that have no class, with how to give them one; `None` when all have one.
pub(super) fn without_class(tools: &[Tool]) -> Option<String> {
    let without = tools.iter().filter(|tool| tool.state != State::Gone && tool.class.is_none());
    let without: Vec<&Tool> = without.collect();
    let first = without.first()?;
    let count = counted(without.len() as u64, "tool");
    let verb = if without.len() == 1 { "has" } else { "have" };
    let claimed = without.iter().filter(|tool| tool.hint == Some(Class::Read));
    let claimed: Vec<String> = claimed.map(|tool| one_line(&tool.name)).collect();
    let help = match claimed.as_slice() {
        [] => format!("as in `--class read={}`", one_line(&first.name)),
        claimed => format!("the server says `--class read={}`", claimed.join(",")),
    };
    Some(format!("{count} {verb} no class, which counts as execute: give one, {help}"))
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
        let class = padded(tool.class.map_or("-", Class::as_str), 7);
        let line = format!("  {state}  {}  {class}  {}", padded(&name, wide), paint.dim(&about));
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
