//! Parsing of a text or a value into a set: a whole message, `{type, content}`, or the content
//! alone.

use super::salvage::{remove_emptied, salvage};
use super::{Form, Set};
use crate::check::report::Report;
use contexture_diagnostic::suggestion;
use contexture_protocol::{Body, Draft, ErrorCode, Limits, Refusal, Violation};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Value, json};

/// The fields at the top of a text.
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
    fn of(value: &Value) -> Self {
        let has = |name: &str| value.get(name).map(|_| IgnoredAny);
        Self {
            r#type: has("type"),
            content: has("content"),
            instructions: has("instructions"),
            calls: has("calls"),
            tool_calls: has("toolCalls"),
        }
    }

    /// Returns the type of message whose content this is.
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

    /// Describes the fault of a text that is neither kind of message.
    fn strange(&self) -> Option<String> {
        let fields = [
            ("`instructions`", self.instructions.is_some()),
            ("`calls`", self.calls.is_some()),
            ("`toolCalls`", self.tool_calls.is_some()),
        ];
        let found = fields.into_iter().filter(|(_, is_there)| *is_there).map(|(name, _)| name);
        let found: Vec<&str> = found.collect();
        let found = match found.as_slice() {
            _ if self.r#type.is_some() => return None,
            _ if self.content.is_some() => "`content` without a `type`".to_owned(),
            [] => "none of them".to_owned(),
            several => several.join(" and "),
        };
        let wanted = "one of `instructions`, `calls` or `toolCalls`";
        Some(format!("expected {wanted}, or a message with `type` and `content`; found {found}"))
    }
}

/// The reason why a set can't be read.
enum Refused {
    /// The message does not have the form of its type; with the wrapping added to the text.
    Form(Box<Refusal>, &'static str),
    /// Something else.
    Other(Report),
}

impl Refused {
    fn report(self) -> Report {
        match self {
            Self::Form(refusal, wrapping) => malformed(*refusal, wrapping),
            Self::Other(report) => report,
        }
    }

    /// Returns the removable faults, each with its place in the text.
    fn violations(&self) -> Vec<Violation> {
        let Self::Form(refusal, wrapping) = self else { return Vec::new() };
        if refusal.code != ErrorCode::ValidationFailed || refusal.unlisted > 0 {
            return Vec::new();
        }
        let mut violations = refusal.violations.clone();
        for violation in &mut violations {
            if let Some(pointer) = violation.pointer.strip_prefix(wrapping) {
                violation.pointer = pointer.to_owned();
            }
        }
        violations
    }
}

impl Set {
    /// Reads a set from a text: an INSTRUCTION or TOOL_CALL_REQUEST message, `{type, content}`, or
    /// the content alone.
    ///
    /// # Errors
    /// [`Report`] with every place that does not have the form of its type.
    pub fn parse(text: &[u8], limits: &Limits) -> Result<Self, Report> {
        Self::of_text(text, limits).map_err(Refused::report)
    }

    /// Does the same as [`Set::parse`] for a set that will be checked: one with faults of form is
    /// read as far as possible, and [`check`](crate::check::check) reports those faults with all
    /// others (FL-6).
    ///
    /// # Errors
    /// [`Report`] if nothing of the set can be read.
    pub fn read(text: &[u8], limits: &Limits) -> Result<Self, Report> {
        let refused = match Self::of_text(text, limits) {
            Ok(set) => return Ok(set),
            Err(refused) => refused,
        };
        let violations = refused.violations();
        let mut form = Form { report: refused.report(), ..Form::default() };
        match salvaged(text, limits, &violations, &mut form) {
            Some(set) => Ok(Self { form: Some(Box::new(form)), ..set }),
            None => Err(form.report),
        }
    }

    fn of_text(text: &[u8], limits: &Limits) -> Result<Self, Refused> {
        let top: Option<Top> = serde_json::from_slice(text).ok();
        let Some(kind) = top.as_ref().and_then(Top::alone) else {
            let strange = top.and_then(|top| top.strange());
            let is_object = || text.trim_ascii_start().first() == Some(&b'{');
            return Self::of(Draft::parse(text, limits), strange.filter(|_| is_object()));
        };
        let mut whole = format!("{{\"type\":\"{kind}\",\"content\":").into_bytes();
        whole.extend_from_slice(text);
        whole.push(b'}');
        let draft = Draft::parse(&whole, limits);
        Self::alone(draft.map_err(|refusal| placed(refusal, text, limits)))
    }

