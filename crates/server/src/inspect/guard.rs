//! The check of every request: its host, and the page that sends it (IN-15).

use super::answers::Refused;
use crate::web::{Sites, is_from_elsewhere, is_own, origin};
use axum::extract::Request;
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

/// Lets a request through that names this machine, and comes from no page or from the own one.
pub(super) async fn check(request: Request, next: Next) -> Response {
    let Some(host) = Sites::new(&[], &[]).host(request.uri(), request.headers()) else {
        let message = "the host of the request is not this machine";
        return Refused::new(StatusCode::MISDIRECTED_REQUEST, "host_not_served", message)
            .into_response();
    };
    let is_own_page = match origin(request.headers()) {
        Ok(Some(origin)) => is_own(origin, &host, false),
        Ok(None) => !is_from_elsewhere(request.headers()),
        Err(()) => false,
    };
    if !is_own_page {
        let message = "pages of other origins may not read runs";
        return Refused::new(StatusCode::FORBIDDEN, "origin_not_allowed", message).into_response();
    }
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    response
}
