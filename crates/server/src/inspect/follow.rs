//! Following what is under way: server-sent events whenever a run has grown, or a run of a set has come
//! further (IN-4, IN-5, IN-11).
//!
//! Decision: neither store says when it has grown, as another process may write it. So the server looks,
//! at what is cheap to read, and the page asks for the rest when it hears of a change.

use super::Shared;
use super::answers::{Answer, Refused, find};
use axum::extract::{Path, State};
use axum::response::IntoResponse;
use axum::response::sse::{Event, KeepAlive, Sse};
use contexture::flows::listed;
use contexture::inspect::{self, RUNNING, state};
use contexture::store::runs::{RunError, RunId};
use futures_util::stream;
use serde_json::{Value, json};
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

/// The time between two looks.
const LOOK: Duration = Duration::from_millis(250);

/// What is told of something, and whether it is under way; `None` when it is gone.
type Look = Arc<dyn Fn() -> Option<(Value, bool)> + Send + Sync>;

/// What is followed.
struct Followed {
    look: Look,
    /// The name of the events.
    event: &'static str,
    /// What was told last.
    told: Option<Value>,
    has_ended: bool,
}

/// `GET /v1/runs/{run}/follow`
pub(super) async fn run(State(shared): State<Shared>, Path(run): Path<String>) -> Answer {
    let id = find(&shared, &run)?;
    Ok(followed("lines", move || look_at_run(&shared, &id).ok()))
}

/// `GET /v1/flows/{flow}/follow`
pub(super) async fn flow(State(shared): State<Shared>, Path(flow): Path<String>) -> Answer {
    look_at_flow(&shared, &flow)?;
    Ok(followed("steps", move || look_at_flow(&shared, &flow).ok()))
}

fn followed(
    event: &'static str,
    look: impl Fn() -> Option<(Value, bool)> + Send + Sync + 'static,
) -> axum::response::Response {
    let followed = Followed { look: Arc::new(look), event, told: None, has_ended: false };
    Sse::new(stream::unfold(followed, next)).keep_alive(KeepAlive::default()).into_response()
}

async fn next(mut followed: Followed) -> Option<(Result<Event, Infallible>, Followed)> {
    loop {
        if followed.has_ended {
            return None;
        }
        let look = Arc::clone(&followed.look);
        // What another process removed has ended for who looks on.
        let Ok(Some((seen, is_under))) = tokio::task::spawn_blocking(move || look()).await else {
            followed.has_ended = true;
            return Some((Ok(Event::default().event("end").data("{}")), followed));
        };
        let data = seen.to_string();
        if followed.told.as_ref() != Some(&seen) {
            followed.told = Some(seen);
            return Some((Ok(Event::default().event(followed.event).data(data)), followed));
        }
        if !is_under {
            followed.has_ended = true;
            return Some((Ok(Event::default().event("end").data(data)), followed));
        }
        tokio::time::sleep(LOOK).await;
    }
}

/// Returns the lines of a run and its state.
fn look_at_run(shared: &Shared, id: &RunId) -> Result<(Value, bool), RunError> {
    // The state first: a line that is written after it is told with the next look. The entry of a
    // run under way is made of all its calls, so it is read when the run has ended.
    let state = match shared.sources.runs.is_running(id) {
        true => RUNNING,
        false => state(&shared.sources.runs.entry(id)?),
    };
    let lines = shared.outlines.with(&*shared.sources.runs, id, |outline| Ok(outline.lines()))?;
    Ok((json!({ "lines": lines, "state": state }), state == RUNNING))
}

/// Returns a run of a set as lists have it, with how many calls of it wait.
fn look_at_flow(shared: &Shared, flow: &str) -> Result<(Value, bool), Refused> {
    let journal = shared.sources.flows()?;
    let seen = journal.summary(flow)?;
    let waits = inspect::open_waits(journal, Some(flow), (0, 0))?.len();
    let told = json!({ "flow": listed(&seen), "waits": waits });
    Ok((told, seen.ended_us.is_none()))
}
