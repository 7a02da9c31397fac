//! Conversion of template values from and to JSON.
//!
//! Decision: text is parsed here, not through `serde_json::Value`, because a number has to print as
//! it was written (PT-3) and that type loses the spelling. `serde_json` still checks the grammar
//! and decodes strings, so that both agree on what JSON is.

use super::value::{TemplateNumber, TemplateObject, TemplateValue};
use crate::error::PromptError;
use crate::limits::MAX_VALUE_DEPTH;
use serde::de::IgnoredAny;
use serde_json::{Value, map};
use std::fmt::{self, Write};

/// Converts a JSON value without recursion, so that no depth of it overflows the stack.
pub(super) fn from_value(value: Value) -> TemplateValue {
    let mut open: Vec<Open> = Vec::new();
    let mut current = value;
    loop {
        let mut done = match begin(current) {
            Ok(value) => Some(value),
            Err(container) => {
                open.push(container);
                None
            }
        };
        current = loop {
            let Some(top) = open.last_mut() else {
                return done.unwrap_or_default();
            };
            if let Some(value) = done.take() {
                top.add(value);
            }
            if let Some(next) = top.next() {
                break next;
            }
            done = open.pop().map(Open::close);
        };
    }
}

impl From<Value> for TemplateValue {
    fn from(value: Value) -> Self {
        from_value(value)
    }
}

impl From<&Value> for TemplateValue {
    fn from(value: &Value) -> Self {
        from_value(value.clone())
    }
}

enum Open {
    Array(std::vec::IntoIter<Value>, Vec<TemplateValue>),
    Object(map::IntoIter, TemplateObject, String),
}

/// Returns a finished value, or a container to walk.
fn begin(value: Value) -> Result<TemplateValue, Open> {
    match value {
        Value::Null => Ok(TemplateValue::Null),
        Value::Bool(value) => Ok(TemplateValue::Bool(value)),
        Value::Number(number) => Ok(TemplateValue::Number((&number).into())),
        Value::String(text) => Ok(TemplateValue::String(text)),
        Value::Array(items) => {
            let room = Vec::with_capacity(items.len());
            Err(Open::Array(items.into_iter(), room))
        }
        Value::Object(fields) => {
            let room = TemplateObject::with_capacity(fields.len());
            Err(Open::Object(fields.into_iter(), room, String::new()))
        }
    }
}

impl Open {
    fn add(&mut self, value: TemplateValue) {
        match self {
            Self::Array(_, items) => items.push(value),
            Self::Object(_, fields, name) => fields.insert(std::mem::take(name), value),
        }
    }

    fn next(&mut self) -> Option<Value> {
        match self {
            Self::Array(rest, _) => rest.next(),
            Self::Object(rest, _, name) => {
                let (next, value) = rest.next()?;
                *name = next;
                Some(value)
            }
        }
    }

    fn close(self) -> TemplateValue {
        match self {
            Self::Array(_, items) => TemplateValue::Array(items),
            Self::Object(_, fields, _) => TemplateValue::Object(fields),
        }
    }
}

/// Copies a JSON value at a depth.
pub(super) fn from_ref(value: &Value, depth: usize) -> Result<TemplateValue, PromptError> {
    Ok(match value {
        Value::Null => TemplateValue::Null,
        Value::Bool(value) => TemplateValue::Bool(*value),
        Value::Number(number) => TemplateValue::Number(number.into()),
        Value::String(text) => TemplateValue::String(text.clone()),
        Value::Array(items) => {
            let below = deeper(depth)?;
            let items = items.iter().map(|item| from_ref(item, below));
            TemplateValue::Array(items.collect::<Result<_, _>>()?)
        }
        Value::Object(fields) => {
            let below = deeper(depth)?;
            let mut object = TemplateObject::with_capacity(fields.len());
            for (name, value) in fields {
                object.insert(name.as_str(), from_ref(value, below)?);
            }
            TemplateValue::Object(object)
        }
    })
}

fn deeper(depth: usize) -> Result<usize, PromptError> {
    if depth < MAX_VALUE_DEPTH { Ok(depth + 1) } else { Err(too_deep()) }
}

fn too_deep() -> PromptError {
    PromptError::Render(format!(
        "a variable is more than {MAX_VALUE_DEPTH} arrays and objects deep"
    ))
}

/// Parses JSON text; a byte order mark before it is skipped.
pub(super) fn read(text: &str) -> Result<TemplateValue, PromptError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    serde_json::from_str::<IgnoredAny>(text).map_err(|error| not_json(&error))?;
    Reader { rest: text }.value(0)
}

fn not_json(error: &serde_json::Error) -> PromptError {
    let (line, column, full) = (error.line(), error.column(), error.to_string());
    let reason = full.rfind(" at line ").and_then(|at| full.get(..at)).unwrap_or(&full);
    PromptError::Parse(format!(
        "line {line}, column {column}: the variables are not JSON: {reason}"
    ))
}

