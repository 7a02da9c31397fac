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

mod builder;
mod future;

pub use builder::{BuildError, RuntimeBuilder};
pub use future::{Events, RunFuture, TurnFuture};

use crate::config::ConfigError;
use crate::environment::Environment;
use crate::project::Project;
use crate::run::{self, CheckReport, RunRequest, SetupError};
use crate::turn::TurnRequest;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::sync::Semaphore;

/// Runs that are under way at the same time unless the builder sets another number; each has a
/// thread.
pub const CONCURRENT_RUNS: usize = 256;

/// A project whose programs can be run. Clones are the same runtime.
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

    /// Starts to build a runtime whose workspace is `root`.
    pub fn builder(root: impl Into<PathBuf>) -> RuntimeBuilder {
        RuntimeBuilder::new(root.into())
    }

    /// Returns the runtime of an opened project.
    #[must_use]
    pub fn of(project: Project) -> Self {
        Self::with_limit(project, CONCURRENT_RUNS)
    }

    fn with_limit(project: Project, runs: usize) -> Self {
        let permits = Semaphore::new(runs.clamp(1, Semaphore::MAX_PERMITS));
        Self { project: Arc::new(project), permits: Arc::new(permits) }
    }

    /// The project.
    #[must_use]
    pub fn project(&self) -> &Project {
        &self.project
    }

    /// Loads a program with all that it imports, and checks it (AS-32). A relative path starts in
    /// the workspace.
    ///
    /// # Errors
    /// [`SetupError`] when the program itself can't be read.
    pub fn check(&self, program: impl AsRef<Path>) -> Result<CheckReport, SetupError> {
        let path = self.project.root.join(program.as_ref());
        run::load(&self.project, &path).map(|(_, report)| report)
    }

    /// Runs a program (AS-31). A relative path starts in the workspace. The run begins when the
    /// future is first polled; it can be sent to other threads, and dropping it cancels the run,
    /// whose record then says so.
    #[must_use = "a run begins when its future is polled"]
    pub fn run(&self, program: impl AsRef<Path>) -> RunFuture {
        let program = self.project.root.join(program.as_ref());
        self.request(RunRequest { program, ..RunRequest::default() })
    }

    /// Runs what a request describes.
    #[must_use = "a run begins when its future is polled"]
    pub fn request(&self, request: RunRequest) -> RunFuture {
        RunFuture::new(Arc::clone(&self.project), Arc::clone(&self.permits), request)
    }

    /// Answers one turn of a conversation (CP-2), in the same way as [`Runtime::run`] runs a
    /// program.
    #[must_use = "a turn begins when its future is polled"]
    pub fn turn(&self, request: TurnRequest) -> TurnFuture {
        TurnFuture::new(Arc::clone(&self.project), Arc::clone(&self.permits), request)
    }
}
