//! The events of runs, as the writer's tasks (FL-11).
//!
//! Decision: once a run has lost an event, no more are kept, so that its journal has no hole.

use super::holds::Hold;
use super::lost;
use super::schema::{self, Outcome};
use super::seal::{Part, Seal};
use crate::marks::Marks;
use crate::masker::Masker;
use crate::sqlite::writer::Task;
use crate::sqlite::{FileError as _, file_error};
use contexture_core::store::flows::FlowStoreError;
use contexture_core::store::flows::Kept;
use contexture_protocol::content::Status;
use rusqlite::{Connection, Params, params};
use serde_json::Value;
use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::Ordering;

pub(super) struct EventTask {
    pub(super) run: String,
    pub(super) hold: Arc<Hold>,
    pub(super) marks: Arc<Marks>,
    pub(super) number: u64,
    pub(super) kind: i64,
    pub(super) time_us: u64,
    pub(super) text: String,
    /// With it the run has ended, after so many steps.
    pub(super) end: Option<(Status, u64)>,
    pub(super) kept: Kept,
    /// A step or the end of the run waits for it.
    pub(super) is_urgent: bool,
    pub(super) masker: Arc<Masker>,
    pub(super) seal: Seal,
}

impl Task<FlowStoreError> for EventTask {
    fn run(&mut self, connection: &Connection) -> Outcome<()> {
        let failed = |reason: &str| {
            let path = self.seal.name.as_ref().to_owned();
            FlowStoreError::Io { path, reason: reason.to_owned() }
        };
        if self.hold.is_broken.load(Ordering::Relaxed) {
            return Err(failed("an event of the run was lost before"));
        }
        let id = schema::id(self.hold.place, self.number)
            .ok_or_else(|| failed("the file can't hold more runs, or the run more events"))?;
        let text = masked(&self.masker, &self.text);
        let is_masked = matches!(text, Cow::Owned(_));
        let text = self.seal.close(Part::Entry, &text)?.map_or(text, Cow::Owned);
        let time = self.time_us.cast_signed();
        self.execute(
            connection,
            "insert into entries (id, kind, time, masked, text) values (?1, ?2, ?3, ?4, ?5)",
            params![id, self.kind, time, is_masked, text],
        )?;
        if let Some((status, done)) = self.end {
            self.end(connection, (status, done))?;
        }
        self.marks.note(self.hold.place, lost::mark(&self.run, self.number));
        Ok(())
    }

    fn finish(self: Box<Self>, fault: Option<FlowStoreError>) {
        if fault.is_some() {
            self.hold.is_broken.store(true, Ordering::Relaxed);
        } else if self.end.is_some() {
            self.hold.is_ended.store(true, Ordering::Relaxed);
        }
        self.kept.done(fault.map_or(Ok(()), |fault| Err(fault.into())));
    }

    fn bytes(&self) -> usize {
        self.text.len()
    }

    fn is_urgent(&self) -> bool {
        self.is_urgent
    }

    fn fails_others(&self) -> bool {
        !self.hold.is_broken.load(Ordering::Relaxed)
    }
}

impl EventTask {
    fn end(&self, connection: &Connection, (status, done): (Status, u64)) -> Outcome<()> {
        self.execute(
            connection,
            "update runs set ended = ?2, status = ?3, done = ?4, holder = null, wish = null
                where place = ?1",
            params![
                self.hold.place,
                self.time_us.cast_signed(),
                status.as_str(),
                done.cast_signed()
            ],
        )
    }

    fn execute(&self, connection: &Connection, sql: &str, params: impl Params) -> Outcome<()> {
        let done = connection.prepare_cached(sql).and_then(|mut sql| sql.execute(params));
        done.map(drop).map_err(|error| FlowStoreError::of_sqlite(&self.seal.name, &error))
    }
}

file_error!(FlowStoreError, Self::Closed, Self::Panicked, Self::Full);

/// Returns an event without secrets in its texts; the names of its step stay, for it must be
/// found.
pub(super) fn masked<'a>(masker: &Masker, text: &'a str) -> Cow<'a, str> {
    if !masker.may_be_in(text) {
        return Cow::Borrowed(text);
    }
    let Ok(Value::Object(mut event)) = serde_json::from_str(text) else { return masker.text(text) };
    let mut is_changed = false;
    for name in ["result", "error", "reason", "key", "label"] {
        let Some(field) = event.get_mut(name) else { continue };
        let before = field.clone();
        masker.value(field);
        is_changed |= *field != before;
    }
    if is_changed { Cow::Owned(Value::Object(event).to_string()) } else { Cow::Borrowed(text) }
}
