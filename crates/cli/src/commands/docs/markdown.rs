//! The interface of a program as Markdown.

use crate::prelude::*;
use contexture::answer::{Field, Shape};
use contexture::script::semantic::interface::{Entry, EntryInput, Interface, Touch, TouchedMethod};

/// Returns the page of a program's file.
pub(super) fn page(interface: &Interface, file: &str) -> String {
    let mut text = format!("# {file}\n\n## Entries\n");
    for entry in &interface.entries {
        text.push_str(&of_entry(entry));
    }
    if interface.entries.is_empty() {
        text.push_str("\nNothing can be called from outside.\n");
    }
    if !interface.shapes.is_empty() {
        text.push_str("\n## Shapes\n");
    }
    for own in &interface.shapes {
        text.push_str(&format!("\n### {}\n{}", own.name, paragraph(own.doc.as_deref())));
        text.push_str(&format!("\n```agentscript\nshape {} {:#}\n```\n", own.name, own.shape));
    }
    text.push_str("\n## What it may touch\n\n");
    text.push_str(&touches(interface));
    text
}

fn paragraph(doc: Option<&str>) -> String {
    doc.map(|doc| format!("\n{}\n", doc.trim())).unwrap_or_default()
}

fn of_entry(entry: &Entry) -> String {
    let text = format!("\n### `{}`\n{}\n", entry.action, paragraph(entry.doc.as_deref()));
    let mut inputs: Vec<String> = match &entry.input {
        EntryInput::Nothing => vec!["Takes nothing.".to_owned()],
        EntryInput::Open(name) => vec![format!("- `{name}`: any value")],
        EntryInput::Whole(name, shape) => match shape {
            Shape::Object(fields) => fields.iter().map(of_field).collect(),
            shape => vec![format!("- `{name}`: `{shape}`, whose fields are the parameters")],
        },
        EntryInput::Named(fields) => fields.iter().map(of_field).collect(),
    };
    inputs.push(match &entry.result {
        Some(result) if result.is_declared => format!("\nReturns `{}`.", result.shape),
        Some(result) => format!("\nReturns `{}`, as far as is known.", result.shape),
        None => "\nReturns any value.".to_owned(),
    });
    text + &inputs.join("\n") + "\n"
}

fn of_field(field: &Field) -> String {
    let optional = if field.optional { ", optional" } else { "" };
    let doc = field.description.as_ref().map(|doc| format!(": {}", one_line(doc)));
    format!("- `{}`: `{}`{optional}{}", field.name, field.shape, doc.unwrap_or_default())
}

fn touches(interface: &Interface) -> String {
    let mut lines: Vec<String> = interface.touches.iter().map(of_touch).collect();
    lines.extend(interface.secrets.iter().map(|name| format!("- secret `{name}`")));
    let policy = interface.policy.iter();
    lines.extend(policy.map(|(class, verdict)| {
        format!("- policy: `{}` is `{}`", class.as_str(), verdict.as_str())
    }));
    if lines.is_empty() {
        lines.push("Nothing but the model of the project.".to_owned());
    }
    lines.join("\n") + "\n"
}

fn of_touch(touch: &Touch) -> String {
    let method = |method: &TouchedMethod| {
        let class = method.class.map(|class| format!(" ({})", class.as_str()));
        let by = if method.by_model { ", by a model" } else { "" };
        format!("`{}`{}{by}", method.name, class.unwrap_or_default())
    };
    let methods: Vec<String> = touch.methods.iter().map(method).collect();
    let colon = if methods.is_empty() { "" } else { ": " };
    let from = touch.from.join("`, `");
    format!("- {} `{}` from `{from}`{colon}{}", touch.kind, touch.name, methods.join("; "))
}
