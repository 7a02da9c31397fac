//! What a turn of a conversation adds to a run.

use super::LiveHost;
use super::attachments::Fetched;
use crate::turn::{Attachments, Hints, Places};
use contexture_script::host::GenerateCall;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

/// What a turn adds; a plain run has nothing of it.
#[derive(Default)]
pub(crate) struct Turn {
    /// What the caller wishes.
    pub(crate) hints: Hints,
    /// The model calls whose text is the answer.
    pub(crate) places: Places,
    /// What the user attached.
    pub(crate) attachments: Attachments,
    /// What was fetched of that, by handle: each once.
    pub(crate) fetched: Mutex<HashMap<String, Arc<Fetched>>>,
}

impl LiveHost {
    /// An id for a call of a tool.
    pub(super) fn call_id(&self) -> String {
        format!("call_{}", self.ids.next().0)
    }

    /// Takes up what the caller wishes of a model call: the program's own temperature wins, and of
    /// two limits of the answer the lower one.
    pub(super) fn hint(&self, call: &mut GenerateCall) {
        let Hints { max_output, temperature } = self.turn.hints;
        let options = &mut call.options;
        options.temperature = options.temperature.or(temperature);
        if let Some(wished) = max_output.filter(|_| self.turn.places.has(&call.site.position)) {
            options.max_output = Some(options.max_output.map_or(wished, |own| own.min(wished)));
        }
    }

    /// Warns of attachments that no prompt showed: the user would think that they were seen.
    pub(crate) fn note_attachments(&self) {
        let fetched = self.turn.fetched.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if !self.turn.attachments.is_empty() && fetched.is_empty() {
            drop(fetched);
            self.warn(
                "the attachments of the message were not shown to a model; show them with `use input.attachments`"
                    .to_owned(),
            );
        }
    }
}
