//! Headers a program may send.

use super::error::HttpError;
use crate::arguments::Arguments;
use crate::credentials::is_credential;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};

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
