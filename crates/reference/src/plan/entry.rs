//! The entries of a plan, by their states.

use crate::loader::{Mode, Route};
use crate::syntax::{ReferenceBuf, Semantics};
use contexture_core::reference::{LoadError, Loaded, Place};

/// The policy for loading references with a plain `@` (REF-7).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Policy {
    /// It is loaded when it fits what is left of the budget, and else stays pending.
    #[default]
    Budget,
    /// The model: it stays pending and is offered to it.
    Model,
    /// Nobody: it stays as written.
    Never,
}

impl Policy {
    /// Returns the word in settings.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Budget => "budget",
            Self::Model => "model",
            Self::Never => "never",
        }
    }

    /// Returns the policy of a word in settings.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        [Self::Budget, Self::Model, Self::Never].into_iter().find(|policy| policy.as_str() == word)
    }
}

/// The options of a plan.
#[derive(Debug, Clone, Default)]
pub struct PlanOptions {
    /// The policy for a plain `@`.
    pub policy: Policy,
    /// Tokens that all loaded default references may take together; `None` is unbounded.
    pub budget: Option<u64>,
    /// The place of the text.
    pub place: Place,
    /// The sizes that are wanted.
    pub sizes: Sizes,
    /// True inside an expansion, which expands what it loads itself: `@expand:` is left out.
    pub is_expansion: bool,
    /// True if nothing connects, as in a dry run: a placeholder stands for what would.
    pub is_offline: bool,
}

impl PlanOptions {
    pub(super) const fn mode(&self) -> Mode {
        Mode { is_expansion: self.is_expansion, is_offline: self.is_offline }
    }
}

/// Which entries of a plan get their size in tokens: counting a text can cost as much as reading
/// it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Sizes {
    /// All that are loaded.
    #[default]
    All,
    /// Only those that a budget weighs; a caller that counts by itself what it shows needs no more.
    Weighed,
}

/// The state of a reference in a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum State {
    /// It is loaded.
    Loaded,
    /// It is not loaded, and may be.
    Pending,
    /// It could not be loaded, or is not a reference.
    Failed,
}

impl State {
    /// Returns the word that plans show.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Loaded => "loaded",
            Self::Pending => "pending",
            Self::Failed => "failed",
        }
    }
}

/// One reference of a plan, or one level of it.
#[derive(Debug, Clone)]
pub struct PlanEntry {
    /// The reference from this level inwards, canonical and without user info.
    pub reference: String,
    /// The reference as written, user info included, to be loaded later; none for an inner level
    /// and for what is not a reference. Never shown.
    pub source: Option<ReferenceBuf>,
    /// Its prefix; a plain `@` takes that of the registry's entry.
    pub semantics: Semantics,
    /// Its state.
    pub state: State,
    /// Tokens of what it gave; `None` when it was not loaded, or its size was not wanted.
    pub tokens: Option<u64>,
    /// The reason why it is in this state.
    pub reason: String,
    /// Its place in the text, in bytes; `None` for an inner level.
    pub span: Option<(usize, usize)>,
    /// The next level inwards.
    pub inner: Option<Box<PlanEntry>>,
    /// Its result.
    pub loaded: Option<Loaded>,
    /// The reason why it failed.
    pub error: Option<LoadError>,
}

/// The references of a text, in its order.
#[derive(Debug, Clone, Default)]
pub struct Plan {
    /// One entry a reference.
    pub entries: Vec<PlanEntry>,
}

impl Plan {
    /// Returns the first failure that must stop a prompt: that of a hot reference, at any level.
    #[must_use]
    pub fn hot_failure(&self) -> Option<&LoadError> {
        self.entries.iter().find_map(PlanEntry::hot_failure)
    }
}

impl PlanEntry {
    /// Returns the failure of the outermost level that had to be loaded at once.
    #[must_use]
    pub fn hot_failure(&self) -> Option<&LoadError> {
        let own = self.error.as_ref().filter(|_| self.semantics == Semantics::Hot);
        own.or_else(|| self.inner.as_ref().and_then(|inner| inner.hot_failure()))
    }
}

/// A candidate with its way, or why there is none.
pub(super) struct Routed {
    pub(super) span: Option<(usize, usize)>,
    pub(super) source: Option<ReferenceBuf>,
    pub(super) route: Result<Route, Box<Unrouted>>,
}

/// A reference without a route, with the reason.
pub(super) struct Unrouted {
    pub(super) reference: String,
    pub(super) semantics: Semantics,
    pub(super) error: LoadError,
}

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

/// Returns the reason why a reference was not even tried.
pub(super) const fn not_loaded(semantics: Semantics, policy: Policy) -> &'static str {
    match (semantics, policy) {
        (Semantics::Lazy, _) => "lazy: loaded when asked for",
        (_, Policy::Never) => "the policy `never` loads no default reference",
        (_, Policy::Model) => "the policy `model` leaves it to the model",
        (_, Policy::Budget) => "nothing is left of the budget",
    }
}
