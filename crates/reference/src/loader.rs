//! From a reference to what it names (REF-7 to REF-14).
//!
//! Decision: loading has two halves. A [`Route`] is worked out without touching anything: which
//! registries were followed, which protocol reads, which processors work on what it gave, and which
//! level takes which parameter. Then the route is walked from the inside out. `explain` shows the
//! first half alone.

mod assign;
mod limits;
mod route;
mod walk;

pub use limits::LoadLimits;
pub use route::{Route, Step, StepKind};

use crate::definition::Definitions;
use crate::processors;
use crate::syntax::Reference;
use contexture_context::TokenCounter;
use contexture_core::reference::{LoadError, Loaded, Parameters, Place, Protocol};
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
    protocols: BTreeMap<String, Known>,
    definitions: Definitions,
    limits: LoadLimits,
    counter: &'static dyn TokenCounter,
}

/// A protocol with what it takes when a reference gives it nothing.
struct Known {
    protocol: Arc<dyn Protocol>,
    /// Its defaults, shared by all references without a query; `None` when it needs a parameter.
    defaults: Option<Arc<Parameters>>,
}

impl Loader {
    /// Returns a loader with the built-in processors and no protocol that reads anything.
    #[must_use]
    pub fn new(counter: &'static dyn TokenCounter) -> Self {
        let loader = Self {
            protocols: BTreeMap::new(),
            definitions: Definitions::built_in(),
            limits: LoadLimits::default(),
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

    /// Returns how a reference would be loaded; nothing is touched.
    ///
    /// # Errors
    /// [`LoadError`] for an unknown protocol, registry id or parameter, a value that a parameter
    /// does not take, or a path that the protocol's definition does not allow.
    pub fn route(&self, reference: &Reference<'_>, place: &Place) -> Result<Route, LoadError> {
        route::route(self, reference, place)
    }

    /// Loads a reference, whatever its prefix: the caller has decided that it is wanted now. A lazy
    /// inner level stays a handle while nothing has to read it (REF-8).
    ///
    /// # Errors
    /// [`LoadError`] as [`Self::route`], and when something can't be read.
    pub async fn load(
        &self,
        reference: &Reference<'_>,
        place: &Place,
    ) -> Result<Loaded, LoadError> {
        let route = self.route(reference, place)?;
        self.walk(&route).await
    }

    /// Loads along a route.
    ///
    /// # Errors
    /// [`LoadError`] when something can't be read.
    pub async fn walk(&self, route: &Route) -> Result<Loaded, LoadError> {
        walk::walk(self, route).await
    }

    /// Reports whether loading along a route may connect to something.
    #[must_use]
    pub fn connects(&self, route: &Route) -> bool {
        let protocols = route.steps.iter().filter_map(|step| self.protocol(&step.name));
        protocols.into_iter().any(|protocol| protocol.connects())
    }

    /// Returns the tokens of what was loaded, all its texts together.
    #[must_use]
    pub fn tokens(&self, loaded: &Loaded) -> u64 {
        let texts = loaded.resources.iter().filter_map(contexture_core::reference::Resource::text);
        texts.map(|text| self.counter.count(text) as u64).sum()
    }

    fn protocol(&self, name: &str) -> Option<&Arc<dyn Protocol>> {
        self.protocols.get(name).map(|known| &known.protocol)
    }
}

impl std::fmt::Debug for Loader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<_> = self.protocols.keys().collect();
        f.debug_struct("Loader").field("protocols", &names).finish_non_exhaustive()
    }
}
