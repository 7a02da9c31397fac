//! The events of runs, as the writer's tasks (FL-11).

use crate::flows::events::masked;
use crate::flows::holds::Hold;
use crate::flows::schema::Outcome;
use crate::flows::seal::{Part, Seal};
use crate::masker::Masker;
use crate::postgres::{Fault, Session, Writer, values};
use crate::sqlite::writer::Task;
use contexture_core::store::flows::{FlowStoreError, Kept};
use contexture_protocol::content::Status;
use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::Ordering;

pub(super) struct EventTask {
    pub(super) hold: Arc<Hold>,
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

impl EventTask {
    fn insert(&self, session: &Session, is_masked: bool, text: &str) -> Result<(), Fault> {
        let (place, time) = (self.hold.place, self.time_us);
        session.write(
            "insert into contexture_entries (run, number, kind, time, masked, text)
             values ($1, $2, $3, $4, $5, $6)",
            values![place, self.number, self.kind, time, is_masked, text],
        )?;
        let Some((status, done)) = self.end else { return Ok(()) };
        session.write(
            "update contexture_runs set ended = $2, status = $3, done = $4, holder = null,
             wish = null where place = $1",
            values![place, time, status.as_str(), done],
        )
    }
}

impl Task<FlowStoreError, Writer> for EventTask {
    fn run(&mut self, writer: &Writer) -> Outcome<()> {
        if self.hold.is_broken.load(Ordering::Relaxed) {
            let (path, reason) =
                (self.seal.name.to_string(), "an event of the run was lost before");
            return Err(FlowStoreError::Io { path, reason: reason.to_owned() });
        }
        let text = masked(&self.masker, &self.text);
        let is_masked = matches!(text, Cow::Owned(_));
        let text = self.seal.close(Part::Entry, &text)?.map_or(text, Cow::Owned);
        let insert = |session: &Session| self.insert(session, is_masked, &text);
        writer.with(|session| insert(session).map_err(|fault| fault.told(&self.seal.name)))
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
