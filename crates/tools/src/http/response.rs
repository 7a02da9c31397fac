//! From an answer to the value that a program sees.

use super::Origin;
use super::error::HttpError;
use super::request::explain;
use crate::tools::ToolOutput;
use contexture_context::json::{self, JsonError};
use reqwest::Response;
use reqwest::header::{CONTENT_TYPE, HeaderMap, SET_COOKIE};
use serde_json::{Map, Value, json};

/// Reads an answer of at most `limit` bytes: `{ok, status, headers, body, json}`.
pub(super) async fn read(
    mut answer: Response,
    origin: &Origin,
    limit: usize,
    timeout_ms: u64,
) -> Result<ToolOutput, HttpError> {
    let too_large = || HttpError::AnswerTooLarge { origin: origin.to_string(), limit };
    let announced = answer.content_length().and_then(|bytes| usize::try_from(bytes).ok());
    if announced.is_some_and(|bytes| bytes > limit) {
        return Err(too_large());
    }
    let mut bytes = Vec::new();
    while let Some(chunk) =
        answer.chunk().await.map_err(|error| explain(error, origin, timeout_ms))?
    {
        if bytes.len() + chunk.len() > limit {
            return Err(too_large());
        }
        bytes.extend_from_slice(&chunk);
    }
    let (body, note) = text(bytes);
    let (parsed, too_deep) = parsed(answer.headers(), &body);
    let status = answer.status();
    let value = json!({
        "ok": status.is_success(),
        "status": status.as_u16(),
        "headers": headers(answer.headers()),
        "json": parsed,
        "body": body,
    });
    let mut output = ToolOutput::of(value);
    output.notes.extend(note.map(|note| format!("{note} in the answer of {origin}")));
    output.notes.extend(too_deep.map(|why| format!("`json` of {origin} is none: it is {why}")));
    Ok(output)
}

/// Returns the body as text; what is not UTF-8 is replaced, with a note.
fn text(bytes: Vec<u8>) -> (String, Option<&'static str>) {
    match String::from_utf8(bytes) {
        Ok(text) => (text, None),
        Err(error) => (
            String::from_utf8_lossy(error.as_bytes()).into_owned(),
            Some("bytes that are not UTF-8 were replaced by U+FFFD"),
        ),
    }
}

/// Returns the body as JSON, when it says or shows that it is, and why it is too much to be read.
fn parsed(headers: &HeaderMap, body: &str) -> (Value, Option<String>) {
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let says = kind.ends_with("/json") || kind.ends_with("+json");
    let body = body.trim_start_matches('\u{feff}').trim();
    if !says && !body.starts_with(['{', '[']) {
        return (Value::Null, None);
    }
    match json::read(body.as_bytes()) {
        Ok(value) => (value, None),
        Err(JsonError::Invalid(_)) => (Value::Null, None),
        Err(error) => (Value::Null, Some(error.reason())),
    }
}

/// Returns the headers by lower-case name. Cookies are left out: they are credentials.
fn headers(headers: &HeaderMap) -> Map<String, Value> {
    let mut fields: Map<String, Value> = Map::new();
    for (name, value) in headers {
        if name == SET_COOKIE {
            continue;
        }
        let value = String::from_utf8_lossy(value.as_bytes());
        let joined = match fields.get(name.as_str()).and_then(Value::as_str) {
            Some(before) => format!("{before}, {value}"),
            None => value.into_owned(),
        };
        fields.insert(name.to_string(), joined.into());
    }
    fields
}
