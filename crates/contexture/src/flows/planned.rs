//! The plans of a step's models, in the journal of its flow (GU-7).
//!
//! Decision: a plan is a run of its own there, as a set within a step is, so that `flow show` tells
//! after a crash what was planned and how far it came. The step that made it is uncertain then: nobody
//! goes on with a plan by itself.

use super::discreet::{Discreet, masked_text};
use super::error::FlowError;
use super::journal::{Head, Kept};
use super::labelled::Labelled;
use super::nested::within;
use super::origins::Origins;
use super::request::FlowRequest;
use contexture_flow::journal::Journal;
use contexture_store::flows::FlowJournal;
use serde_json::Value;
use std::fmt;
use std::sync::Arc;

/// The journal that keeps the plans of a step.
#[derive(Clone)]
pub struct Plans {
    journal: Arc<dyn FlowJournal>,
    owner: String,
    context: Option<String>,
    private: Vec<String>,
}

impl fmt::Debug for Plans {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Plans").field("owner", &self.owner).finish_non_exhaustive()
    }
}

/// A plan that is kept, until it is dropped.
pub(crate) struct KeptPlan(Kept);

impl KeptPlan {
    pub(crate) fn run(&self) -> &str {
        &self.0.run
    }

    /// Returns the journal of its steps, each with the label of its result.
    pub(crate) fn journal(&self, plans: &Plans, origins: &Arc<Origins>) -> Arc<dyn Journal> {
        let journal = Arc::clone(&self.0.journal);
        Labelled::of(Discreet::of(journal, &plans.private), origins)
    }
}

impl Plans {
    pub(super) fn of(journal: Arc<dyn FlowJournal>, request: &FlowRequest) -> Self {
        Self {
            journal,
            owner: request.owner.clone(),
            context: request.run.context.clone(),
            private: request.run.private.clone(),
        }
    }

    /// Begins a plan of a step; when this returns, it is durable.
    pub(crate) async fn begin(
        &self,
        (flow, step): (&str, &str),
        name: String,
        document: &Value,
    ) -> Result<KeptPlan, FlowError> {
        let steps = document.get("instructions").and_then(Value::as_array).map_or(0, Vec::len);
        let document = masked_text(document.to_string(), &self.private);
        let (journal, flow) = (Arc::clone(&self.journal), flow.to_owned());
        let step = format!("{step}:plan");
        let (owner, context) = (self.owner.clone(), self.context.clone());
        let head = Head { owner, context, name, steps: steps as u64 };
        let begin = move || {
            Kept::new_within(&journal, |again| within(&flow, &step, again), &document, &head)
        };
        let broken = |_| FlowError::setup("flows_failed", "the journal broke off", "try again");
        Ok(KeptPlan(tokio::task::spawn_blocking(begin).await.map_err(broken)??))
    }
}