/// A walk over text that is known to be JSON.
struct Reader<'t> {
    rest: &'t str,
}

impl<'t> Reader<'t> {
    fn value(&mut self, depth: usize) -> Result<TemplateValue, PromptError> {
        self.rest = self.rest.trim_ascii_start();
        Ok(match self.rest.as_bytes().first() {
            Some(b'{') => TemplateValue::Object(self.object(deeper(depth)?)?),
            Some(b'[') => TemplateValue::Array(self.array(deeper(depth)?)?),
            Some(b'"') => TemplateValue::String(self.string()?),
            Some(b't') => self.word("true", TemplateValue::Bool(true)),
            Some(b'f') => self.word("false", TemplateValue::Bool(false)),
            Some(b'n') => self.word("null", TemplateValue::Null),
            _ => TemplateValue::Number(self.number()),
        })
    }

    fn object(&mut self, depth: usize) -> Result<TemplateObject, PromptError> {
        let mut object = TemplateObject::new();
        self.skip(b'{');
        while !self.skip(b'}') && !self.rest.is_empty() {
            self.rest = self.rest.trim_ascii_start();
            let name = self.string()?;
            self.skip(b':');
            object.insert(name, self.value(depth)?);
            self.skip(b',');
        }
        Ok(object)
    }

    fn array(&mut self, depth: usize) -> Result<Vec<TemplateValue>, PromptError> {
        let mut items = Vec::new();
        self.skip(b'[');
        while !self.skip(b']') && !self.rest.is_empty() {
            items.push(self.value(depth)?);
            self.skip(b',');
        }
        Ok(items)
    }

    fn string(&mut self) -> Result<String, PromptError> {
        let bytes = self.rest.as_bytes();
        let mut at = 1;
        while let Some(byte) = bytes.get(at).filter(|byte| **byte != b'"') {
            at += if *byte == b'\\' { 2 } else { 1 };
        }
        let quoted = self.take(at + 1);
        let plain = quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or_default();
        if plain.contains('\\') {
            return serde_json::from_str(quoted).map_err(|error| not_json(&error));
        }
        Ok(plain.to_owned())
    }

    fn number(&mut self) -> TemplateNumber {
        let ends = |byte: &u8| matches!(byte, b',' | b']' | b'}') || byte.is_ascii_whitespace();
        let end = self.rest.bytes().position(|byte| ends(&byte)).unwrap_or(self.rest.len());
        TemplateNumber::written(self.take(end))
    }

    fn word(&mut self, word: &str, value: TemplateValue) -> TemplateValue {
        self.take(word.len());
        value
    }

    /// Skips `byte` if it comes next, after white space; reports whether it did.
    fn skip(&mut self, byte: u8) -> bool {
        self.rest = self.rest.trim_ascii_start();
        let found = self.rest.as_bytes().first() == Some(&byte);
        if found {
            self.take(1);
        }
        found
    }

    fn take(&mut self, bytes: usize) -> &'t str {
        let (taken, rest) = self.rest.split_at_checked(bytes).unwrap_or((self.rest, ""));
        self.rest = rest;
        taken
    }
}

/// Writes compact JSON, fields in insertion order.
pub(super) fn write(value: &TemplateValue, out: &mut impl Write) -> Result<(), Refusal> {
    write_at(value, out, 0)
}

/// The reason why a value could not be written.
pub(super) enum Refusal {
    Sink,
    Depth(PromptError),
}

impl From<fmt::Error> for Refusal {
    fn from(_: fmt::Error) -> Self {
        Self::Sink
    }
}

fn write_at(value: &TemplateValue, out: &mut impl Write, depth: usize) -> Result<(), Refusal> {
    match value {
        TemplateValue::Null => out.write_str("null")?,
        TemplateValue::Bool(value) => out.write_str(if *value { "true" } else { "false" })?,
        TemplateValue::Number(TemplateNumber::Float(number)) if !number.is_finite() => {
            out.write_str("null")?;
        }
        TemplateValue::Number(number) => write!(out, "{number}")?,
        TemplateValue::String(text) => write_string(text, out)?,
        TemplateValue::Array(items) => {
            let below = deeper(depth).map_err(Refusal::Depth)?;
            out.write_char('[')?;
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    out.write_char(',')?;
                }
                write_at(item, out, below)?;
            }
            out.write_char(']')?;
        }
        TemplateValue::Object(fields) => {
            let below = deeper(depth).map_err(Refusal::Depth)?;
            out.write_char('{')?;
            for (at, (name, value)) in fields.iter().enumerate() {
                if at > 0 {
                    out.write_char(',')?;
                }
                write_string(name, out)?;
                out.write_char(':')?;
                write_at(value, out, below)?;
            }
            out.write_char('}')?;
        }
    }
    Ok(())
}

fn write_string(text: &str, out: &mut impl Write) -> fmt::Result {
    out.write_str(&serde_json::to_string(text).map_err(|_| fmt::Error)?)
}
