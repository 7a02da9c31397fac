//! Earlier outcomes in the same context, which a set may refer to (FL-6).

use crate::serve::app::App;
use contexture::store::contexts::{ContextError, ContextStore, Key};
use contexture_flow::Set;
use contexture_flow::check::Earlier;
use contexture_protocol::content::{CallResult, CallStatus, Outcome, Status};
use contexture_protocol::{Body, Limits, Message};
use std::collections::HashSet;
use std::sync::Arc;

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
) -> Result<Earlier, ContextError> {
    let wanted = wanted(set);
    if wanted.is_empty() {
        return Ok(Earlier::default());
    }
    let (owner, context) = (owner.to_string(), context.to_owned());
    let read = app.read(move |store| read(store, &owner, &context, &wanted)).await;
    match read {
        Err(ContextError::NotFound(_)) => Ok(Earlier::default()),
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
) -> Result<Earlier, ContextError> {
    let mut earlier = Earlier::default();
    let mut after = Some(0);
    while let Some(from) = after {
        let page = store.messages(Key { owner, context }, from, PAGE)?;
        for message in &page.messages {
            let text = &*message.text;
            if text.contains("\"TOOL_CALL_RESPONSE\"") || text.contains("\"INSTRUCTION_RESPONSE\"")
            {
                add(text, wanted, &mut earlier);
            }
        }
        after = page.next;
    }
    Ok(earlier)
}

fn add(text: &str, wanted: &HashSet<String>, earlier: &mut Earlier) {
    // Other texts are ignored.
    let Ok(message) = Message::parse(text.as_bytes(), &Limits::FILE) else { return };
    match message.body {
        Body::InstructionResponse(response) => {
            let named = response.results.iter();
            named
                .filter(|outcome| wanted.contains(&outcome.instruction_id))
                .for_each(|outcome| earlier.add(outcome));
        }
        Body::ToolCallResponse(response) => {
            let named = response.results.into_iter();
            named
                .filter(|result| wanted.contains(&result.call_id))
                .for_each(|result| earlier.add(&outcome(result)));
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
