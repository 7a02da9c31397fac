//! Pages of contexts, messages and changes (CP-11, CP-12), and deletion.

use super::PAGE;
use crate::query::{Query, wrong};
use crate::serve::caller::Scope;
use crate::serve::exchange::failure::refusal;
use crate::serve::http::answer;
use crate::serve::http::extract::{Named, Reader};
use crate::serve::http::refused::Answer;
use crate::serve::http::shared::Shared;
use crate::serve::operations::audit::AuditEvent;
use axum::extract::{RawQuery, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use contexture::store::contexts::Head;
use serde_json::{Value, json};

/// `GET /v1/contexts?search=&after=&limit=`
pub(crate) async fn list(
    State(shared): State<Shared>,
    Reader(caller): Reader,
    RawQuery(query): RawQuery,
) -> Answer {
    shared.require(&caller, &[Scope::Read])?;
    let query = Query::parse(query.as_deref(), &["search", "after", "limit"])?;
    let text = |name: &str| query.text(name).map(str::to_owned);
    let (search, after, limit) = (text("search"), text("after"), query.limit(PAGE)?);
    let list = shared.ask(&caller, None, move |store, owner| match search {
        Some(search) => store.search(owner, &search, after.as_deref(), limit),
        None => store.list(owner, after.as_deref(), limit),
    });
    let page = list.await?;
    let contexts: Vec<Value> = page.contexts.iter().map(Head::to_value).collect();
    Ok(page_of(json!({ "contexts": contexts }), page.next))
}

/// `GET /v1/contexts/{id}/messages?after=&before=&limit=`
pub(crate) async fn messages(
    State(shared): State<Shared>,
    Named(id): Named,
    Reader(caller): Reader,
    RawQuery(query): RawQuery,
) -> Answer {
    shared.require(&caller, &[Scope::Read])?;
    let query = Query::parse(query.as_deref(), &["after", "before", "limit"])?;
    let (before, limit) = (query.place("before")?, query.limit(PAGE)?);
    let after = query.number("after")?;
    if let (Some(_), Some(after)) = (before, after) {
        return Err(wrong("after", "one of after and before", &after.to_string()).into());
    }
    let read = shared.ask_in(&caller, &id, move |store, key| match before {
        Some(before) => store.before(key, before, limit),
        None => store.messages(key, after.unwrap_or(0), limit),
    });
    let page = read.await?;
    let messages: Vec<Value> = page.messages.iter().map(|one| one.to_value(&id)).collect();
    Ok(page_of(json!({ "messages": messages }), page.next))
}

/// `GET /v1/contexts/{id}/changes?since=&limit=`
pub(crate) async fn changes(
    State(shared): State<Shared>,
    Named(id): Named,
    Reader(caller): Reader,
    RawQuery(query): RawQuery,
) -> Answer {
    shared.require(&caller, &[Scope::Read])?;
    let query = Query::parse(query.as_deref(), &["since", "limit"])?;
    let (since, limit) = (query.number("since")?.unwrap_or(0), query.limit(PAGE)?);
    let read = shared.ask_in(&caller, &id, move |store, key| store.changes(key, since, limit));
    let page = read.await?;
    let changes: Vec<Value> = page.changes.iter().map(|one| one.to_value(&id)).collect();
    Ok(page_of(json!({ "version": page.version, "changes": changes }), page.next))
}

/// `DELETE /v1/contexts/{id}`
pub(crate) async fn delete(
    State(shared): State<Shared>,
    Named(id): Named,
    Reader(caller): Reader,
) -> Answer {
    shared.require(&caller, &[Scope::Write])?;
    let deleted = shared.app.delete(caller.owner(), &id).await;
    deleted.map_err(|error| refusal(error, Some(&id)))?;
    shared.note(&caller, AuditEvent::ContextDeleted, &id);
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// Creates the response of a page, with the place where the next one begins.
pub(crate) fn page_of(mut page: Value, next: Option<impl Into<Value>>) -> Response {
    if let (Some(fields), Some(next)) = (page.as_object_mut(), next) {
        fields.insert("next".to_owned(), next.into());
    }
    answer::value(&page)
}
