//! `/healthz`, `/readyz` and `/metrics`: what those who run the server ask (CP-20).

use super::{Shared, answer};
use crate::serve::app::Phase;
use crate::serve::operations::metrics::Gauge;
use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use serde_json::json;
use std::sync::atomic::Ordering;

/// `GET /healthz`: the program runs.
pub(super) async fn alive() -> Response {
    plain(StatusCode::OK, json!({ "status": "ok" }).to_string(), "application/json")
}

/// `GET /readyz`: messages are taken. The reasons are the same words for everybody, and say nothing
/// of what is served.
pub(super) async fn ready(State(shared): State<Shared>) -> Response {
    let app = &shared.app;
    let mut reasons = Vec::new();
    if *app.phase.borrow() != Phase::Open {
        reasons.push("the server is about to end");
    }
    reasons.extend(app.readiness.fault(app).await);
    let (status, word) = match reasons.is_empty() {
        true => (StatusCode::OK, "ready"),
        false => (StatusCode::SERVICE_UNAVAILABLE, "not ready"),
    };
    let text = json!({ "status": word, "reasons": reasons }).to_string();
    plain(status, text, "application/json")
}

/// `GET /metrics`: figures for Prometheus, for those who are let in.
pub(super) async fn metrics(State(shared): State<Shared>, request: Request) -> Response {
    let app = &shared.app;
    if let Err(refused) = shared.guard.admit(&request) {
        return answer::refusal(app, refused);
    }
    let count = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
    let gauges = [
        Gauge("turns_running", "Turns that run or wait.", count(app.turns.running())),
        Gauge(
            "sets_running",
            "Sets of calls and of instructions that run.",
            count(app.flows.running()),
        ),
        Gauge("sessions", "Sessions of clients, connected or not.", count(app.sessions.count())),
        Gauge(
            "websocket_connections",
            "WebSockets that are open.",
            app.metrics.sockets.load(Ordering::Relaxed),
        ),
        Gauge(
            "draining",
            "Whether the server is about to end.",
            u64::from(*app.phase.borrow() != Phase::Open),
        ),
        Gauge("start_time_seconds", "When the server began, in Unix time.", app.begun),
    ];
    let kind = "text/plain; version=0.0.4; charset=utf-8";
    plain(StatusCode::OK, app.metrics.page(&gauges), kind)
}

fn plain(status: StatusCode, text: String, kind: &'static str) -> Response {
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static(kind)),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
    ];
    (status, headers, text).into_response()
}

/// Counts requests by the route they took.
pub(super) async fn counted(
    State(shared): State<Shared>,
    request: Request,
    next: Next,
) -> Response {
    let route = request.extensions().get::<MatchedPath>().map(|path| path.as_str().to_owned());
    let response = next.run(request).await;
    let route = route.unwrap_or_else(|| "other".to_owned());
    shared.app.metrics.requests.count(route, response.status().as_str().to_owned());
    response
}
