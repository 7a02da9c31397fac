//! CORS: the rights of web pages from allowed origins (KN-16, CP-19).
//!
//! Decision: a browser sends a preflight request without the token; allowed origins get a permission.
//! No cookie is ever set or read, so a page can't act on behalf of its visitor;
//! it brings its own token.

use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};

const METHODS: &str = "GET, POST, DELETE";
/// The seconds for which a browser caches a preflight answer.
const AGE: &str = "600";

/// The headers that pages may send and read.
pub(crate) struct Cors {
    /// The request headers.
    pub(crate) headers: &'static str,
    /// The response headers.
    pub(crate) exposed: &'static str,
}

impl Cors {
    /// Answers a preflight request.
    pub(crate) fn preflight(&self) -> Response {
        let headers = [
            (header::ACCESS_CONTROL_ALLOW_METHODS, METHODS),
            (header::ACCESS_CONTROL_ALLOW_HEADERS, self.headers),
            (header::ACCESS_CONTROL_MAX_AGE, AGE),
        ];
        (StatusCode::NO_CONTENT, headers).into_response()
    }

    /// Allows the pages of an origin to read the response.
    pub(crate) fn allow(&self, headers: &mut HeaderMap, origin: HeaderValue) {
        let exposed = HeaderValue::from_static(self.exposed);
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, exposed);
        headers.append(header::VARY, HeaderValue::from_static("origin"));
    }
}

/// Reports whether a request is a preflight request.
pub(crate) fn is_preflight(request: &Request) -> bool {
    let headers = request.headers();
    request.method() == Method::OPTIONS
        && headers.contains_key(header::ORIGIN)
        && headers.contains_key(header::ACCESS_CONTROL_REQUEST_METHOD)
}
