//! Programs as tools: each `main agent` of a folder (KN-16).
//!
//! Decision: a program is offered only when its check finds no errors, since its schema must be
//! known. The server reports the others at the start, with the reasons.

mod found;
mod input;
mod progress;
mod run;

pub(crate) use found::discover;

use crate::mcp::arguments::Arguments;
use crate::mcp::tool::{Call, CallFuture, Tool};
use contexture::{Project, packs, servers};
use input::Input;
use rmcp::model::Tool as Definition;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::{Semaphore, watch};

/// The runner of programs.
#[derive(Debug)]
pub(crate) struct Runner {
    pub(crate) project: Project,
    /// The default model; takes precedence over settings and environment.
    pub(crate) model: Option<String>,
    /// The permissions for the packs of the project, also for its programs.
    pub(crate) packs: packs::Options,
    /// The permissions for the MCP servers of the project.
    pub(crate) servers: servers::Consent,
    /// A permit for each concurrent program.
    pub(crate) permits: Arc<Semaphore>,
    /// True when the server ends.
    stopping: watch::Sender<bool>,
}

/// The most concurrent programs; further calls wait.
pub(crate) const AT_ONCE: u32 = 8;

impl Runner {
    pub(crate) fn new(
        project: Project,
        model: Option<String>,
        packs: packs::Options,
        servers: servers::Consent,
    ) -> Arc<Self> {
        let permits = Arc::new(Semaphore::new(AT_ONCE as usize));
        let stopping = watch::Sender::new(false);
        Arc::new(Self { project, model, packs, servers, permits, stopping })
    }

    /// Cancels all runs.
    pub(crate) fn stop(&self) {
        self.stopping.send_replace(true);
    }

    /// Waits until the server ends.
    pub(crate) async fn stopped(&self) {
        // The sender lives as long as `self`.
        let _ = self.stopping.subscribe().wait_for(|stopping| *stopping).await;
    }

    /// Waits until no program runs.
    pub(crate) async fn idle(&self) {
        // The semaphore is never closed, so acquiring can't fail.
        let _ = self.permits.acquire_many(AT_ONCE).await;
    }
}

/// An offered program.
pub(crate) struct Program {
    definition: Definition,
    file: PathBuf,
    arguments: Arguments,
    input: Input,
    runner: Arc<Runner>,
}

impl Tool for Program {
    fn definition(&self) -> &Definition {
        &self.definition
    }

    fn call(&self, call: Call) -> CallFuture<'_> {
        Box::pin(async move {
            self.arguments.check(&self.definition.name, &call.arguments)?;
            let input = self.input.of(call.arguments);
            run::run(&self.runner, &self.file, input, &call.context).await
        })
    }
}
