//! The stored runs of a project.

use crate::output::text::plural;
use crate::prelude::*;
use contexture::inspect::{Exported, InspectError, Kept};
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

    /// Prints why no larger text can be read, if none can.
    pub(super) fn check(&self, terminal: &Terminal) {
        if let Err(error) = self.store.check() {
            terminal.warn(&error.line());
        }
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

/// Prints how many texts of a run are missing or altered.
pub(super) fn tell_lost(exported: &Exported, terminal: &Terminal) {
    if exported.lost.is_empty() {
        return;
    }
    let lost = plural(exported.lost.len() as u64, "text");
    let run = exported.run.get("run").and_then(Value::as_str).unwrap_or_default();
    let is = if exported.lost.len() == 1 { "is" } else { "are" };
    terminal.warn(&format!("run {run}: {lost} {is} missing or altered, and left out"));
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
            InspectError::Store(_) => CommandError::failed("run_failed", message),
            _ => CommandError::failed("text_missing", message),
        }
        .into()
    }
}
