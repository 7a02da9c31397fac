//! The entries of a plan by their states.

use super::{PlanEntry, Policy, State};
use crate::syntax::Semantics;
use contexture_core::reference::{LoadError, Loaded};

pub(super) fn pending(
    reference: &str,
    semantics: Semantics,
    reason: impl Into<String>,
) -> PlanEntry {
    PlanEntry {
        reference: reference.to_owned(),
        semantics,
        state: State::Pending,
        tokens: None,
        reason: reason.into(),
        source: None,
        span: None,
        inner: None,
        loaded: None,
        error: None,
    }
}

impl PlanEntry {
    pub(super) fn failed(self, error: LoadError) -> Self {
        let reason = error.message.clone();
        Self { state: State::Failed, error: Some(error), reason, ..self }
    }

    pub(super) fn loaded(self, loaded: Loaded, tokens: Option<u64>) -> Self {
        let reason = match (self.semantics, loaded.notes.first()) {
            (_, Some(note)) => note.message.clone(),
            (Semantics::Hot, None) => "hot: loaded at once".to_owned(),
            _ => "it fits the budget".to_owned(),
        };
        Self { state: State::Loaded, tokens, loaded: Some(loaded), reason, ..self }
    }
}

/// Why a reference was not even tried.
pub(super) const fn not_loaded(semantics: Semantics, policy: Policy) -> &'static str {
    match (semantics, policy) {
        (Semantics::Lazy, _) => "lazy: loaded when asked for",
        (_, Policy::Never) => "the policy `never` loads no default reference",
        (_, Policy::Model) => "the policy `model` leaves it to the model",
        (_, Policy::Budget) => "nothing is left of the budget",
    }
}
