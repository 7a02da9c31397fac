//! The progress messages of a run (FL-12).

use contexture_flow::run::{Notice, Observer};
use contexture_protocol::content::{Outcome, Progress, Status};
use serde_json::Map;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

/// The largest set that reports each step; larger ones report their overall progress.
const EACH: usize = 1_000;
/// The number of progress messages of a large set.
const PARTS: usize = 100;

/// A change of a step that is durable.
pub(super) struct StepChange {
    pub(super) id: String,
    pub(super) status: Status,
    done: usize,
    total: usize,
    /// The outcome, if wanted.
    pub(super) outcome: Option<Outcome>,
}

/// Creates an observer of a run, and the receiver of its changes.
/// `ended` is called with each step that has ended.
pub(super) fn listen(
    wants_outcomes: bool,
    ended: impl Fn(&str) + Send + Sync + 'static,
) -> (Observer, UnboundedReceiver<StepChange>) {
    let (sender, changes) = unbounded_channel();
    let reported = Reported::default();
    let observer = move |notice: &Notice<'_>| {
        if notice.status.is_final() {
            ended(notice.id);
        }
        let outcome = if wants_outcomes { notice.outcome() } else { None };
        // Without listeners nothing is copied.
        if !wants_outcomes && !reported.is_due(notice.status, notice.done, notice.total) {
            return;
        }
        // Nobody listens when the server ends.
        let _ = sender.send(StepChange {
            id: notice.id.to_owned(),
            status: notice.status,
            done: notice.done,
            total: notice.total,
            outcome,
        });
    };
    (Arc::new(observer), changes)
}

/// The last reported progress of a large set.
#[derive(Default)]
struct Reported(AtomicUsize);

impl Reported {
    /// Reports whether a change is reported. Ended steps are reported when they are stored, many at a
    /// time: of a large set each part is reported once.
    fn is_due(&self, status: Status, done: usize, total: usize) -> bool {
        if total <= EACH {
            return true;
        }
        let part = |done: usize| done / total.div_ceil(PARTS);
        let last = self.0.load(Ordering::Relaxed);
        let is_further = part(done) > part(last) || (done == total && last < total);
        let is_due = status.is_final() && is_further;
        if is_due {
            self.0.store(done, Ordering::Relaxed);
        }
        is_due
    }
}

impl StepChange {
    /// Returns the PROGRESS: of the step, or of a large set as a whole.
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

pub(super) fn whole(message: &str) -> Progress {
    Progress { id: message.to_owned(), status: Status::Running, extra: Map::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(ends: impl Iterator<Item = usize>, total: usize) -> Vec<usize> {
        let reported = Reported::default();
        ends.filter(|done| reported.is_due(Status::Completed, *done, total)).collect()
    }

    #[test]
    fn fl_12_large_set_reports_each_part_once_in_order() {
        // Four hundred ends are kept at a time.
        let all = told((1..=10_000_usize).map(|n| n.div_ceil(400) * 400), 10_000);
        assert_eq!((all.len(), all.first(), all.last()), (25, Some(&400), Some(&10_000)));
        assert!(all.is_sorted_by(|one, next| one < next));
        // One at a time: each part, and the end.
        let all = told(1..=1_050, 1_050);
        assert_eq!((all.len(), all.last()), (96, Some(&1_050)));
        // The begin of a step is reported in small sets alone.
        assert!(!Reported::default().is_due(Status::Running, 2_000, 2_000));
        assert!(Reported::default().is_due(Status::Running, 0, 2));
    }
}
