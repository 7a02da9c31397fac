//! The texts that one caller wants masked, in a journal that many share (CP-19).

use contexture_flow::journal::{EndedStep, Entry, Event, Journal, JournalError, Kept as Done};
use contexture_protocol::content::{Failure, Reason};
use contexture_store::masker::Masker;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::sync::Arc;

/// Returns the mask of what the caller wants masked.
pub(super) fn private(texts: &[String]) -> Masker {
    Masker::of_values(texts.iter().cloned())
}

/// Returns a set within as it is kept: it is never read back, since the step has it again.
pub(super) fn masked_text(text: String, texts: &[String]) -> String {
    let private = private(texts);
    match serde_json::from_str::<Value>(&text) {
        Ok(mut value) if private.may_be_in(&text) => {
            private.value(&mut value);
            value.to_string()
        }
        _ => text,
    }
}

/// A journal that masks what the caller of one run wants masked, before what it masks itself.
pub(super) struct Discreet {
    journal: Arc<dyn Journal>,
    masker: Masker,
}

impl Discreet {
    /// Returns the journal itself when there is nothing to mask.
    pub(super) fn of(journal: Arc<dyn Journal>, texts: &[String]) -> Arc<dyn Journal> {
        let masker = private(texts);
        if masker.is_empty() { journal } else { Arc::new(Self { journal, masker }) }
    }

    fn masked<T: Serialize + DeserializeOwned>(&self, part: Option<&T>) -> Option<T> {
        let mut value = serde_json::to_value(part?).ok()?;
        self.masker.value(&mut value);
        serde_json::from_value(value).ok()
    }
}

impl Journal for Discreet {
    fn record(&self, run: &str, event: &Event<'_>, kept: Done) {
        if !self.masker.may_be_in(&event.to_json()) {
            return self.journal.record(run, event, kept);
        }
        match event {
            Event::Ended(step) => {
                let result = self.masked(step.result);
                let error: Option<Failure> = self.masked(step.error);
                let reason: Option<Reason> = self.masked(step.reason);
                let step = EndedStep {
                    id: step.id,
                    status: step.status,
                    result: result.as_ref(),
                    error: error.as_ref(),
                    reason: reason.as_ref(),
                    execution_time: step.execution_time,
                };
                self.journal.record(run, &Event::Ended(step), kept);
            }
            Event::Labelled { id, label } => {
                let label = self.masked(Some(*label)).unwrap_or_else(|| label.trust.into());
                self.journal.record(run, &Event::Labelled { id, label: &label }, kept);
            }
            Event::Decided { id, decision } => {
                let mut decision = (*decision).clone();
                self.masker.value(&mut decision);
                self.journal.record(run, &Event::Decided { id, decision: &decision }, kept);
            }
            Event::Started { id, action, attempt, key } => {
                let key = self.masker.text(key);
                let (id, action, attempt, key) = (*id, *action, *attempt, &*key);
                let event = Event::Started { id, action, attempt, key };
                self.journal.record(run, &event, kept);
            }
            event => self.journal.record(run, event, kept),
        }
    }

    fn entries(&self, run: &str) -> Result<Vec<Entry>, JournalError> {
        self.journal.entries(run)
    }
}
