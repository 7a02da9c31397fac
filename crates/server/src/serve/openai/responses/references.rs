//! Items that are named by their id, and calls that wait for results: both are in the context of a
//! stored response.

use super::super::error::Failure;
use super::super::request::Chat;
use crate::serve::app::App;
use crate::serve::caller::Caller;
use crate::serve::exchange::failure::refusal;
use crate::serve::turn::history::{self, Wished};
use contexture::store::contexts::{ContextError, Fork, Key};
use contexture_protocol::content::ModelResponse;
use serde_json::{Value, json};
use std::sync::Arc;

/// The last messages of a context that are looked at.
const LAST: usize = 200;

/// Puts the items themselves in place of those that are named by their id.
pub(crate) async fn resolve(app: &Arc<App>, owner: &str, request: &mut Value) {
    let Some(items) = request.get_mut("input").and_then(Value::as_array_mut) else { return };
    for item in items {
        let is_reference = item.get("type").is_some_and(|kind| kind == "item_reference");
        let Some(id) = item.get("id").and_then(Value::as_str).filter(|_| is_reference) else {
            continue;
        };
        // Reasoning is not kept, and a client that names it wants nothing done.
        if let Some(found) = find(app, owner, id).await {
            *item = found;
        }
    }
}

async fn find(app: &Arc<App>, owner: &str, id: &str) -> Option<Value> {
    let (stem, place) = id.rsplit_once('_')?;
    let (kind, stem) = stem.split_once('_')?;
    let place: usize = place.parse().ok()?;
    let (owner, context) = (owner.to_owned(), format!("resp_{stem}"));
    let read = app.read(move |store| {
        let last = store.last(Key { owner: &owner, context: &context }, LAST)?;
        Ok(history::answers(&last, &context))
    });
    let answers: Vec<ModelResponse> = read.await.ok()?;
    match kind {
        "msg" => {
            let mut texts = answers.iter().map(ModelResponse::text).filter(|text| !text.is_empty());
            let text = texts.nth(place.checked_sub(1)?)?;
            Some(json!({ "type": "message", "role": "assistant", "content": text }))
        }
        "fc" => {
            let calls = answers.last()?.tool_calls.clone()?;
            let call = crate::serve::turn::tools::of_client(calls.into_iter().nth(place)?);
            Some(json!({
                "type": "function_call", "call_id": call.id, "name": call.function.name,
                "arguments": call.function.arguments,
            }))
        }
        _ => None,
    }
}

/// Checks that a request in a context has results for the calls that wait there, and for no others.
///
/// # Errors
/// [`Failure`] with the parameter at fault.
pub(crate) async fn go_on(
    app: &Arc<App>,
    caller: &Caller,
    context: &str,
    chat: &Chat,
) -> Result<(), Failure> {
    let rounds = chat.hints.tools.iter().flat_map(|tools| tools.rounds.last());
    let given = rounds.flat_map(|round| round.calls.iter().map(|call| call.id.as_str()));
    let mut given: Vec<&str> =
        given.chain(chat.results.iter().map(|(id, _)| id.as_str())).collect();
    if given.is_empty() {
        return Ok(());
    }
    let mut open = open_calls(app, caller.owner(), context).await.unwrap_or_default();
    given.sort_unstable();
    open.sort_unstable();
    if given == open {
        return Ok(());
    }
    let message = match open.as_slice() {
        [] => format!("no call of `{context}` waits for a result"),
        open => format!("the calls that wait for results are {}, each once", open.join(", ")),
    };
    let param = if chat.is_new { "input" } else { "messages" };
    Err(Failure::param(param, "invalid_value", message))
}

/// Copies the context of a response for one that continues it.
///
/// # Errors
/// [`Failure`] if there is none, or the request does not continue it.
pub(crate) async fn fork(
    app: &Arc<App>,
    caller: &Caller,
    (previous, id): (&str, &str),
    chat: &Chat,
) -> Result<(), Failure> {
    let owner = caller.owner().to_string();
    let (from, to) = (previous.to_owned(), id.to_owned());
    let of_owner = owner.clone();
    let head =
        app.read(move |store| store.head(Key { owner: &of_owner, context: &from }).map(drop));
    let at = "previous_response_id";
    if let Err(error) = head.await {
        let message = match error {
            ContextError::NotFound { .. } => format!("no stored response has the id `{previous}`"),
            _ => "the response before can't be read".to_owned(),
        };
        return Err(Failure::param(at, "previous_response_not_found", message));
    }
    go_on(app, caller, previous, chat).await?;
    let from = previous.to_owned();
    let fork = Fork { context_id: Some(to) };
    let forked = app.read(move |store| store.fork(Key { owner: &owner, context: &from }, fork));
    forked.await.map(drop).map_err(|error| Failure::of(&refusal(error, Some(previous))))
}

/// Returns the calls of a context that wait for their results, by their ids.
async fn open_calls(
    app: &Arc<App>,
    owner: &str,
    context: &str,
) -> Result<Vec<String>, ContextError> {
    let (owner, context) = (owner.to_owned(), context.to_owned());
    let read = app.read(move |store| {
        let last = store.last(Key { owner: &owner, context: &context }, LAST)?;
        Ok(history::wished(&last, &context, u64::MAX))
    });
    let found = read.await?;
    Ok(found.map(|Wished { open, .. }| open).unwrap_or_default())
}
