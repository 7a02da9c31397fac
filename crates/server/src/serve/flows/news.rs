//! What a run tells while it goes on (FL-12).

use contexture_flow::run::{Notice, Observer};
use contexture_protocol::content::{Outcome, Progress, Status};
use serde_json::Map;
use std::sync::Arc;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

/// Sets of more steps than this tell how far they are, not of each step.
const EACH: usize = 1_000;
/// So often a large set tells how far it is.
const PARTS: usize = 100;

/// A change of a step that is durable.
pub(super) struct News {
    pub(super) id: String,
    pub(super) status: Status,
    done: usize,
    total: usize,
    /// How it ended, where that is wanted.
    pub(super) outcome: Option<Outcome>,
}

/// What a run tells, and the one who tells it.
pub(super) fn listen(wants_outcomes: bool) -> (Observer, UnboundedReceiver<News>) {
    let (tell, news) = unbounded_channel();
    let observer = move |notice: &Notice<'_>| {
        let outcome = if wants_outcomes { notice.outcome() } else { None };
        // Of what nobody is told of, nothing is copied.
        if !wants_outcomes && !is_told(notice.status, notice.done, notice.total) {
            return;
        }
        // Nobody listens any more when the server ends.
        let _ = tell.send(News {
            id: notice.id.to_owned(),
            status: notice.status,
            done: notice.done,
            total: notice.total,
            outcome,
        });
    };
    (Arc::new(observer), news)
}

fn is_told(status: Status, done: usize, total: usize) -> bool {
    total <= EACH || (status.is_final() && done.is_multiple_of(total.div_ceil(PARTS)))
}

impl News {
    /// The PROGRESS that it is: of the step, or of a large set as a whole.
    pub(super) fn progress(self, message: &str) -> Progress {
        if self.total <= EACH {
            return Progress { id: self.id, status: self.status, extra: Map::new() };
        }
        let mut progress = whole(message);
        progress.extra.insert("done".to_owned(), self.done.into());
        progress.extra.insert("total".to_owned(), self.total.into());
        progress
    }
}

/// The set of a message runs.
pub(super) fn whole(message: &str) -> Progress {
    Progress { id: message.to_owned(), status: Status::Running, extra: Map::new() }
}
