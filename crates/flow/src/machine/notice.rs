use super::Machine;
use super::cell::Ended;
use contexture_protocol::content::{Outcome, Status};

/// A notification about a step (FL-12).
#[derive(Debug, Clone, Copy)]
pub struct Notice<'a> {
    /// The step.
    pub id: &'a str,
    /// Its current status.
    pub status: Status,
    /// The number of its attempt, from 1; 0 if it was not run.
    pub attempt: u32,
    /// The number of steps that have ended.
    pub done: usize,
    /// The number of all steps.
    pub total: usize,
    pub(crate) ended: Option<&'a Ended>,
}

/// A notification that outlives its run.
#[derive(Debug)]
pub struct OwnedNotice {
    id: String,
    status: Status,
    attempt: u32,
    done: usize,
    total: usize,
    ended: Option<Ended>,
}

impl OwnedNotice {
    /// Returns the notification.
    #[must_use]
    pub fn get(&self) -> Notice<'_> {
        let Self { id, status, attempt, done, total, ended } = self;
        let (status, attempt, done, total) = (*status, *attempt, *done, *total);
        Notice { id, status, attempt, done, total, ended: ended.as_ref() }
    }
}

impl Notice<'_> {
    /// Copies the notification.
    #[must_use]
    pub fn to_owned(&self) -> OwnedNotice {
        let Self { id, status, attempt, done, total, .. } = *self;
        let (id, ended) = (id.to_owned(), self.outcome().map(Ended::of));
        OwnedNotice { id, status, attempt, done, total, ended }
    }

    /// Returns the outcome of a step that has ended.
    #[must_use]
    pub fn outcome(&self) -> Option<Outcome> {
        self.ended.map(|ended| ended.outcome(self.id, self.status))
    }
}

impl Machine {
    /// Returns the notification of an [`Output::Tell`](super::Output::Tell).
    #[must_use]
    pub fn notice(&self, step: u32, is_start: bool) -> Option<Notice<'_>> {
        let cell = self.cells.get(step as usize)?;
        // A step that has ended meanwhile reports its end when that is stored.
        let status = if is_start { Status::Running } else { cell.status };
        Some(Notice {
            id: self.plan.step(step).map_or("", |step| &step.id),
            status,
            attempt: cell.attempt,
            done: self.done,
            total: self.cells.len(),
            ended: cell.ended.as_deref().filter(|_| !is_start),
        })
    }
}
