//! From the arguments of a call to its answer.

use super::client::{self, Clients};
use super::error::HttpError;
use super::{Origin, headers, response};
use crate::address::ResolveError;
use crate::arguments::Arguments;
use crate::cause;
use crate::error::ToolError;
use crate::tools::{Settings, ToolOutput};
use contexture_context::Trust;
use contexture_core::signature::Method;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderValue};
use serde_json::Value;
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
    let mut headers = headers::read(arguments)?;
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
    let client = client::of(clients, origin, &settings.allow_private)?;
    let mut request =
        client.request(verb, url).headers(headers).timeout(Duration::from_millis(timeout_ms));
    if let Some(body) = body {
        request = request.body(body);
    }
    let failed = |error: reqwest::Error| explain(error, origin, timeout_ms);
    let answer = request.send().await.map_err(failed)?;
    let mut output = response::read(answer, origin, limit, timeout_ms).await?;
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
