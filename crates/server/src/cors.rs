//! What pages of other origins may do, once their origin is allowed (KN-16, CP-19).
//!
//! Decision: a browser asks first, without the token, whether a page may send it; it is told so for the
//! origins that may call. No cookie is ever set or read, so that a page can do nothing in the name of
//! whoever looks at it; it brings its token itself.

use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};

const METHODS: &str = "GET, POST, DELETE";
/// Seconds for which a browser need not ask again.
const AGE: &str = "600";

/// What the pages of a door may send and read.
pub(crate) struct Cors {
    /// Headers of requests.
    pub(crate) headers: &'static str,
    /// Headers of answers.
    pub(crate) exposed: &'static str,
}

impl Cors {
    /// The answer to a browser that asks what it may send.
    pub(crate) fn preflight(&self) -> Response {
        let headers = [
            (header::ACCESS_CONTROL_ALLOW_METHODS, METHODS),
            (header::ACCESS_CONTROL_ALLOW_HEADERS, self.headers),
            (header::ACCESS_CONTROL_MAX_AGE, AGE),
        ];
        (StatusCode::NO_CONTENT, headers).into_response()
    }

    /// Lets the pages of an origin read the answer.
    pub(crate) fn allow(&self, headers: &mut HeaderMap, origin: HeaderValue) {
        let exposed = HeaderValue::from_static(self.exposed);
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, exposed);
        headers.append(header::VARY, HeaderValue::from_static("origin"));
    }
}

/// Whether a browser asks what a page may send.
pub(crate) fn is_preflight(request: &Request) -> bool {
    let headers = request.headers();
    request.method() == Method::OPTIONS
        && headers.contains_key(header::ORIGIN)
        && headers.contains_key(header::ACCESS_CONTROL_REQUEST_METHOD)
}
