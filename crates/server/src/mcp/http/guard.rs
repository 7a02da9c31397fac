//! Access control: the token, the host and the origin of a request.

use crate::mcp::token::Token;
use crate::web::{self, Cors, Sites};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::sync::Arc;

/// The rules of access.
#[derive(Debug)]
pub(super) struct Guard {
    token: Token,
    sites: Sites,
}

/// The reason to refuse a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Refusal {
    Token,
    Host,
    Origin,
}

impl Guard {
    pub(super) fn new(token: Token, hosts: &[String], origins: &[String]) -> Self {
        Self { token, sites: Sites::new(hosts, origins) }
    }

    /// Checks that the token is present, once.
    fn token(&self, headers: &HeaderMap) -> Result<(), Refusal> {
        let mut tokens = headers.get_all(header::AUTHORIZATION).iter();
        let carried = tokens.next().is_some_and(|value| self.token.admits(value.as_bytes()));
        if carried && tokens.next().is_none() { Ok(()) } else { Err(Refusal::Token) }
    }

    /// Checks that host and origin are allowed.
    fn place(&self, uri: &Uri, headers: &HeaderMap) -> Result<(), Refusal> {
        if self.sites.host(uri, headers).is_none() {
            return Err(Refusal::Host);
        }
        // Every request carries the token, which a page of this machine does not know by itself.
        let is_accepted = |origin: &str| self.sites.names(origin) || web::is_local(origin);
        match web::origin(headers) {
            Ok(origin) if origin.is_none_or(is_accepted) => Ok(()),
            _ => Err(Refusal::Origin),
        }
    }
}

/// The headers that pages of allowed origins may send and read.
const PAGES: Cors = Cors {
    request_headers: "authorization, content-type, accept, last-event-id, mcp-session-id, \
         mcp-protocol-version, mcp-method, mcp-name",
    response_headers: "mcp-session-id, www-authenticate, retry-after",
};

/// Passes a request on, or refuses it; a page of an allowed origin can read the answer.
pub(super) async fn check(
    State(guard): State<Arc<Guard>>,
    request: Request,
    next: Next,
) -> Response {
    let placed = guard.place(request.uri(), request.headers());
    let origin = request.headers().get(header::ORIGIN).cloned().filter(|_| placed.is_ok());
    let mut response = if web::is_preflight(&request) && placed.is_ok() {
        PAGES.preflight()
    } else {
        match guard.token(request.headers()).and(placed) {
            Ok(()) => next.run(request).await,
            Err(refusal) => refusal.into_response(),
        }
    };
    if let Some(origin) = origin {
        PAGES.allow(response.headers_mut(), origin);
    }
    response
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        match self {
            Self::Token => (
                StatusCode::UNAUTHORIZED,
                [(header::WWW_AUTHENTICATE, "Bearer realm=\"contexture\"")],
                "a bearer token is needed: Authorization: Bearer TOKEN\n",
            )
                .into_response(),
            Self::Host => (
                StatusCode::FORBIDDEN,
                "the host of the request is not served here; `--allow-host` names others\n",
            )
                .into_response(),
            Self::Origin => (
                StatusCode::FORBIDDEN,
                "the origin of the request is not allowed; `--allow-origin` names others\n",
            )
                .into_response(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judge(headers: &[(&str, &str)]) -> Result<(), Refusal> {
        let token = Token::new("0123456789abcdef").unwrap();
        let names = ["mcp.example.com".to_owned(), "Other.example:8443".to_owned()];
        let guard = Guard::new(token, &names, &["https://App.example.com".to_owned()]);
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            let name: header::HeaderName = name.parse().unwrap();
            map.append(name, value.parse().unwrap());
        }
        guard.token(&map).and(guard.place(&Uri::from_static("/mcp"), &map))
    }

    const TOKEN: (&str, &str) = ("authorization", "Bearer 0123456789abcdef");

    #[test]
    fn kn_16_request_needs_token_exactly_once() {
        let host = ("host", "127.0.0.1:7879");
        assert_eq!(judge(&[TOKEN, host]), Ok(()));
        assert_eq!(judge(&[host]), Err(Refusal::Token));
        assert_eq!(judge(&[("authorization", "Bearer no"), host]), Err(Refusal::Token));
        assert_eq!(judge(&[TOKEN, ("authorization", "Bearer no"), host]), Err(Refusal::Token));
    }

    #[test]
    fn kn_16_host_is_address_localhost_or_configured() {
        for good in [
            "localhost",
            "LOCALHOST:1",
            "127.0.0.1:7879",
            "[::1]:7879",
            "10.0.0.7",
            "mcp.example.com",
            "MCP.example.com:99",
            "other.example:8443",
        ] {
            assert_eq!(judge(&[TOKEN, ("host", good)]), Ok(()), "{good}");
        }
        for bad in [
            "evil.example",
            "localhost.evil.example",
            "127.0.0.1.evil.example",
            "",
            "localhost@evil.example",
            "evil@localhost",
            "other.example",
            "a b",
        ] {
            assert_eq!(judge(&[TOKEN, ("host", bad)]), Err(Refusal::Host), "{bad}");
        }
        assert_eq!(judge(&[TOKEN]), Err(Refusal::Host));
        let two = [TOKEN, ("host", "localhost"), ("host", "localhost")];
        assert_eq!(judge(&two), Err(Refusal::Host));
    }

    #[test]
    fn kn_16_origin_is_local_or_configured() {
        let origin = |origin| judge(&[TOKEN, ("host", "localhost"), ("origin", origin)]);
        for good in [
            "http://localhost:6274",
            "http://127.0.0.1",
            "https://[::1]:1",
            "https://app.example.com",
        ] {
            assert_eq!(origin(good), Ok(()), "{good}");
        }
        for bad in [
            "null",
            "https://evil.example",
            "http://app.example.com",
            "http://10.0.0.7",
            "file://localhost",
            "https://app.example.com.evil.example",
            "localhost",
            "",
        ] {
            assert_eq!(origin(bad), Err(Refusal::Origin), "{bad}");
        }
    }
}
