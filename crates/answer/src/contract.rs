//! The output contract of the prompt (AS-20), and the message after an answer that could not be
//! used (AS-22).
//!
//! The form is JSON with types in place of values, which models read better than JSON Schema and in
//! a fraction of its tokens. Both texts depend on nothing but their arguments, so the same program
//! gives the same prompt. The wording is in the `.md` files beside this one.

use crate::error::AnswerError;
use crate::shape::{Defined, Field, Shape};
use std::fmt::Write;

/// The greatest part of a previous answer that a repair message repeats, in characters.
const MAX_PREVIOUS: usize = 16_000;
/// The greatest number of faults that a repair message lists.
const MAX_FAULTS: usize = 20;

/// Returns the output contract for a prompt: JSON only, in the form of the shape, with descriptions
/// (AS-20). Ends without a line break.
///
/// ```
/// use contexture_answer::{Field, Shape, contract};
/// let shape = Shape::Object(vec![
///     Field::new("ok", Shape::Boolean).describe("Did all tests pass?"),
///     Field::new("level", Shape::one_of(["low", "high"])).optional(),
/// ]);
/// assert_eq!(
///     contract(&shape),
///     r#"Answer with one JSON object and nothing else: no text around it, no code fence, no comments.
/// A field marked with `?` may be left out.
/// It has this form:
/// {
///   // Did all tests pass?
///   "ok": boolean,
///   "level"?: "low" | "high"
/// }"#
/// );
/// ```
pub fn contract(shape: &Shape) -> String {
    let what = match shape.plain() {
        Shape::Object(_) => "one JSON object",
        Shape::List(_) => "one JSON array",
        _ => "one JSON value",
    };
    let optional =
        if has_optional(shape) { "\nA field marked with `?` may be left out." } else { "" };
    let mut form = String::new();
    write_form(&mut form, shape, 0);
    fill(
        include_str!("contract.md"),
        &[("{what}", what), ("{optional}", optional), ("{form}", &form)],
    )
}

/// Returns the message for the next attempt after an answer that could not be used (AS-22): the
/// faults, the previous answer and the contract again. Ends without a line break.
///
/// The previous answer is in a code fence longer than any run of backticks in it; beyond 16,000
/// characters its middle is omitted, and so are faults beyond the first 20, both with a note of how
/// much.
pub fn repair_message(previous: &str, error: &AnswerError, shape: &Shape) -> String {
    fill(
        include_str!("repair_message.md"),
        &[
            ("{errors}", &faults(error)),
            ("{previous}", &fenced(previous)),
            ("{contract}", &contract(shape)),
        ],
    )
}

/// Fills a template, part by part, so that slots are not searched in inserted text.
fn fill(template: &str, slots: &[(&str, &str)]) -> String {
    let mut out = String::new();
    let mut rest = template.trim_end();
    for (slot, text) in slots {
        if let Some((head, tail)) = rest.split_once(slot) {
            out.push_str(head);
            out.push_str(text);
            rest = tail;
        }
    }
    out + rest
}

fn faults(error: &AnswerError) -> String {
    let errors = error.errors();
    let more = match error {
        AnswerError::Mismatch { more, .. } => *more,
        _ => 0,
    };
    let mut lines: Vec<String> =
        errors.iter().take(MAX_FAULTS).map(|error| format!("- {error}")).collect();
    let left = errors.len().saturating_sub(MAX_FAULTS) + more;
    if left > 0 {
        lines.push(format!("- and {left} more of the same kinds"));
    }
    lines.join("\n")
}

fn fenced(previous: &str) -> String {
    let previous = previous.trim();
    if previous.is_empty() {
        return "(empty)".to_owned();
    }
    let text = shortened(previous);
    let mut longest = 2;
    let mut run = 0;
    for c in text.chars() {
        run = if c == '`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    let fence = "`".repeat(longest + 1);
    format!("{fence}\n{text}\n{fence}")
}

/// Returns the head and tail of a long text.
fn shortened(text: &str) -> String {
    let count = text.chars().count();
    if count <= MAX_PREVIOUS {
        return text.to_owned();
    }
    let half = MAX_PREVIOUS / 2;
    let head: String = text.chars().take(half).collect();
    let tail: String = text.chars().skip(count - half).collect();
    let left = count - 2 * half;
    format!("{head}\n… [{left} of {count} characters left out] …\n{tail}")
}

fn has_optional(shape: &Shape) -> bool {
    match shape {
        Shape::Bounded(bounds) => has_optional(&bounds.shape),
        Shape::Defined(defined) => {
            defined.definitions.values().any(has_optional) || has_optional(&defined.shape)
        }
        Shape::List(Some(item)) => has_optional(item),
        Shape::Object(fields) => {
            fields.iter().any(|field| field.optional || has_optional(&field.shape))
        }
        _ => false,
    }
}

fn write_form(out: &mut String, shape: &Shape, indent: usize) {
    match shape {
        Shape::Object(fields) if fields.is_empty() => out.push_str("{}"),
        Shape::Object(fields) => write_object(out, fields, indent),
        Shape::List(Some(item)) => {
            out.push('[');
            write_form(out, item, indent);
            out.push_str(", ...]");
        }
        Shape::List(None) => out.push_str("[...]"),
        Shape::Enum(values) => {
            let quoted: Vec<String> = values.iter().map(|value| json_string(value)).collect();
            out.push_str(&quoted.join(" | "));
        }
        Shape::Json => out.push_str("any JSON value"),
        Shape::Bounded(bounds) => {
            write_form(out, &bounds.shape, indent);
            let _ = write!(out, " {}", bounds.describe());
        }
        Shape::Named(name) => out.push_str(name),
        Shape::Defined(defined) => write_defined(out, defined, indent),
        _ => out.push_str(shape.type_name()),
    }
}

/// Writes a form, and below it the forms of the names in it.
fn write_defined(out: &mut String, defined: &Defined, indent: usize) {
    write_form(out, &defined.shape, indent);
    for (name, shape) in &defined.definitions {
        let _ = write!(out, "\nwhere {name} is:\n");
        write_form(out, shape, indent);
    }
}

fn write_object(out: &mut String, fields: &[Field], indent: usize) {
    let inner = indent + 2;
    out.push_str("{\n");
    for (index, field) in fields.iter().enumerate() {
        for line in field.description.iter().flat_map(|text| text.lines()) {
            let line = line.trim();
            if !line.is_empty() {
                // Writing to a string cannot fail.
                let _ = writeln!(out, "{:inner$}// {line}", "");
            }
        }
        let mark = if field.optional { "?" } else { "" };
        let _ = write!(out, "{:inner$}{}{mark}: ", "", json_string(&field.name));
        write_form(out, &field.shape, inner);
        out.push_str(if index + 1 < fields.len() { ",\n" } else { "\n" });
    }
    let _ = write!(out, "{:indent$}}}", "");
}

fn json_string(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
