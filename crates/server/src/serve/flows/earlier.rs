//! Earlier outcomes in the same context, which a set may refer to (FL-6).

use crate::serve::app::App;
use contexture::context::Label;
use contexture::store::contexts::{ContextError, ContextStore, Key, StoredMessage};
use contexture_flow::Set;
use contexture_flow::check::Earlier;
use contexture_protocol::content::{CallResult, CallStatus, Outcome, Status};
use contexture_protocol::{Body, Limits, Message};
use std::collections::HashSet;
use std::sync::Arc;

/// Earlier outcomes, with the labels of their results.
#[derive(Clone, Default)]
pub(super) struct Before {
    pub(super) outcomes: Earlier,
    pub(super) labels: Vec<(String, Label)>,
}

impl Before {
    fn add(&mut self, outcome: &Outcome, label: Option<&Label>) {
        self.outcomes.add(outcome);
        self.labels.retain(|(step, _)| *step != outcome.instruction_id);
        self.labels.extend(label.map(|label| (outcome.instruction_id.clone(), label.clone())));
    }
}

/// The messages that are read at once.
const PAGE: usize = 1_000;

/// Reads the outcomes that the set names and does not have from the context; of an id with several
/// outcomes, the last one counts.
///
/// # Errors
/// An error of the store.
pub(super) async fn earlier(
    app: &Arc<App>,
    owner: &Arc<str>,
    context: &str,
    set: &Set,
) -> Result<Before, ContextError> {
    let wanted = wanted(set);
    if wanted.is_empty() {
        return Ok(Before::default());
    }
    let (owner, context) = (owner.to_string(), context.to_owned());
    let read = app.read(move |store| read(store, &owner, &context, &wanted)).await;
    match read {
        Err(ContextError::NotFound(_)) => Ok(Before::default()),
        other => other,
    }
}

/// Returns the ids that a set names and does not have.
fn wanted(set: &Set) -> HashSet<String> {
    let own: HashSet<&str> = set.steps.iter().map(|step| step.id.as_str()).collect();
    let named = set.steps.iter().flat_map(|step| &step.dependencies);
    named.filter(|id| !own.contains(id.as_str())).cloned().collect()
}

fn read(
    store: &dyn ContextStore,
    owner: &str,
    context: &str,
    wanted: &HashSet<String>,
) -> Result<Before, ContextError> {
    let mut earlier = Before::default();
    let mut after = Some(0);
    while let Some(from) = after {
        let page = store.messages(Key { owner, context }, from, PAGE)?;
        for message in &page.messages {
            let text = &*message.text;
            if text.contains("\"TOOL_CALL_RESPONSE\"") || text.contains("\"INSTRUCTION_RESPONSE\"")
            {
                add(message, wanted, &mut earlier);
            }
        }
        after = page.next;
    }
    Ok(earlier)
}

fn add(stored: &StoredMessage, wanted: &HashSet<String>, earlier: &mut Before) {
    // Other texts are ignored.
    let Ok(message) = Message::parse(stored.text.as_bytes(), &Limits::FILE) else { return };
    let label = stored.label();
    let mut add = |outcome: &Outcome| earlier.add(outcome, label.as_ref());
    match message.body {
        Body::InstructionResponse(response) => {
            let named = response.results.iter();
            named.filter(|outcome| wanted.contains(&outcome.instruction_id)).for_each(add);
        }
        Body::ToolCallResponse(response) => {
            let named = response.results.into_iter();
            named
                .filter(|result| wanted.contains(&result.call_id))
                .for_each(|result| add(&outcome(result)));
        }
        _ => {}
    }
}

/// Converts the result of a call to an outcome (FL-4).
fn outcome(result: CallResult) -> Outcome {
    let status = match result.status {
        CallStatus::Success => Status::Completed,
        CallStatus::Timeout => Status::Timeout,
        CallStatus::Error => Status::Failed,
    };
    let mut outcome = Outcome::new(result.call_id, status);
    outcome.result = result.result;
    outcome.error = result.error;
    outcome.execution_time = result.execution_time;
    outcome
}
