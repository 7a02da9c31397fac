//! Building a runtime from a folder and the parts that an application adds.

use super::{CONCURRENT_RUNS, Runtime};
use crate::config::{Config, ConfigError};
use crate::environment::Environment;
use crate::extensions::{ExtensionError, Extensions};
use crate::project::Project;
use crate::stores::Stores;
use contexture_core::{LlmError, Provider, Tool};
#[cfg(feature = "flow")]
use contexture_flow::action::Registry;
use contexture_reference::Protocol;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// A runtime in the making. What is wrong with a part is returned by [`RuntimeBuilder::build`].
#[derive(Debug)]
#[must_use = "a builder does nothing until it is built"]
pub struct RuntimeBuilder {
    root: PathBuf,
    environment: Option<Environment>,
    config: Option<Config>,
    extensions: Extensions,
    stores: Stores,
    runs: usize,
    fault: Option<ExtensionError>,
}

/// The reason why a runtime cannot be built.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// The settings of the project cannot be used.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A part cannot be added.
    #[error(transparent)]
    Extension(#[from] ExtensionError),
}

impl RuntimeBuilder {
    pub(super) fn new(root: PathBuf) -> Self {
        Self {
            root,
            environment: None,
            config: None,
            extensions: Extensions::default(),
            stores: Stores::default(),
            runs: CONCURRENT_RUNS,
            fault: None,
        }
    }

    /// Sets the variables that the project may see, in place of those of the process.
    pub fn environment(mut self, environment: Environment) -> Self {
        self.environment = Some(environment);
        self
    }

    /// Sets the settings, in place of those in `contexture.toml`.
    pub fn config(mut self, config: Config) -> Self {
        self.config = Some(config);
        self
    }

    /// Adds a provider of models, which programs name `scheme://model`; `connect` is given the
    /// whole URI.
    pub fn provider(
        self,
        scheme: impl Into<String>,
        connect: impl Fn(&str) -> Result<Arc<dyn Provider>, LlmError> + Send + Sync + 'static,
    ) -> Self {
        self.add(|extensions| extensions.add_provider(scheme, connect))
    }

    /// Adds a tool, which programs import from `rust://name`.
    pub fn tool(self, tool: impl Tool + 'static) -> Self {
        self.add(|extensions| extensions.add_tool(Arc::new(tool)))
    }

    /// Adds a protocol of references.
    pub fn protocol(mut self, protocol: impl Protocol + 'static) -> Self {
        self.extensions.add_protocol(Arc::new(protocol));
        self
    }

    /// Adds actions of flows.
    #[cfg(feature = "flow")]
    pub fn actions(mut self, actions: &Registry) -> Self {
        self.extensions.add_actions(actions);
        self
    }

    /// Sets the stores of runs, contexts, flows and memories; what is absent is embedded.
    pub fn stores(mut self, stores: Stores) -> Self {
        self.stores = stores;
        self
    }

    /// Sets the time that a call of an added tool may take; 60 s by default.
    pub fn tool_timeout(mut self, limit: Duration) -> Self {
        self.extensions.set_tool_timeout(limit);
        self
    }

    /// Sets how many runs are under way at the same time; further ones wait.
    pub fn concurrent_runs(mut self, runs: usize) -> Self {
        self.runs = runs;
        self
    }

    /// Builds the runtime.
    ///
    /// # Errors
    /// [`BuildError`] when the settings can't be used or a part can't be added.
    pub fn build(self) -> Result<Runtime, BuildError> {
        if let Some(fault) = self.fault {
            return Err(fault.into());
        }
        let environment = self.environment.unwrap_or_else(Environment::capture);
        let project = match self.config {
            Some(config) => Project::with_config(&self.root, config, environment),
            None => Project::open(&self.root, environment)?,
        };
        let project = Project { extensions: self.extensions, stores: self.stores, ..project };
        Ok(Runtime::with_limit(project, self.runs))
    }

    fn add(mut self, part: impl FnOnce(&mut Extensions) -> Result<(), ExtensionError>) -> Self {
        if let Err(fault) = part(&mut self.extensions) {
            self.fault.get_or_insert(fault);
        }
        self
    }
}
