//! The limit of sessions over HTTP, and the session that makes room for a new one.
//!
//! Decision: each session costs memory, and clients that vanish leave theirs behind. So
//! their number is limited; one that was idle for some time makes room, and without one,
//! the new client is asked to retry.

use axum::extract::{Request, State};
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use parking_lot::Mutex;
use rmcp::model::ProtocolVersion;
use rmcp::transport::streamable_http_server::session::SessionManager as _;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

pub(super) const MOST: usize = 256;
/// The idle time after which a session may end to make room.
const SILENT: Duration = Duration::from_secs(60);
/// The seconds after which a refused client may retry.
const AGAIN: &str = "60";

const SESSION: &str = "mcp-session-id";
const VERSION: &str = "mcp-protocol-version";

/// The sessions over HTTP.
pub(super) struct Sessions {
    manager: Arc<LocalSessionManager>,
    most: usize,
    /// The unanswered requests that may create a session.
    coming: AtomicUsize,
    /// The time of the last message of each.
    heard: Mutex<HashMap<String, Instant>>,
}

/// A request that may create a session.
struct Coming<'s>(&'s AtomicUsize);

impl Drop for Coming<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Sessions {
    pub(super) fn new(manager: Arc<LocalSessionManager>, most: usize) -> Arc<Self> {
        let (coming, heard) = (AtomicUsize::new(0), Mutex::default());
        Arc::new(Self { manager, most, coming, heard })
    }

    /// Reserves room for a session; `None` when none can be made.
    async fn room(&self) -> Option<Coming<'_>> {
        let coming = self.coming.fetch_add(1, Ordering::SeqCst) + 1;
        let place = Coming(&self.coming);
        let open: Vec<String> =
            self.manager.sessions.read().await.keys().map(ToString::to_string).collect();
        if open.len() + coming <= self.most {
            return Some(place);
        }
        let silent = self.silent(&open)?;
        // A session that ended by itself has made room, too.
        let _ = self.manager.close_session(&silent.into()).await;
        Some(place)
    }

    async fn has(&self, id: &str) -> bool {
        self.manager.sessions.read().await.contains_key(id)
    }

    /// Returns the session that has been idle longest, if long enough.
    fn silent(&self, open: &[String]) -> Option<String> {
        let mut heard = self.heard.lock();
        heard.retain(|id, _| open.contains(id));
        let longest = heard.iter().min_by_key(|(_, at)| **at)?;
        let id = (longest.1.elapsed() >= SILENT).then(|| longest.0.clone())?;
        heard.remove(&id);
        Some(id)
    }

    fn hear(&self, headers: &HeaderMap) {
        let id = headers.get(SESSION).and_then(|id| id.to_str().ok());
        if let Some(id) = id.filter(|id| id.len() <= 100) {
            self.heard.lock().insert(id.to_owned(), Instant::now());
        }
    }
}

/// Reports whether a request may create a session.
fn opens(request: &Request) -> bool {
    let headers = request.headers();
    let version = headers.get(VERSION).and_then(|version| version.to_str().ok());
    let is_without = version.is_some_and(|it| it >= ProtocolVersion::NO_INITIALIZE.as_str());
    request.method() == Method::POST && !headers.contains_key(SESSION) && !is_without
}

fn ended(request: &Request) -> Option<String> {
    let id = request.headers().get(SESSION)?.to_str().ok()?;
    (request.method() == Method::DELETE).then(|| id.to_owned())
}

/// Passes a request on when there is room for its session.
pub(super) async fn bound(
    State(sessions): State<Arc<Sessions>>,
    request: Request,
    next: Next,
) -> Response {
    if let Some(id) = ended(&request)
        && !sessions.has(&id).await
    {
        return (StatusCode::NOT_FOUND, "there is no such session\n").into_response();
    }
    if !opens(&request) {
        // Only an existing session counts as active.
        let id = request.headers().clone();
        let is_end = ended(&request).is_some();
        let answer = next.run(request).await;
        if answer.status().is_success() {
            if is_end {
                // Official clients warn when the end of a session is only accepted.
                return StatusCode::NO_CONTENT.into_response();
            }
            sessions.hear(&id);
        }
        return answer;
    }
    let Some(_place) = sessions.room().await else {
        let message = format!(
            "there are {} sessions, as many as there may be; end one that is not needed, or come again\n",
            sessions.most
        );
        return (StatusCode::SERVICE_UNAVAILABLE, [(header::RETRY_AFTER, AGAIN)], message)
            .into_response();
    };
    let answer = next.run(request).await;
    sessions.hear(answer.headers());
    answer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn kn_16_number_of_sessions_is_limited() {
        let manager = Arc::new(LocalSessionManager::default());
        let sessions = Sessions::new(Arc::clone(&manager), 2);
        let mut kept = Vec::new();
        for _ in 0..2 {
            let place = sessions.room().await.unwrap();
            kept.push(manager.create_session().await.unwrap());
            drop(place);
        }
        let ids: Vec<String> = kept.iter().map(|(id, _)| id.to_string()).collect();
        for id in &ids {
            let mut headers = HeaderMap::new();
            headers.insert(SESSION, id.parse().unwrap());
            sessions.hear(&headers);
        }
        assert!(sessions.room().await.is_none(), "both were heard of a moment ago");
        let Some(long_ago) = Instant::now().checked_sub(SILENT) else { return };
        sessions.heard.lock().insert(ids[1].clone(), long_ago);
        assert!(sessions.room().await.is_some());
        let open = manager.sessions.read().await;
        assert!(open.len() == 1 && open.keys().all(|id| **id == *ids[0]), "the silent one went");
    }

    #[tokio::test]
    async fn kn_16_concurrent_requests_do_not_exceed_session_limit() {
        let sessions = Sessions::new(Arc::default(), 2);
        let first = sessions.room().await;
        let second = sessions.room().await;
        assert!(first.is_some() && second.is_some() && sessions.room().await.is_none());
        drop(first);
        assert!(sessions.room().await.is_some());
    }
}
