//! Stored contexts: lists, transcripts, and their states at each version (IN-12).

use contexture_protocol::StatePath;
use contexture_store::contexts::{ContextError, ContextStore, Head, Key, What};
use serde_json::{Map, Value, json};

/// The most changes of a page.
const PAGE: usize = 1_000;

/// Returns the owners of contexts and a page of those of one owner: `{owners, owner, contexts, next}`.
/// Without an owner, it is the first one.
///
/// # Errors
/// [`ContextError`] when they can't be read, or for a text or a place that is not one.
pub fn contexts(
    store: &dyn ContextStore,
    owner: Option<&str>,
    search: Option<&str>,
    (after, limit): (Option<&str>, usize),
) -> Result<Value, ContextError> {
    let owners = store.owners()?;
    let Some(owner) = owner.or_else(|| owners.first().map(String::as_str)) else {
        return Ok(json!({ "owners": [], "owner": null, "contexts": [], "next": null }));
    };
    let page = match search {
        Some(text) => store.search(owner, text, after, limit)?,
        None => store.list(owner, after, limit)?,
    };
    let contexts: Vec<Value> = page.contexts.iter().map(Head::to_value).collect();
    Ok(json!({ "owners": owners, "owner": owner, "contexts": contexts, "next": page.next }))
}

/// Returns a context without its messages: its head, `owner`, `oldest` (the version before the first
/// one in its log), and its `state` at a version, by default the present one. A state that the log
/// does not reach back to is `null`.
///
/// # Errors
/// [`ContextError::NotFound`], [`ContextError::Ahead`] for a version that never was.
pub fn context(
    store: &dyn ContextStore,
    key: Key<'_>,
    version: Option<u64>,
) -> Result<Value, ContextError> {
    let head = store.head(key)?;
    let version = version.unwrap_or(head.version);
    let state = match version {
        now if now == head.version => Some(store.state(key)?.value),
        earlier => earlier_state(store, key, &head, earlier)?,
    };
    let mut value = head.to_value();
    if let Some(fields) = value.as_object_mut() {
        fields.insert("owner".to_owned(), key.owner.into());
        fields.insert("oldest".to_owned(), head.oldest.into());
        fields.insert("last".to_owned(), head.version.into());
        fields.insert("version".to_owned(), version.into());
        fields.insert("state".to_owned(), json!(state));
    }
    Ok(value)
}

/// Makes the state of an earlier version from the log, which begins with nothing only at version 0.
fn earlier_state(
    store: &dyn ContextStore,
    key: Key<'_>,
    head: &Head,
    version: u64,
) -> Result<Option<Value>, ContextError> {
    if version > head.version {
        return Err(ContextError::Ahead { asked: version, current: head.version });
    }
    if head.oldest > 0 {
        return Ok(None);
    }
    let mut state = Value::Object(Map::new());
    let mut since = 0;
    loop {
        let page = store.changes(key, since, PAGE)?;
        for change in &page.changes {
            if change.version > version {
                return Ok(Some(state));
            }
            make(&mut state, &change.what);
        }
        match page.next {
            Some(next) => since = next,
            None => return Ok(Some(state)),
        }
    }
}

/// Makes a change of a state again, which was possible when it was made.
fn make(state: &mut Value, what: &What) {
    let path = |text: &str| text.parse::<StatePath>().ok();
    match what {
        What::UpdateState { path: text, value } => {
            if let Some(path) = path(text) {
                let _ = path.set(state, value.clone());
            }
        }
        What::RemoveState { path: text } => {
            if let Some(path) = path(text) {
                let _ = path.remove(state);
            }
        }
        _ => {}
    }
}

/// Returns the last messages of a context before a place: `{messages, next}`, ascending.
///
/// # Errors
/// [`ContextError::NotFound`], [`ContextError::Invalid`] for a limit that no page has.
pub fn context_messages(
    store: &dyn ContextStore,
    key: Key<'_>,
    (before, limit): (u64, usize),
) -> Result<Value, ContextError> {
    let page = store.before(key, before, limit)?;
    let messages = page.messages.iter().map(|one| one.to_value(key.context));
    Ok(json!({ "messages": messages.collect::<Vec<_>>(), "next": page.next }))
}

/// Returns what changed in a context after a version: `{version, changes, next}`, each change with its
/// `cause`, the message that made it.
///
/// # Errors
/// [`ContextError::NotFound`], [`ContextError::Compacted`] when the log does not reach back so far.
pub fn context_changes(
    store: &dyn ContextStore,
    key: Key<'_>,
    (since, limit): (u64, usize),
) -> Result<Value, ContextError> {
    let page = store.changes(key, since, limit)?;
    let changes = page.changes.iter().map(|one| one.to_value(key.context));
    Ok(
        json!({ "version": page.version, "changes": changes.collect::<Vec<_>>(), "next": page.next }),
    )
}
