//! A loader: the protocols, definitions and limits that it was given.

use super::assign;
use crate::definition::Definitions;
use crate::expand::{ExpandLimits, ExpandOptions};
use crate::plan::PlanOptions;
use crate::processors;
use contexture_context::TokenCounter;
use contexture_core::reference::{Loaded, Parameters, Protocol};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Loads references through the protocols it was given.
///
/// ```
/// # let runtime = tokio::runtime::Builder::new_current_thread().build()?;
/// # runtime.block_on(async {
/// use contexture_context::tokens::tokenizer_for;
/// use contexture_reference::protocols::Memory;
/// use contexture_reference::{Loader, Place, syntax::Reference};
/// use std::sync::Arc;
///
/// let loader = Loader::new(tokenizer_for("gpt-4o"))
///     .with(Arc::new(Memory::of([("tone", "Be brief.\nBe kind.\n")])));
/// let reference = Reference::parse("@memory://tone?line=2")?;
/// let loaded = loader.load(&reference, &Place::workspace()).await?;
/// assert_eq!(loaded.resources[0].text(), Some("Be kind.\n"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Loader {
    pub(super) protocols: BTreeMap<String, Known>,
    pub(super) definitions: Definitions,
    pub(super) limits: LoadLimits,
    /// How plain `@` inside documents is loaded by `@expand:…`.
    pub(super) expansion: PlanOptions,
    pub(super) counter: &'static dyn TokenCounter,
}

/// A protocol with what it takes when a reference gives it nothing.
pub(super) struct Known {
    pub(super) protocol: Arc<dyn Protocol>,
    /// Its defaults, shared by all references without a query; `None` when it needs a parameter.
    pub(super) defaults: Option<Arc<Parameters>>,
}

impl Loader {
    /// Returns a loader with the built-in processors and no protocol that reads anything.
    #[must_use]
    pub fn new(counter: &'static dyn TokenCounter) -> Self {
        let loader = Self {
            protocols: BTreeMap::new(),
            definitions: Definitions::built_in(),
            limits: LoadLimits::default(),
            expansion: PlanOptions::default(),
            counter,
        };
        processors::built_in().into_iter().fold(loader, Self::with)
    }

    /// Adds a protocol, or puts it in place of the one of that name.
    #[must_use]
    pub fn with(mut self, protocol: Arc<dyn Protocol>) -> Self {
        let name = protocol.name().to_ascii_lowercase();
        let defaults = assign::defaults(protocol.parameters()).map(Arc::new);
        self.protocols.insert(name, Known { protocol, defaults });
        self
    }

    /// Takes the definitions of protocols (REF-19).
    #[must_use]
    pub fn with_definitions(mut self, definitions: Definitions) -> Self {
        self.definitions = definitions;
        self
    }

    /// Takes other limits.
    #[must_use]
    pub fn with_limits(mut self, limits: LoadLimits) -> Self {
        self.limits = limits;
        self
    }

    /// Takes the policy and the budget of references with a plain `@` in documents that are expanded
    /// (MA-1).
    #[must_use]
    pub fn with_expansion(mut self, expansion: PlanOptions) -> Self {
        self.expansion = expansion;
        self
    }

    /// Returns the definitions that references are resolved with.
    #[must_use]
    pub fn definitions(&self) -> &Definitions {
        &self.definitions
    }

    /// Returns the protocols by name.
    pub fn protocols(&self) -> impl Iterator<Item = &Arc<dyn Protocol>> {
        self.protocols.values().map(|known| &known.protocol)
    }

    /// Returns what counts the tokens of what is loaded.
    #[must_use]
    pub fn counter(&self) -> &'static dyn TokenCounter {
        self.counter
    }

    /// Returns what one load may take.
    #[must_use]
    pub fn limits(&self) -> &LoadLimits {
        &self.limits
    }

    /// Returns the tokens of what was loaded, all its texts together.
    #[must_use]
    pub fn tokens(&self, loaded: &Loaded) -> u64 {
        let texts = loaded.resources.iter().filter_map(contexture_core::reference::Resource::text);
        texts.map(|text| self.counter.count(text) as u64).sum()
    }

    /// Returns the options by which `@expand:…` expands.
    pub(crate) fn expansion(&self, is_offline: bool) -> ExpandOptions {
        let plan = PlanOptions { is_offline, ..self.expansion.clone() };
        ExpandOptions { plan, limits: self.limits.expansion }
    }

    pub(super) fn protocol(&self, name: &str) -> Option<&Arc<dyn Protocol>> {
        self.protocols.get(name).map(|known| &known.protocol)
    }
}

impl std::fmt::Debug for Loader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<_> = self.protocols.keys().collect();
        f.debug_struct("Loader").field("protocols", &names).finish_non_exhaustive()
    }
}

/// Limits of one load; their breach is an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoadLimits {
    /// The most bytes that one reference may give, all its resources together.
    pub max_bytes: u64,
    /// The most resources that one reference may give.
    pub max_resources: usize,
    /// The number of references of a plan that are loaded at the same time.
    pub concurrency: usize,
    /// The most references that one text may hold.
    pub max_references: usize,
    /// The most bytes that all loaded references of a plan may give together.
    pub max_plan_bytes: u64,
    /// The limits of `@expand:…` (MA-1).
    pub expansion: ExpandLimits,
}

impl Default for LoadLimits {
    fn default() -> Self {
        Self {
            max_bytes: 64 * 1024 * 1024,
            max_resources: 20_000,
            concurrency: 8,
            max_references: 10_000,
            max_plan_bytes: 256 * 1024 * 1024,
            expansion: ExpandLimits::default(),
        }
    }
}
