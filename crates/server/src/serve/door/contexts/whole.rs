//! A whole context with a tag of its version, for conditional requests (CP-9, CP-20).

use super::{PAGE, ask, enter};
use crate::serve::caller::Scope;
use crate::serve::door::path::Named;
use crate::serve::door::query::Query;
use crate::serve::door::{Shared, answer};
use axum::extract::{RawQuery, Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use contexture::store::contexts::{ContextError, ContextStore, Head, Key};
use serde_json::Value;

/// The most attempts to read a context that changes meanwhile.
const TRIES: usize = 20;

/// `GET /v1/contexts/{id}?messages=`
pub(in crate::serve::door) async fn get(
    State(shared): State<Shared>,
    Named(id): Named,
    RawQuery(query): RawQuery,
    request: Request,
) -> Response {
    let work = async {
        let caller = enter(&shared, &request, &[Scope::Read])?;
        let known = Known::of(request.headers());
        drop(request);
        let last = Query::parse(query.as_deref(), &["messages"])?.count("messages", PAGE)?;
        let context = id.clone();
        let read = ask(&shared.app, &caller, Some(&id), move |store, owner| {
            read(store, Key { owner, context: &context }, last, &known)
        });
        let (value, tag) = read.await?;
        let mut response = match value {
            Some(value) => answer::value(&value),
            None => StatusCode::NOT_MODIFIED.into_response(),
        };
        let headers = response.headers_mut();
        // It may be cached, and must be revalidated.
        let policy = HeaderValue::from_static("private, no-cache");
        headers.insert(header::CACHE_CONTROL, policy);
        headers.extend(tag.map(|tag| (header::ETAG, tag)));
        Ok(response)
    };
    work.await.unwrap_or_else(|refused| answer::refusal(&shared.app, refused))
}

/// Returns the tag of a version. A context that was deleted and recreated differs, even when an import gave
/// it the version and the time of the first.
pub(super) fn tag(head: &Head, version: u64) -> Option<HeaderValue> {
    let (which, made) = (head.incarnation, head.creation_us);
    // Weak: the same version may be compressed or not.
    HeaderValue::from_str(&format!("W/\"{version}-{which:x}-{made:x}\"")).ok()
}

/// Returns the tags of `If-None-Match`.
struct Known(Vec<String>);

impl Known {
    fn of(headers: &HeaderMap) -> Self {
        let texts = headers.get_all(header::IF_NONE_MATCH).iter();
        let texts = texts.filter_map(|text| text.to_str().ok()).flat_map(|text| text.split(','));
        Self(texts.map(|text| bare(text).to_owned()).collect())
    }

    fn has(&self, tag: &HeaderValue) -> bool {
        let tag = tag.to_str().map(bare).unwrap_or_default();
        self.0.iter().any(|known| known == "*" || known == tag)
    }
}

fn bare(tag: &str) -> &str {
    let tag = tag.trim();
    tag.strip_prefix("W/").unwrap_or(tag)
}

type Found = (Option<Value>, Option<HeaderValue>);

/// Reads the context with all or the last messages; `None` when the client has it.
fn read(
    store: &dyn ContextStore,
    key: Key<'_>,
    last: Option<usize>,
    known: &Known,
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
    for _ in 0..TRIES {
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
