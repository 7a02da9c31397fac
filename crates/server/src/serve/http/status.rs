//! `/healthz`, `/readyz` and `/metrics`, for the operators of the server (CP-20).

use super::extract::Sender;
use super::shared::Shared;
use crate::serve::damage::Damage;
use crate::serve::operations::metrics::Gauge;
use axum::extract::{MatchedPath, Request, State};
use axum::http::{StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use serde_json::json;
use std::sync::atomic::Ordering;

/// `GET /healthz`: the program runs.
pub(super) async fn alive() -> Response {
    plain(StatusCode::OK, json!({ "status": "ok" }).to_string(), "application/json")
}

/// `GET /readyz`: messages are accepted. The reasons are the same words for everybody, and contain
/// nothing of what is served.
pub(super) async fn ready(State(shared): State<Shared>) -> Response {
    let app = &shared.app;
    let mut reasons = Vec::new();
    if app.is_leaving.load(Ordering::Relaxed) {
        reasons.push("the server is about to end");
    }
    reasons.extend(app.damage.as_ref().map(Damage::reason));
    reasons.extend(app.engine.fault());
    reasons.extend(app.readiness.fault(app.read(|store| store.check())).await);
    let (status, word) = match reasons.is_empty() {
        true => (StatusCode::OK, "ready"),
        false => (StatusCode::SERVICE_UNAVAILABLE, "not ready"),
    };
    let text = json!({ "status": word, "reasons": reasons }).to_string();
    plain(status, text, "application/json")
}

/// `GET /metrics`: metrics for Prometheus, with a valid token.
pub(super) async fn metrics(State(shared): State<Shared>, Sender(_): Sender) -> Response {
    let app = &shared.app;
    let count = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
    let sockets = app.metrics.sockets.load(Ordering::Relaxed);
    let gauges = [
        Gauge("turns_running", "Turns that run or wait.", count(app.turns.running())),
        Gauge(
            "sets_running",
            "Sets of calls and of instructions that run.",
            count(app.flows.running()),
        ),
        Gauge("sessions", "Sessions of clients, connected or not.", count(app.sessions.count())),
        Gauge("websocket_connections", "WebSockets that are open.", sockets),
        Gauge("draining", "Whether the server is about to end.", app.is_ending().into()),
        Gauge("start_time_seconds", "When the server began, in Unix time.", app.begun),
    ];
    let kind = "text/plain; version=0.0.4; charset=utf-8";
    plain(StatusCode::OK, app.metrics.page(&gauges), kind)
}

fn plain(status: StatusCode, text: String, kind: &'static str) -> Response {
    let headers = [(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, "no-store")];
    (status, headers, text).into_response()
}

pub(super) async fn count(State(shared): State<Shared>, request: Request, next: Next) -> Response {
    let route = request.extensions().get::<MatchedPath>().map(|path| path.as_str().to_owned());
    let response = next.run(request).await;
    let route = route.unwrap_or_else(|| "other".to_owned());
    shared.app.metrics.requests.count(route, response.status().as_str().to_owned());
    response
}
