//! The runtime: a project, what an application adds to it, and the runs of its programs (HO-1,
//! HO-2).
//!
//! ```
//! use contexture::Runtime;
//! use serde_json::json;
//!
//! # let folder = tempfile::tempdir()?;
//! # let folder = folder.path();
//! std::fs::write(folder.join("port.as"), r#"
//!     main func(input { notes string, question string }) {
//!       use input.notes as notes
//!       generate({ input: input.question }) -> { answer string }
//!     }
//! "#)?;
//!
//! # let tokio = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
//! # tokio.block_on(async {
//! let runtime = Runtime::open(folder)?;
//! let input = json!({ "notes": "The server listens on port 7878.", "question": "Which port?" });
//! let run = tokio::spawn(runtime.run("port.as").input(input)).await??;
//! assert_eq!(run.value["answer"], "The server listens on port 7878.");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub use crate::future::{Events, Pending, RunFuture, TurnFuture, Work};

use crate::config::{Config, ConfigError};
use crate::environment::Environment;
use crate::extensions::{ExtensionError, Extensions};
use crate::project::Project;
use crate::run::{self, CheckReport, RunRequest, SetupError};
use crate::stores::Stores;
use crate::turn::TurnRequest;
#[cfg(feature = "knowledge")]
use contexture_core::{Embedder, Reranker};
use contexture_core::{LlmError, Provider, Tool};
#[cfg(feature = "flow")]
use contexture_flow::action::Registry;
use contexture_reference::Protocol;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;

/// The default number of runs that are under way at the same time; each has a thread.
pub const CONCURRENT_RUNS: usize = 256;

/// A project whose programs can be run. Clones share one runtime.
#[derive(Clone, Debug)]
pub struct Runtime {
    project: Arc<Project>,
    permits: Arc<Semaphore>,
}

impl Runtime {
    /// Opens the project whose workspace is `root`, with its settings and the variables of the
    /// process.
    ///
    /// # Errors
    /// [`ConfigError`] when the settings can't be used.
    pub fn open(root: impl AsRef<Path>) -> Result<Self, ConfigError> {
        let project = Project::open(root.as_ref(), Environment::capture())?;
        Ok(Self::of(project))
    }

    /// Returns the builder of a runtime whose workspace is `root`.
    pub fn builder(root: impl Into<PathBuf>) -> RuntimeBuilder {
        RuntimeBuilder {
            root: root.into(),
            environment: None,
            config: None,
            extensions: Extensions::default(),
            stores: Stores::default(),
            runs: CONCURRENT_RUNS,
            fault: None,
        }
    }

    /// Returns the runtime of an opened project.
    #[must_use]
    pub fn of(project: Project) -> Self {
        Self::with_limit(project, CONCURRENT_RUNS)
    }

    fn with_limit(mut project: Project, runs: usize) -> Self {
        project.share_runs();
        let permits = Semaphore::new(runs.clamp(1, Semaphore::MAX_PERMITS));
        Self { project: Arc::new(project), permits: Arc::new(permits) }
    }

    /// Returns the project.
    #[must_use]
    pub fn project(&self) -> &Project {
        &self.project
    }

    /// Loads a program with all its imports, and checks it (AS-32). A relative path starts in the
    /// workspace.
    ///
    /// # Errors
    /// [`SetupError`] when the program itself can't be read.
    pub fn check(&self, program: impl AsRef<Path>) -> Result<CheckReport, SetupError> {
        let path = self.project.root.join(program.as_ref());
        run::load(&self.project, &path).map(|(_, report)| report)
    }

    /// Runs a program (AS-31). A relative path starts in the workspace. The run begins when the
    /// future is first polled; it can be sent to other threads, and dropping it cancels the run,
    /// and the record shows that.
    #[must_use = "a run begins when its future is polled"]
    pub fn run(&self, program: impl AsRef<Path>) -> RunFuture {
        let program = self.project.root.join(program.as_ref());
        self.request(RunRequest { program, ..RunRequest::default() })
    }

    /// Runs what a request describes.
    #[must_use = "a run begins when its future is polled"]
    pub fn request(&self, request: RunRequest) -> RunFuture {
        RunFuture::of(Arc::clone(&self.project), Arc::clone(&self.permits), request)
    }

    /// Answers one turn of a conversation (CP-2), in the same way as [`Runtime::run`] runs a
    /// program.
    #[must_use = "a turn begins when its future is polled"]
    pub fn turn(&self, request: TurnRequest) -> TurnFuture {
        TurnFuture::of(Arc::clone(&self.project), Arc::clone(&self.permits), request)
    }
}

/// A builder of a runtime. The fault of a part is returned by [`RuntimeBuilder::build`].
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

    /// Sets the embedder, by which the search of knowledge packs finds sections by their meaning,
    /// too.
    #[cfg(feature = "knowledge")]
    pub fn embedder(self, embedder: impl Embedder + 'static) -> Self {
        self.add(|extensions| extensions.set_embedder(Arc::new(embedder)))
    }

    /// Sets the reranker, which orders the sections that the search of knowledge packs finds.
    #[cfg(feature = "knowledge")]
    pub fn reranker(self, reranker: impl Reranker + 'static) -> Self {
        self.add(|extensions| extensions.set_reranker(Arc::new(reranker)))
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
