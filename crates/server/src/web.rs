//! The rules of HTTP that both servers share: CORS, hosts and origins, media types.
//!
//! Decision: a browser sends a preflight request without the token; allowed origins get a permission.
//! No cookie is ever set or read, so a page can't act on behalf of its visitor;
//! it brings its own token.

use axum::body::Body;
use axum::extract::Request;
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use futures_util::StreamExt as _;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use std::net::IpAddr;

const METHODS: &str = "GET, POST, PATCH, DELETE";
/// The seconds for which a browser caches a preflight answer.
const AGE: &str = "600";
/// The bytes of a path segment that are encoded (RFC 3986, 2.3).
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// What the pages of the program may do: only their own scripts run, and no text becomes markup.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
    img-src 'self' blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
    require-trusted-types-for 'script'; trusted-types 'none'";

/// Answers with a file of a page that the program carries: its name, content type and text.
pub(crate) fn page_file(files: &[(&str, &str, &'static str)], path: &str) -> Option<Response> {
    let (_, kind, text) = files.iter().find(|(name, ..)| *name == path)?;
    let headers = [
        (header::CONTENT_TYPE, *kind),
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        // A newer program may have a newer page.
        (header::CACHE_CONTROL, "no-cache"),
    ];
    Some((headers, *text).into_response())
}

/// Ends a stream of events when something has happened; any other response is left as it is.
pub(crate) fn events_until(
    response: Response,
    end: impl Future<Output = ()> + Send + 'static,
) -> Response {
    let kind = response.headers().get(header::CONTENT_TYPE);
    if kind.is_none_or(|kind| kind != "text/event-stream") {
        return response;
    }
    let end = Box::pin(end);
    response.map(|body| Body::from_stream(body.into_data_stream().take_until(end)))
}

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

/// The host that a request names, in lower case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Host {
    name: String,
    port: Option<u16>,
    /// True if the settings name it: a proxy may speak TLS for it.
    is_named: bool,
}

impl Host {
    /// Reads a host and its port, without a user name.
    fn parse(text: &str) -> Option<Self> {
        let authority = text.parse::<Authority>().ok()?;
        let name = authority.host();
        let port = match authority.as_str().strip_prefix(name)? {
            "" | ":" => None,
            port => Some(port.strip_prefix(':')?.parse().ok()?),
        };
        Some(Self { name: name.to_ascii_lowercase(), port, is_named: false })
    }

    /// Returns the name with the port, as browsers write it.
    fn whole(&self) -> String {
        match self.port {
            Some(port) => format!("{}:{port}", self.name),
            None => self.name.clone(),
        }
    }

    /// Reports whether an absolute target of a request means the same host and port.
    fn agrees_with(&self, target: &Uri) -> bool {
        let Some(authority) = target.authority() else { return true };
        let usual = match target.scheme_str() {
            None => None,
            Some("http") => Some(80),
            Some("https") => Some(443),
            Some(_) => return false,
        };
        Self::parse(authority.as_str()).is_some_and(|other| {
            other.name == self.name && other.port.or(usual) == self.port.or(usual)
        })
    }
}

impl Sites {
    pub(crate) fn new(hosts: &[String], origins: &[String]) -> Self {
        let lower = |names: &[String]| names.iter().map(|name| name.to_ascii_lowercase()).collect();
        Self { hosts: lower(hosts), origins: lower(origins) }
    }

    /// Returns the accepted host of a request: of its one `Host` header, with which an absolute
    /// target agrees (RFC 9112, 3.2). A page can rebind its own name to this machine, but not an IP
    /// address or `localhost`.
    pub(crate) fn host(&self, target: &Uri, headers: &HeaderMap) -> Option<Host> {
        let mut named = headers.get_all(header::HOST).iter();
        let (Some(host), None) = (named.next(), named.next()) else { return None };
        let host = Host::parse(host.to_str().ok()?).filter(|host| host.agrees_with(target))?;
        let whole = host.whole();
        let is_named = self.hosts.iter().any(|known| *known == host.name || *known == whole);
        let is_accepted = is_named || is_address(&host.name, |_| true);
        is_accepted.then_some(Host { is_named, ..host })
    }

    /// Reports whether the settings name an origin.
    pub(crate) fn names(&self, origin: &str) -> bool {
        self.origins.iter().any(|known| known.eq_ignore_ascii_case(origin))
    }
}

/// Returns the origin of the page that sends a request, if a page does.
///
/// # Errors
/// Several origins, or one that can't be read.
pub(crate) fn origin(headers: &HeaderMap) -> Result<Option<&str>, ()> {
    let mut all = headers.get_all(header::ORIGIN).iter();
    match (all.next(), all.next()) {
        (None, _) => Ok(None),
        (Some(origin), None) => origin.to_str().map(Some).map_err(drop),
        (Some(_), Some(_)) => Err(()),
    }
}

/// Reports whether an origin is that of the server itself, which was called by `host`.
pub(crate) fn is_own(origin: &str, host: &Host, is_tls: bool) -> bool {
    let is_with =
        |scheme: &str| origin.eq_ignore_ascii_case(&format!("{scheme}://{}", host.whole()));
    (is_with("http") && !is_tls) || (is_with("https") && (is_tls || host.is_named))
}

/// Reports whether an origin is of this machine.
pub(crate) fn is_local(origin: &str) -> bool {
    origin.parse::<Uri>().is_ok_and(|uri| {
        matches!(uri.scheme_str(), Some("http" | "https"))
            && uri.host().is_some_and(|host| is_address(host, IpAddr::is_loopback))
    })
}

/// Reports whether a browser says that a page of another origin sends a request.
pub(crate) fn is_from_elsewhere(headers: &HeaderMap) -> bool {
    let mut sites = headers.get_all("sec-fetch-site").iter();
    !sites.all(|site| matches!(site.as_bytes(), b"same-origin" | b"none"))
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
    fn cp_9_id_of_any_characters_works_in_path() {
        assert_eq!(encoded("ctx_1-A.~"), "ctx_1-A.~");
        assert_eq!(encoded("a/b %天"), "a%2Fb%20%25%E5%A4%A9");
    }
}
