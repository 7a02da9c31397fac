//! The settings and the limit of all runs.

use contexture::models::Replacements;
use contexture::ports::policy::Class;
use contexture::{Project, packs, servers};
use std::sync::Arc;
use tokio::sync::{Semaphore, watch};

#[derive(Debug)]
pub(crate) struct Runner {
    pub(crate) project: Project,
    /// The default model; takes precedence over settings and environment.
    pub(crate) model: Option<String>,
    /// The models in place of single ones that programs name.
    pub(crate) models: Replacements,
    /// The permissions for the packs of the project, also for its programs.
    pub(crate) packs: packs::Options,
    /// The permissions for the MCP servers of the project.
    pub(crate) servers: servers::Consent,
    /// Classes of effects that are allowed although they are influenced (GU-6).
    pub(crate) yes_to: Vec<Class>,
    /// A permit for each concurrent program.
    pub(crate) permits: Arc<Semaphore>,
    /// True when the server ends.
    stopping: watch::Sender<bool>,
}

/// The most concurrent programs; further calls wait.
const AT_ONCE: u32 = 8;

impl Runner {
    pub(crate) fn new(
        project: Project,
        (model, models): (Option<String>, Replacements),
        packs: packs::Options,
        (servers, yes_to): (servers::Consent, Vec<Class>),
    ) -> Arc<Self> {
        let permits = Arc::new(Semaphore::new(AT_ONCE as usize));
        let stopping = watch::Sender::new(false);
        Arc::new(Self { project, model, models, packs, servers, yes_to, permits, stopping })
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
