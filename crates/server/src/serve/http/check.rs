//! The checks and headers of every request (CP-19).

use super::answer;
use super::guard::address;
use super::shared::Shared;
use crate::serve::operations::log::{Level, millis};
use crate::web::{self, Cors};
use axum::extract::{Request, State};
use axum::http::{HeaderValue, header};
use axum::middleware::Next;
use axum::response::Response;
use serde_json::json;
use std::time::Instant;

/// The headers that pages of allowed origins may send and read.
const PAGES: Cors = Cors {
    request_headers: "authorization, content-type, content-encoding, accept, if-match, \
         if-none-match, last-event-id, mcp-cp-version, x-api-key, x-context-id, traceparent, openai-organization, \
         openai-project, x-stainless-arch, x-stainless-helper-method, x-stainless-lang, \
         x-stainless-os, x-stainless-package-version, x-stainless-retry-count, \
         x-stainless-runtime, x-stainless-runtime-version, x-stainless-timeout",
    response_headers: "etag, location, mcp-cp-version, retry-after",
};

/// The headers that mark responses as not being pages, unless they are.
const NOT_A_PAGE: [(header::HeaderName, &str); 5] = [
    (header::CONTENT_SECURITY_POLICY, "default-src 'none'; frame-ancestors 'none'"),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::CACHE_CONTROL, "no-store"),
];

/// Tells browsers to come back over TLS alone, for a year.
const TLS_ALONE: HeaderValue = HeaderValue::from_static("max-age=31536000");

/// Passes a request on, or refuses it; a page of an allowed origin can read the answer.
pub(super) async fn check(State(shared): State<Shared>, request: Request, next: Next) -> Response {
    let began = Instant::now();
    let (method, path) = (request.method().clone(), request.uri().path().to_owned());
    let address = address(request.extensions());
    let origin = request.headers().get(header::ORIGIN).cloned();
    let is_preflight = web::is_preflight(&request);
    let damage = shared.app.damage.as_ref();
    let entered = shared.guard.enter(&request);
    let entered = entered.and_then(|()| damage.map_or(Ok(()), |damage| damage.admit(&path)));
    let is_accepted = entered.is_ok();
    let mut response = match entered {
        Ok(()) if is_preflight => PAGES.preflight(),
        Ok(()) => next.run(request).await,
        Err(refused) => answer::refusal(&shared.app, &path, refused, None),
    };
    let headers = response.headers_mut();
    if let Some(origin) = origin.filter(|_| is_accepted) {
        PAGES.allow(headers, origin);
    }
    for (name, value) in NOT_A_PAGE {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    }
    if shared.guard.is_tls() {
        headers.insert(header::STRICT_TRANSPORT_SECURITY, TLS_ALONE);
    }
    let log = &shared.app.log;
    if log.has_level(Level::Info) {
        let fields = json!({
            "method": method.as_str(),
            "path": path,
            "status": response.status().as_u16(),
            "ms": millis(began),
            "address": address.map(|address| address.to_string()),
        });
        log.info("request", fields);
    }
    response
}
