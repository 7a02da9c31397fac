//! From a text or a value to a set: a whole message, `{type, content}`, or the content alone.

use super::Set;
use crate::check::Report;
use contexture_protocol::{Body, Draft, ErrorCode, Limits, Refusal};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Value, json};

/// What stands at the top of a text.
#[derive(Default, Deserialize)]
struct Top {
    r#type: Option<IgnoredAny>,
    content: Option<IgnoredAny>,
    instructions: Option<IgnoredAny>,
    calls: Option<IgnoredAny>,
    #[serde(rename = "toolCalls")]
    tool_calls: Option<IgnoredAny>,
}

impl Top {
    /// The type of message whose content this is.
    fn alone(&self) -> Option<&'static str> {
        if self.r#type.is_some() || self.content.is_some() {
            return None;
        }
        let calls = self.calls.is_some() || self.tool_calls.is_some();
        match (self.instructions.is_some(), calls) {
            (true, false) => Some("INSTRUCTION"),
            (false, true) => Some("TOOL_CALL_REQUEST"),
            _ => None,
        }
    }
}

impl Set {
    /// Reads a set from a text: an INSTRUCTION or TOOL_CALL_REQUEST message, `{type, content}`, or
    /// the content alone.
    ///
    /// # Errors
    /// [`Report`] with every place that has not the form of its type.
    pub fn parse(text: &[u8], limits: &Limits) -> Result<Self, Report> {
        let top: Top = serde_json::from_slice(text).unwrap_or_default();
        let Some(kind) = top.alone() else {
            return Draft::parse(text, limits).map_err(|r| malformed(*r, "")).and_then(Self::of);
        };
        let mut whole = format!("{{\"type\":\"{kind}\",\"content\":").into_bytes();
        whole.extend_from_slice(text);
        whole.push(b'}');
        Self::alone(Draft::parse(&whole, limits))
    }

    /// Reads a set from a value, in the same three forms.
    ///
    /// # Errors
    /// As [`Set::parse`].
    pub fn from_value(value: Value, limits: &Limits) -> Result<Self, Report> {
        let has = |name: &str| value.get(name).map(|_| IgnoredAny);
        let top = Top {
            r#type: has("type"),
            content: has("content"),
            instructions: has("instructions"),
            calls: has("calls"),
            tool_calls: has("toolCalls"),
        };
        match top.alone() {
            Some(kind) => {
                Self::alone(Draft::from_value(json!({"type": kind, "content": value}), limits))
            }
            None => {
                Draft::from_value(value, limits).map_err(|r| malformed(*r, "")).and_then(Self::of)
            }
        }
    }

    fn alone(draft: Result<Draft, Box<Refusal>>) -> Result<Self, Report> {
        let mut set = Self::of(draft.map_err(|refusal| malformed(*refusal, "/content"))?)?;
        set.pointer = set.pointer.replacen("/content", "", 1);
        Ok(set)
    }

    fn of(draft: Draft) -> Result<Self, Report> {
        match draft.body {
            Body::Instruction(set) => Ok(Self::of_instructions(set)),
            Body::ToolCallRequest(request) => Ok(Self::of_calls(request)),
            other => {
                let kind = other.kind();
                let message = format!("expected INSTRUCTION or TOOL_CALL_REQUEST, found {kind}");
                Err(Report::malformed(ErrorCode::UnknownType, "/type", message))
            }
        }
    }
}

/// The faults of a message; `wrapping` is what was put around the text.
fn malformed(refusal: Refusal, wrapping: &str) -> Report {
    if refusal.violations.is_empty() {
        return Report::malformed(refusal.code, "", refusal.message);
    }
    let mut report = Report::default();
    for violation in &refusal.violations {
        let pointer = violation.pointer.strip_prefix(wrapping).unwrap_or(&violation.pointer);
        let message = format!("expected {}, found {}", violation.expected, violation.found);
        report.merge(Report::malformed(refusal.code, pointer, message));
    }
    report.leave_out(refusal.unlisted);
    report
}
