//! Programs as tools: each `main agent` of a folder (KN-16).
//!
//! Decision: a program is offered only when its check finds no error, since its schema has to be
//! known. What is left out is told when the server starts, with the reason.

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

/// How programs are run.
#[derive(Debug)]
pub(crate) struct Runner {
    pub(crate) project: Project,
    /// The default model; wins over settings and environment.
    pub(crate) model: Option<String>,
    /// What was allowed of the packs of the project: that holds for its programs, too.
    pub(crate) packs: packs::Options,
    /// Which MCP servers of the project they may use.
    pub(crate) servers: servers::Consent,
    /// One permit for each program that may run at the same time.
    pub(crate) permits: Arc<Semaphore>,
    /// Whether the server ends.
    stopping: watch::Sender<bool>,
}

/// So many programs run at the same time; further calls wait.
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
        // The sender is there for as long as this is.
        let _ = self.stopping.subscribe().wait_for(|stopping| *stopping).await;
    }

    /// Waits until no program runs any more.
    pub(crate) async fn idle(&self) {
        // It is never closed, so that acquiring can't fail.
        let _ = self.permits.acquire_many(AT_ONCE).await;
    }
}

/// A program that is offered.
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
