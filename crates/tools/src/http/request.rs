//! From the arguments of a call to its answer.

use super::error::HttpError;
use super::origin::{Clients, Origin, client_of};
use crate::address::ResolveError;
use crate::arguments::Arguments;
use crate::cause;
use crate::credentials::is_credential;
use crate::error::ToolError;
use crate::output::ToolOutput;
use crate::settings::Settings;
use contexture_context::Trust;
use contexture_context::json::{self, JsonError};
use contexture_core::signature::Method;
use reqwest::Response;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, SET_COOKIE};
use serde_json::{Map, Value, json};
use std::time::Duration;

/// Performs a method of `http(s)://origin`.
pub(crate) async fn call(
    clients: &Clients,
    settings: &Settings,
    origin: &Origin,
    method: &Method,
    arguments: &Arguments,
) -> Result<ToolOutput, ToolError> {
    let url = origin.resolve(arguments.text("url"))?;
    let mut headers = headers_of(arguments)?;
    let body = body(arguments, &mut headers);
    let limit = settings.limits.body_bytes;
    if let Some(bytes) = body.as_ref().map(String::len).filter(|bytes| *bytes > limit) {
        return Err(HttpError::BodyTooLarge { origin: origin.to_string(), bytes, limit }.into());
    }
    let timeout_ms = arguments.count("timeout").unwrap_or(settings.limits.timeout_ms);
    let verb = match method.name {
        "head" => reqwest::Method::HEAD,
        "post" => reqwest::Method::POST,
        "put" => reqwest::Method::PUT,
        "patch" => reqwest::Method::PATCH,
        "delete" => reqwest::Method::DELETE,
        _ => reqwest::Method::GET,
    };
    let client = client_of(clients, origin, &settings.allow_private)?;
    let mut request =
        client.request(verb, url).headers(headers).timeout(Duration::from_millis(timeout_ms));
    if let Some(body) = body {
        request = request.body(body);
    }
    let failed = |error: reqwest::Error| explain(error, origin, timeout_ms);
    let answer = request.send().await.map_err(failed)?;
    let mut output = read(answer, origin, limit, timeout_ms).await?;
    output.trust = Trust::Web;
    Ok(output)
}

/// Returns the body, and its content type when the program names none.
fn body(arguments: &Arguments, headers: &mut HeaderMap) -> Option<String> {
    let (body, kind) = match arguments.value("body")? {
        Value::String(text) => (text.clone(), "text/plain; charset=utf-8"),
        value => (value.to_string(), "application/json"),
    };
    headers.entry(CONTENT_TYPE).or_insert(HeaderValue::from_static(kind));
    Some(body)
}

/// Returns what a failure of the client means, without its URL, whose query may hold a credential.
pub(super) fn explain(error: reqwest::Error, origin: &Origin, timeout_ms: u64) -> HttpError {
    let origin = origin.to_string();
    if let Some(ours) = ours(&error) {
        return ours;
    }
    if error.is_timeout() {
        return HttpError::Timeout { origin, timeout_ms };
    }
    let broken = error.is_body() || error.is_decode();
    let reason = cause::root(&error.without_url());
    if broken {
        return HttpError::BrokenOff { origin, reason };
    }
    HttpError::Unreachable { origin, reason }
}

/// Returns an error of this crate that came through the client: an address or a redirect that was
/// refused.
fn ours(error: &reqwest::Error) -> Option<HttpError> {
    let refused = || cause::find::<ResolveError>(error).cloned().map(Into::into);
    cause::find::<HttpError>(error).cloned().or_else(refused)
}

/// Reads an answer of at most `limit` bytes: `{ok, status, headers, body, json}`.
async fn read(
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

/// Returns the body as JSON, when its type or content is, and why it is too large to be read.
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

/// Headers that define where a message ends or goes; with two of them, requests can be smuggled.
const FORBIDDEN: [&str; 12] = [
    "host",
    "content-length",
    "transfer-encoding",
    "connection",
    "keep-alive",
    "upgrade",
    "te",
    "trailer",
    "expect",
    "proxy-authorization",
    "proxy-connection",
    "http2-settings",
];

/// Reads the `headers` argument.
fn headers_of(arguments: &Arguments) -> Result<HeaderMap, HttpError> {
    let mut headers = HeaderMap::new();
    for (name, value) in arguments.fields("headers") {
        let Ok(header) = HeaderName::from_bytes(name.as_bytes()) else {
            return Err(HttpError::HeaderName(name.to_owned()));
        };
        if FORBIDDEN.contains(&header.as_str()) {
            return Err(HttpError::HeaderForbidden(header.to_string()));
        }
        let Ok(mut value) = HeaderValue::from_str(&value) else {
            return Err(HttpError::HeaderValue(header.to_string()));
        };
        value.set_sensitive(is_credential(header.as_str()));
        headers.insert(header, value);
    }
    Ok(headers)
}
