//! The labels of results, in the journal of their run (GU-4).
//!
//! Decision: the scheduler knows values and no labels, so they are added where its events pass on their
//! way into the journal. A run that is resumed reads them back, and its next steps are judged as if
//! it had never stopped.

use super::origins::Origins;
use contexture_flow::journal::{Entry, Event, Journal, JournalError, Kept as Done};
use std::sync::Arc;

/// A journal that keeps the label of each result before the end of its step.
pub(super) struct Labelled {
    journal: Arc<dyn Journal>,
    origins: Arc<Origins>,
}

impl Labelled {
    /// Returns the journal itself when labels have no effect in its run.
    pub(super) fn of(journal: Arc<dyn Journal>, origins: &Arc<Origins>) -> Arc<dyn Journal> {
        if !origins.are_followed() {
            return journal;
        }
        Arc::new(Self { journal, origins: Arc::clone(origins) })
    }
}

impl Journal for Labelled {
    fn record(&self, run: &str, event: &Event<'_>, kept: Done) {
        if let Event::Ended(step) = event
            && let Some(label) = self.origins.known(step.id)
        {
            // If it is lost, the end is lost as well: a journal has no holes.
            let done = Done::call(drop);
            self.journal.record(run, &Event::Labelled { id: step.id, label: &label }, done);
        }
        self.journal.record(run, event, kept);
    }

    fn entries(&self, run: &str) -> Result<Vec<Entry>, JournalError> {
        self.journal.entries(run)
    }
}
