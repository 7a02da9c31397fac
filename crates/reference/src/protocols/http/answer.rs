//! The answer of a server: its bytes, their media type, and the meaning of its status.

use super::super::fault::Fault;
use crate::text;
use contexture_context::json;
use contexture_core::reference::Parameters;
use reqwest::StatusCode;
use serde::de::IgnoredAny;

const UNKNOWN: &str = "application/octet-stream";

/// An answer that is read to its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Answer {
    pub(super) content_type: Option<String>,
    pub(super) body: Vec<u8>,
}

/// The format that the server is asked for (`format=`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    Any,
    Json,
    Text,
}

impl Format {
    pub(super) fn of(parameters: &Parameters) -> Self {
        match parameters.get("format") {
            Some("json") => Self::Json,
            Some("text") => Self::Text,
            _ => Self::Any,
        }
    }

    /// Returns the value of the header `Accept`.
    pub(super) fn accept(self) -> &'static str {
        match self {
            Self::Any => "*/*",
            Self::Json => "application/json",
            Self::Text => "text/plain, text/*;q=0.9, */*;q=0.1",
        }
    }

    /// Returns the media type of an answer, with the charset that the loader decodes it by.
    pub(super) fn checked(self, answer: &Answer) -> Result<String, Fault> {
        let said = answer.content_type.as_deref().unwrap_or(UNKNOWN);
        let kind = match self {
            Self::Any => text::essence(said),
            Self::Text => "text/plain".to_owned(),
            Self::Json => {
                is_json(&answer.body, text::charset(said))?;
                "application/json".to_owned()
            }
        };
        let kind = if kind.contains('/') { kind } else { UNKNOWN.to_owned() };
        Ok(match text::charset(said) {
            Some(charset) => format!("{kind}; charset={charset}"),
            None => kind,
        })
    }
}

fn is_json(body: &[u8], charset: Option<&str>) -> Result<(), Fault> {
    let bad = |reason: &str| {
        let message = format!("the answer is not JSON: {reason}");
        Fault::new("REF4016", message, "leave out `format=json` to see what the server sends")
    };
    let text = text::decode(body, charset).map_err(|error| bad(&error.to_string()))?;
    json::read::<IgnoredAny>(text.as_bytes()).map(drop).map_err(|error| bad(&error.to_string()))
}

/// Returns what a status means that gives nothing.
pub(super) fn refused(who: &str, status: StatusCode, logged_in: bool) -> Fault {
    let reason = status.canonical_reason().map_or(String::new(), |reason| format!(" ({reason})"));
    let message = format!("{who} answered with status {}{reason}", status.as_u16());
    let (code, help) = match status.as_u16() {
        401 | 407 if logged_in => {
            ("REF4007", "see whether user and password in the address are right")
        }
        401 | 407 => ("REF4007", "write user:password@ before the host"),
        403 => ("REF4010", "ask as somebody who may read it"),
        404 | 410 => ("REF4008", "see whether the path is spelt right"),
        408 | 425 | 429 | 503 => ("REF4011", "the server is busy: try again later"),
        500.. => ("REF4011", "the fault is the server's: try again later"),
        400.. => ("REF4011", "see whether the path and the query are what the server expects"),
        _ => (
            "REF4014",
            "the status is not an answer to this question: see whether the address is right",
        ),
    };
    Fault::new(code, message, help)
}
