//! A whole context with a tag of its version, for conditional requests (CP-9, CP-20).

use super::{KnownTags, PAGE, tag};
use crate::query::Query;
use crate::serve::caller::Scope;
use crate::serve::http::answer;
use crate::serve::http::extract::{Named, Reader};
use crate::serve::http::refused::Answer;
use crate::serve::http::shared::Shared;
use axum::extract::{RawQuery, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::IntoResponse;
use contexture::store::contexts::{ContextError, ContextStore, Key};
use serde_json::Value;

/// The most attempts to read a context that changes meanwhile.
const ATTEMPTS: usize = 20;

/// `GET /v1/contexts/{id}?messages=`
pub(crate) async fn get(
    State(shared): State<Shared>,
    Named(id): Named,
    Reader(caller): Reader,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Answer {
    shared.require(&caller, &[Scope::Read])?;
    let known = KnownTags::of(&headers, header::IF_NONE_MATCH);
    let last = Query::parse(query.as_deref(), &["messages"])?.count("messages", PAGE)?;
    let read = shared.ask_in(&caller, &id, move |store, key| read(store, key, last, &known));
    let (value, tag) = read.await?;
    let mut response = match value {
        Some(value) => answer::value(&value),
        None => StatusCode::NOT_MODIFIED.into_response(),
    };
    let headers = response.headers_mut();
    // It may be cached, and must be revalidated.
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
    headers.extend(tag.map(|tag| (header::ETAG, tag)));
    Ok(response)
}

type Found = (Option<Value>, Option<HeaderValue>);

/// Reads the context with all or the last messages; `None` when the client has it.
fn read(
    store: &dyn ContextStore,
    key: Key<'_>,
    last: Option<usize>,
    known: &KnownTags,
) -> Result<Found, ContextError> {
    let mut head = store.head(key)?;
    let tag_now = tag(&head, head.version);
    if tag_now.as_ref().is_some_and(|tag| known.has(tag)) {
        return Ok((None, tag_now));
    }
    let Some(last) = last else {
        let whole = store.get(key)?;
        let version = whole.get("version").and_then(Value::as_u64).unwrap_or(head.version);
        return Ok((Some(whole), tag(&head, version)));
    };
    // Its parts are read one after the other; the version before and after must be the same.
    for _ in 0..ATTEMPTS {
        let state = store.state(key)?.value;
        let messages = if last == 0 { Vec::new() } else { store.last(key, last)? };
        let after = store.head(key)?;
        if after == head {
            let mut value = head.to_value();
            if let Value::Object(fields) = &mut value {
                let messages = messages.iter().map(|one| one.to_value(key.context)).collect();
                fields.insert("state".to_owned(), state);
                fields.insert("messages".to_owned(), Value::Array(messages));
            }
            return Ok((Some(value), tag(&head, head.version)));
        }
        head = after;
    }
    Err(ContextError::Busy(key.context.to_owned()))
}
