//! Loading plans: what the references of a text are, and what became of each (REF-7 to REF-9).
//!
//! Decision: a plan loads in two rounds. Hot references come first, all at once; a default one is
//! then loaded while the budget lasts, in the order of the text, so that the same text gives the
//! same plan. What stands twice is loaded once. What a plan did not load is in it as pending or
//! failed: nothing is dropped.

mod entry;
mod inner;
mod loads;
mod make;
mod rounds;

use crate::loader::Loader;
use crate::syntax::{ReferenceBuf, Semantics};
use contexture_core::reference::{LoadError, Loaded, Place};

/// Who decides when a reference with a plain `@` is loaded (REF-7).
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
    /// When a plain `@` is loaded.
    pub policy: Policy,
    /// Tokens that all loaded default references may take together; `None` is no bound.
    pub budget: Option<u64>,
    /// Where the text stands.
    pub place: Place,
    /// Which sizes are wanted.
    pub sizes: Sizes,
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
    /// Why it is in this state.
    pub reason: String,
    /// Where it stands in the text, in bytes; `None` for an inner level.
    pub span: Option<(usize, usize)>,
    /// The next level inwards.
    pub inner: Option<Box<PlanEntry>>,
    /// Its result.
    pub loaded: Option<Loaded>,
    /// Why it failed.
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

impl Loader {
    /// Returns the plan of a running text: its references, loaded as their prefixes ask (REF-9).
    ///
    /// # Errors
    /// [`LoadError`] when the text holds more references than the limits allow.
    pub async fn plan(&self, text: &str, options: &PlanOptions) -> Result<Plan, LoadError> {
        make::of_text(self, text, options).await
    }

    /// Returns the plan of references that were found elsewhere, in their order.
    ///
    /// # Errors
    /// As [`Self::plan`].
    pub async fn plan_of(
        &self,
        references: &[crate::syntax::Reference<'_>],
        options: &PlanOptions,
    ) -> Result<Plan, LoadError> {
        make::of_references(self, references, options).await
    }
}
