//! What an inspector shows besides runs, where there is any (IN-11, IN-12).

use super::Shared;
use super::answers::{Answer, Refused, read};
use axum::extract::State;
use axum::http::StatusCode;
use contexture::Project;
use contexture::eval::Report;
use contexture::packs::Options;
use contexture::store::contexts::{ContextError, ContextStore};
use contexture::store::flows::FlowJournal;
use contexture::store::runs::RunStore;
use serde_json::json;
use std::sync::Arc;

/// What an inspector shows.
#[derive(Clone)]
pub struct Sources {
    /// The runs.
    pub runs: Arc<dyn RunStore>,
    /// The runs of sets, if there are any.
    pub flows: Option<Arc<dyn FlowJournal>>,
    /// The contexts, if there are any.
    pub contexts: Option<Arc<dyn ContextStore>>,
    /// The project with the knowledge packs, if there is one, and which of them may be read.
    pub packs: Option<(Project, Options)>,
    /// The reports of evals that were named, each with the name of its file.
    pub evals: Vec<(String, Report)>,
    /// True if the server beside it can steer runs of sets and fork contexts.
    pub can_change: bool,
    /// True if a changed program may be tried on the record of a run (IN-10): what it imports is read
    /// from the project.
    pub can_recheck: bool,
}

impl Sources {
    /// Shows runs and nothing else.
    #[must_use]
    pub fn of_runs(runs: Arc<dyn RunStore>) -> Self {
        Self {
            runs,
            flows: None,
            contexts: None,
            packs: None,
            evals: Vec::new(),
            can_change: false,
            can_recheck: false,
        }
    }

    pub(super) fn flows(&self) -> Result<&dyn FlowJournal, Refused> {
        self.flows.as_deref().ok_or_else(|| absent("no run of a set is kept here"))
    }

    pub(super) fn contexts(&self) -> Result<&dyn ContextStore, Refused> {
        self.contexts.as_deref().ok_or_else(|| absent("no context is kept here"))
    }

    /// Returns the project whose programs may be tried.
    pub(super) fn checked(&self) -> Result<&Project, Refused> {
        let project = self.packs.as_ref().filter(|_| self.can_recheck).map(|(project, _)| project);
        project
            .ok_or_else(|| absent("programs are tried by `contexture inspect` on its own machine"))
    }

    pub(super) fn packs(&self) -> Result<&(Project, Options), Refused> {
        self.packs.as_ref().ok_or_else(|| absent("no project is shown here"))
    }
}

fn absent(message: &str) -> Refused {
    Refused::new(StatusCode::NOT_FOUND, "not_kept", message)
}

/// `GET /v1/about`
pub(super) async fn about(State(shared): State<Shared>) -> Answer {
    read(&shared, |shared| {
        let sources = &shared.sources;
        Ok(json!({
            "flows": sources.flows.is_some(),
            "contexts": sources.contexts.is_some(),
            "knowledge": sources.packs.is_some(),
            "evals": !sources.evals.is_empty(),
            "can_change": sources.can_change,
            "can_recheck": sources.can_recheck,
        }))
    })
    .await
}

impl From<ContextError> for Refused {
    fn from(error: ContextError) -> Self {
        let status = match error {
            ContextError::NotFound(_) => StatusCode::NOT_FOUND,
            ContextError::Invalid { .. }
            | ContextError::Ahead { .. }
            | ContextError::Compacted { .. } => StatusCode::BAD_REQUEST,
            _ => StatusCode::INTERNAL_SERVER_ERROR,
        };
        Self::new(status, error.code(), error.to_string())
    }
}
