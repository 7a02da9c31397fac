//! Headers a program may send, and what of them is secret.

use super::error::HttpError;
use crate::arguments::Arguments;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use serde_json::Value;

/// Headers that say where a message ends or goes; with two opinions on that, requests are smuggled.
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

/// Words in the names of headers that carry credentials.
const CREDENTIALS: [&str; 6] = ["authorization", "cookie", "key", "token", "secret", "password"];

/// Reads the `headers` argument.
pub(super) fn read(arguments: &Arguments) -> Result<HeaderMap, HttpError> {
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

fn is_credential(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    CREDENTIALS.iter().any(|word| name.contains(word))
}

/// Returns the texts of a call's argument that must be masked: values of credential headers, and
/// what follows a scheme word such as `Bearer`.
pub(crate) fn secrets_in(argument: &Value) -> Vec<String> {
    let headers = argument.get("headers").and_then(Value::as_object);
    let mut secrets = Vec::new();
    for (name, value) in headers.into_iter().flatten() {
        let Some(value) = value.as_str().filter(|_| is_credential(name)) else { continue };
        match value.split_once(' ') {
            Some((_, credential)) if name.to_ascii_lowercase().contains("authorization") => {
                secrets.push(credential.trim().to_owned());
            }
            _ => secrets.push(value.to_owned()),
        }
    }
    secrets
}
