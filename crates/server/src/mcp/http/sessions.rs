//! How many sessions there may be over HTTP, and which goes when another one comes.
//!
//! Decision: each session costs memory, and clients that go without a word leave theirs behind. So
//! there are no more than a fixed number; one that was silent for some time makes room, and where none was,
//! the new client is told to come again.

use axum::extract::{Request, State};
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use rmcp::model::ProtocolVersion;
use rmcp::transport::streamable_http_server::session::SessionManager as _;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// So many sessions there may be.
pub(super) const MOST: usize = 256;
/// A session that was silent for so long may be ended for another one.
const SILENT: Duration = Duration::from_secs(60);
/// When a client that found no room may come again, in seconds.
const AGAIN: &str = "60";

const SESSION: &str = "mcp-session-id";
const VERSION: &str = "mcp-protocol-version";

/// The sessions over HTTP.
pub(super) struct Sessions {
    manager: Arc<LocalSessionManager>,
    most: usize,
    /// Requests that may make a session and are not answered yet.
    coming: AtomicUsize,
    /// When something was last said in each.
    heard: Mutex<HashMap<String, Instant>>,
}

/// A request that may make a session.
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

    /// Room for one more session; none when there is none and none can be made.
    async fn room(&self) -> Option<Coming<'_>> {
        let coming = self.coming.fetch_add(1, Ordering::SeqCst) + 1;
        let place = Coming(&self.coming);
        let open: Vec<String> =
            self.manager.sessions.read().await.keys().map(ToString::to_string).collect();
        if open.len() + coming <= self.most {
            return Some(place);
        }
        let silent = self.silent(&open)?;
        // One that has ended by itself has made room as well.
        let _ = self.manager.close_session(&silent.into()).await;
        Some(place)
    }

    async fn has(&self, id: &str) -> bool {
        self.manager.sessions.read().await.contains_key(id)
    }

    /// The session in which nothing was said for the longest time, when that is long enough.
    fn silent(&self, open: &[String]) -> Option<String> {
        let mut heard = self.heard();
        heard.retain(|id, _| open.contains(id));
        let longest = heard.iter().min_by_key(|(_, at)| **at)?;
        let id = (longest.1.elapsed() >= SILENT).then(|| longest.0.clone())?;
        heard.remove(&id);
        Some(id)
    }

    fn hear(&self, headers: &HeaderMap) {
        let id = headers.get(SESSION).and_then(|id| id.to_str().ok());
        if let Some(id) = id.filter(|id| id.len() <= 100) {
            self.heard().insert(id.to_owned(), Instant::now());
        }
    }

    fn heard(&self) -> MutexGuard<'_, HashMap<String, Instant>> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether a request may make a session.
fn opens(request: &Request) -> bool {
    let headers = request.headers();
    let version = headers.get(VERSION).and_then(|version| version.to_str().ok());
    let is_without = version.is_some_and(|it| it >= ProtocolVersion::NO_INITIALIZE.as_str());
    request.method() == Method::POST && !headers.contains_key(SESSION) && !is_without
}

/// The session that a request is to end.
fn ended(request: &Request) -> Option<String> {
    let id = request.headers().get(SESSION)?.to_str().ok()?;
    (request.method() == Method::DELETE).then(|| id.to_owned())
}

/// Lets a request through when there is room for what it may make.
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
        // Only a session that is there counts as heard of.
        let id = request.headers().clone();
        let answer = next.run(request).await;
        if answer.status().is_success() {
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
    async fn kn_16_there_are_no_more_sessions_than_there_may_be() {
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
        sessions.heard().insert(ids[1].clone(), long_ago);
        assert!(sessions.room().await.is_some());
        let open = manager.sessions.read().await;
        assert!(open.len() == 1 && open.keys().all(|id| **id == *ids[0]), "the silent one went");
    }

    #[tokio::test]
    async fn kn_16_requests_that_come_together_find_no_more_room_than_there_is() {
        let sessions = Sessions::new(Arc::default(), 2);
        let first = sessions.room().await;
        let second = sessions.room().await;
        assert!(first.is_some() && second.is_some() && sessions.room().await.is_none());
        drop(first);
        assert!(sessions.room().await.is_some());
    }
}
