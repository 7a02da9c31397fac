//! The stored runs of a project.

use crate::prelude::*;
use contexture::inspect::{InspectError, Kept};
use contexture::store::runs::{RunError, RunHead, RunId, RunLog, RunStore, select};
use std::ops::RangeInclusive;
use std::sync::Arc;

pub(super) struct Runs {
    pub(super) store: Arc<dyn RunStore>,
}

impl Runs {
    pub(super) fn find(&self, asked: &str) -> Result<RunId, Abort> {
        Ok(select(&self.store, asked)?)
    }

    /// Loads the trace of a run, and prints what can't be read of it.
    pub(super) fn load(&self, asked: &str, terminal: &Terminal) -> Result<RunLog, Abort> {
        let log = self.store.load(&self.find(asked)?)?;
        for note in &log.notes {
            terminal.warn(&format!("run {}: {note}", log.id));
        }
        Ok(log)
    }

    /// Loads the event of a run and the model calls with these numbers, and prints what can't be
    /// read of them.
    pub(super) fn head(
        &self,
        asked: &str,
        calls: RangeInclusive<u64>,
        terminal: &Terminal,
    ) -> Result<RunHead, Abort> {
        let head = self.store.head(&self.find(asked)?, calls)?;
        for note in &head.log.notes {
            terminal.warn(&format!("run {}: {note}", head.log.id));
        }
        Ok(head)
    }

    pub(super) fn kept<'a>(&'a self, log: &'a RunLog) -> Kept<'a> {
        Kept { store: &self.store, log }
    }
}

impl From<RunError> for Abort {
    fn from(error: RunError) -> Self {
        CommandError::refused(error.code(), error.to_string()).help(error.help()).into()
    }
}

impl From<InspectError> for Abort {
    fn from(error: InspectError) -> Self {
        let message = error.to_string();
        match error {
            InspectError::NoSuchCall { calls: 0, .. } => {
                CommandError::refused("no_such_call", message).help("the run called no model")
            }
            InspectError::NoSuchCall { calls, .. } => {
                CommandError::refused("no_such_call", message)
                    .help(format!("calls are numbered from 1 to {calls}"))
            }
            InspectError::NothingAsked => CommandError::refused("nothing_asked", message)
                .help("name one, as in `contexture trace why-not latest 1 policy.md`"),
            InspectError::TooLarge { .. } => CommandError::refused("run_too_large", message)
                .help("write it with `contexture trace export RUN > run.jsonl`, and show that with `contexture inspect run.jsonl`"),
            _ => CommandError::failed("text_missing", message),
        }
        .into()
    }
}
