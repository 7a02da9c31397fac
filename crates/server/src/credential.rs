//! The token of a request.

use crate::web::elements;
use axum::http::{HeaderMap, header};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

/// The subprotocol with which the WebSocket of a browser, which can't set headers, sends its token; it is
/// never selected.
pub(crate) const SUBPROTOCOL: &str = "bearer.";

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Credential {
    None,
    /// One token; it may be sent in two ways.
    Token(String),
    /// Different tokens.
    Several,
    /// Something that is not a token.
    Invalid,
}

/// Reads the token of `Authorization`, `X-API-Key` or the subprotocols of a WebSocket.
pub(crate) fn credential(headers: &HeaderMap) -> Credential {
    let bearer =
        headers.get_all(header::AUTHORIZATION).iter().map(|value| bearer(value.as_bytes()));
    let key = headers.get_all("x-api-key").iter().map(|value| text(value.as_bytes()));
    let offered = elements(headers, header::SEC_WEBSOCKET_PROTOCOL);
    let encoded = offered.filter_map(|entry| entry.strip_prefix(SUBPROTOCOL)).map(decoded);
    let mut found = Credential::None;
    for token in bearer.chain(key).chain(encoded) {
        let Some(token) = token else { return Credential::Invalid };
        match &found {
            Credential::Token(before) if *before != token => return Credential::Several,
            _ => found = Credential::Token(token),
        }
    }
    found
}

fn bearer(value: &[u8]) -> Option<String> {
    let (scheme, token) = value.split_at_checked(7)?;
    scheme.eq_ignore_ascii_case(b"bearer ").then(|| text(token))?
}

fn text(value: &[u8]) -> Option<String> {
    let value = value.trim_ascii();
    let is_token = !value.is_empty() && value.iter().all(u8::is_ascii_graphic);
    is_token.then(|| String::from_utf8_lossy(value).into_owned())
}

fn decoded(value: &str) -> Option<String> {
    text(&URL_SAFE_NO_PAD.decode(value).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(lines: &[(&'static str, &str)]) -> Credential {
        let mut headers = HeaderMap::new();
        for (name, value) in lines {
            headers.append(*name, value.parse().unwrap());
        }
        credential(&headers)
    }

    #[test]
    fn cp_19_token_is_read_from_header_or_subprotocol() {
        let token = Credential::Token("abc".to_owned());
        assert_eq!(found(&[]), Credential::None);
        assert_eq!(found(&[("sec-websocket-protocol", "mcp-cp.1")]), Credential::None);
        for good in [
            ("authorization", "Bearer abc"),
            ("authorization", "bearer  abc "),
            ("x-api-key", "abc"),
            ("sec-websocket-protocol", "mcp-cp.1, bearer.YWJj"),
        ] {
            assert_eq!(found(&[good]), token, "{good:?}");
        }
        let twice = [("x-api-key", "abc"), ("authorization", "Bearer abc")];
        assert_eq!(found(&twice), token);
        let differ = [("x-api-key", "abd"), ("authorization", "Bearer abc")];
        assert_eq!(found(&differ), Credential::Several);
        for wrong in [
            ("authorization", "Bearer"),
            ("authorization", "Bearer "),
            ("authorization", "Basic abc"),
            ("authorization", "abc"),
            ("authorization", "Bearer a b"),
            ("x-api-key", ""),
            ("sec-websocket-protocol", "bearer.%%%"),
            ("sec-websocket-protocol", "bearer."),
        ] {
            assert_eq!(found(&[wrong]), Credential::Invalid, "{wrong:?}");
        }
    }
}