    /// Reads a set from a value, in the same three forms.
    ///
    /// # Errors
    /// As [`Set::parse`].
    pub fn from_value(value: Value, limits: &Limits) -> Result<Self, Report> {
        let top = Top::of(&value);
        let set = match top.alone() {
            Some(kind) => {
                Self::alone(Draft::from_value(json!({"type": kind, "content": value}), limits))
            }
            None => {
                let strange = top.strange().filter(|_| value.is_object());
                Self::of(Draft::from_value(value, limits), strange)
            }
        };
        set.map_err(Refused::report)
    }

    fn alone(draft: Result<Draft, Box<Refusal>>) -> Result<Self, Refused> {
        let draft = draft.map_err(|refusal| Refused::Form(refusal, "/content"))?;
        let mut set = Self::of(Ok(draft), None)?;
        set.pointer = set.pointer.replacen("/content", "", 1);
        Ok(set)
    }

    /// Returns the set of a message; `strange` is the fault of one that is not a set.
    fn of(draft: Result<Draft, Box<Refusal>>, strange: Option<String>) -> Result<Self, Refused> {
        let other =
            |code, path: &str, text| Err(Refused::Other(Report::malformed(code, path, text)));
        let draft = match (draft, strange) {
            (Ok(draft), _) => draft,
            // A text that is not JSON, or too large, gets that error.
            (Err(refusal), Some(text))
                if !matches!(refusal.code, ErrorCode::ParseError | ErrorCode::TooLarge) =>
            {
                return other(ErrorCode::ValidationFailed, "", text);
            }
            (Err(refusal), _) => return Err(Refused::Form(refusal, "")),
        };
        match draft.body {
            Body::Instruction(set) => Ok(Self::of_instructions(set)),
            Body::ToolCallRequest(request) => Ok(Self::of_calls(request)),
            Body::ModelResponse(response) if response.request().is_some() => {
                Ok(Self::of_calls(response.request().unwrap_or_default()))
            }
            body => {
                let kind = body.kind();
                let text = format!("expected INSTRUCTION or TOOL_CALL_REQUEST, found {kind}");
                let help = suggestion(kind, ["INSTRUCTION", "TOOL_CALL_REQUEST"]);
                let report = Report::malformed(ErrorCode::UnknownType, "/type", text);
                Err(Refused::Other(report.with_help(help)))
            }
        }
    }
}

/// Moves the place of a fault into the text alone, without the wrapping around it.
fn placed(refusal: Box<Refusal>, text: &[u8], limits: &Limits) -> Box<Refusal> {
    if !matches!(refusal.code, ErrorCode::ParseError | ErrorCode::TooLarge) {
        return refusal;
    }
    match Draft::parse(text, limits) {
        Err(found) if found.code == refusal.code => found,
        _ => refusal,
    }
}

/// Returns the set without its faulty parts; `None` if nothing can be read then.
fn salvaged(
    text: &[u8],
    limits: &Limits,
    violations: &[Violation],
    form: &mut Form,
) -> Option<Set> {
    if violations.is_empty() {
        return None;
    }
    let mut document: Value = serde_json::from_slice(text).ok()?;
    salvage(&mut document, violations, form)?;
    remove_emptied(&mut document);
    Set::from_value(document, limits).ok()
}

/// Returns the word that was meant where one of several is expected.
fn near(expected: &str, found: &str) -> Option<String> {
    let words = expected.strip_prefix("one of ")?.split(", ").map(|word| word.trim_matches('"'));
    let word = found.strip_prefix("the string \"")?.strip_suffix('"')?;
    suggestion(word, words)
}

/// Returns the faults of a message; `wrapping` is what was put around the text.
fn malformed(refusal: Refusal, wrapping: &str) -> Report {
    if refusal.violations.is_empty() {
        return Report::malformed(refusal.code, "", refusal.message);
    }
    let mut report = Report::default();
    for violation in &refusal.violations {
        let pointer = violation.pointer.strip_prefix(wrapping).unwrap_or(&violation.pointer);
        let message = format!("expected {}, found {}", violation.expected, violation.found);
        let help = near(&violation.expected, &violation.found);
        report.merge(Report::malformed(refusal.code, pointer, message).with_help(help));
    }
    report.leave_out(refusal.unlisted);
    report
}
