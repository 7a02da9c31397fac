//! Following a run under way: server-sent events whenever its record grows (IN-4, IN-5).

use super::Shared;
use super::answers::{Answer, find};
use axum::extract::{Path, State};
use axum::response::IntoResponse;
use axum::response::sse::{Event, KeepAlive, Sse};
use contexture::inspect::{RUNNING, state};
use contexture::store::runs::{RunError, RunId};
use futures_util::stream;
use serde_json::json;
use std::convert::Infallible;
use std::time::Duration;

/// The time between two looks at a record.
const LOOK: Duration = Duration::from_millis(250);

/// A run that is followed.
struct Followed {
    shared: Shared,
    id: RunId,
    /// The lines that were told last.
    told: Option<usize>,
    has_ended: bool,
}

/// `GET /v1/runs/{run}/follow`
pub(super) async fn follow(State(shared): State<Shared>, Path(run): Path<String>) -> Answer {
    let id = find(&shared, &run)?;
    let followed = Followed { shared, id, told: None, has_ended: false };
    let events = stream::unfold(followed, next);
    Ok(Sse::new(events).keep_alive(KeepAlive::default()).into_response())
}

async fn next(mut followed: Followed) -> Option<(Result<Event, Infallible>, Followed)> {
    loop {
        if followed.has_ended {
            return None;
        }
        let (shared, id) = (followed.shared.clone(), followed.id.clone());
        let look = tokio::task::spawn_blocking(move || look(&shared, &id)).await;
        // A run that another process removed has ended for who looks on.
        let Ok(Ok((lines, state))) = look else {
            followed.has_ended = true;
            return Some((Ok(Event::default().event("end").data("{}")), followed));
        };
        let data = json!({ "lines": lines, "state": state }).to_string();
        if followed.told != Some(lines) {
            followed.told = Some(lines);
            return Some((Ok(Event::default().event("lines").data(data)), followed));
        }
        if state != RUNNING {
            followed.has_ended = true;
            return Some((Ok(Event::default().event("end").data(data)), followed));
        }
        tokio::time::sleep(LOOK).await;
    }
}

/// Returns the lines of a run and its state.
fn look(shared: &Shared, id: &RunId) -> Result<(usize, &'static str), RunError> {
    // The state first: a line that is written after it is told with the next look. The entry of a
    // run under way is made of all its calls, so it is read when the run has ended.
    let state = match shared.sources.runs.is_running(id) {
        true => RUNNING,
        false => state(&shared.sources.runs.entry(id)?),
    };
    let lines = shared.outlines.with(&*shared.sources.runs, id, |outline| Ok(outline.lines()))?;
    Ok((lines, state))
}
