//! The rules of HTTP that both servers share: CORS, hosts and origins, media types.
//!
//! Decision: a browser sends a preflight request without the token; allowed origins get a permission.
//! No cookie is ever set or read, so a page can't act on behalf of its visitor;
//! it brings its own token.

use axum::extract::Request;
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use std::net::IpAddr;

const METHODS: &str = "GET, POST, DELETE";
/// The seconds for which a browser caches a preflight answer.
const AGE: &str = "600";
/// The bytes of a path segment that are encoded (RFC 3986, 2.3).
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// The headers that pages may send and read.
pub(crate) struct Cors {
    pub(crate) request_headers: &'static str,
    pub(crate) response_headers: &'static str,
}

impl Cors {
    /// Answers a preflight request.
    pub(crate) fn preflight(&self) -> Response {
        let headers = [
            (header::ACCESS_CONTROL_ALLOW_METHODS, METHODS),
            (header::ACCESS_CONTROL_ALLOW_HEADERS, self.request_headers),
            (header::ACCESS_CONTROL_MAX_AGE, AGE),
        ];
        (StatusCode::NO_CONTENT, headers).into_response()
    }

    /// Allows the pages of an origin to read the response.
    pub(crate) fn allow(&self, headers: &mut HeaderMap, origin: HeaderValue) {
        let exposed = HeaderValue::from_static(self.response_headers);
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, exposed);
        headers.append(header::VARY, HeaderValue::from_static("origin"));
    }
}

pub(crate) fn is_preflight(request: &Request) -> bool {
    let headers = request.headers();
    request.method() == Method::OPTIONS
        && headers.contains_key(header::ORIGIN)
        && headers.contains_key(header::ACCESS_CONTROL_REQUEST_METHOD)
}

/// The hosts and origins that are accepted besides those of this machine.
#[derive(Debug)]
pub(crate) struct Sites {
    hosts: Vec<String>,
    origins: Vec<String>,
}

impl Sites {
    pub(crate) fn new(hosts: &[String], origins: &[String]) -> Self {
        let lower = |names: &[String]| names.iter().map(|name| name.to_ascii_lowercase()).collect();
        Self { hosts: lower(hosts), origins: lower(origins) }
    }

    /// Returns an accepted host in lower case. A page can rebind its own name to this machine, but
    /// not an IP address or `localhost`.
    pub(crate) fn host(&self, host: &str) -> Option<String> {
        let host = host.parse::<Authority>().ok()?;
        let (name, whole) = (host.host().to_ascii_lowercase(), host.as_str().to_ascii_lowercase());
        let is_named = self.hosts.iter().any(|known| *known == name || *known == whole);
        // A user name is not allowed there.
        let is_accepted = !whole.contains('@') && (is_address(&name, |_| true) || is_named);
        is_accepted.then_some(whole)
    }

    /// Reports whether all origins of a request are accepted: those of this machine, of the server
    /// itself when its `host` is given, and the configured ones.
    pub(crate) fn accept_origins(&self, headers: &HeaderMap, host: Option<&str>) -> bool {
        let mut origins = headers.get_all(header::ORIGIN).iter();
        origins.all(|origin| origin.to_str().is_ok_and(|origin| self.origin(origin, host)))
    }

    fn origin(&self, origin: &str, host: Option<&str>) -> bool {
        let origin = origin.trim().to_ascii_lowercase();
        let is_own = |uri: Uri| {
            let is_web = matches!(uri.scheme_str(), Some("http" | "https"));
            let is_loopback = uri.host().is_some_and(|host| is_address(host, IpAddr::is_loopback));
            let is_host = host.is_some() && uri.authority().map(Authority::as_str) == host;
            is_web && (is_loopback || is_host)
        };
        self.origins.contains(&origin) || origin.parse().is_ok_and(is_own)
    }
}

/// Reports whether a host is `localhost` or an IP address of that kind.
fn is_address(host: &str, kind: impl FnOnce(&IpAddr) -> bool) -> bool {
    let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    host.eq_ignore_ascii_case("localhost") || bare.parse::<IpAddr>().is_ok_and(|ip| kind(&ip))
}

/// Returns the media type of a body without its parameters.
pub(crate) fn media_type(headers: &HeaderMap) -> &str {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    kind.unwrap_or_default().split(';').next().unwrap_or_default().trim()
}

pub(crate) fn is_json(headers: &HeaderMap) -> bool {
    media_type(headers).eq_ignore_ascii_case("application/json")
}

/// Returns the elements of headers that are lists.
pub(crate) fn elements(headers: &HeaderMap, name: HeaderName) -> impl Iterator<Item = &str> {
    let texts = headers.get_all(name).into_iter().filter_map(|value| value.to_str().ok());
    texts.flat_map(|text| text.split(',')).map(str::trim).filter(|text| !text.is_empty())
}

/// Returns a name percent-encoded as a segment of a path.
pub(crate) fn encoded(name: &str) -> String {
    utf8_percent_encode(name, RESERVED).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cp_9_id_of_any_characters_works_in_a_path() {
        assert_eq!(encoded("ctx_1-A.~"), "ctx_1-A.~");
        assert_eq!(encoded("a/b %天"), "a%2Fb%20%25%E5%A4%A9");
    }
}
