//! Pages of contexts, messages and changes (CP-11, CP-12).

use super::{PAGE, ask, enter};
use crate::serve::caller::Scope;
use crate::serve::door::path::Named;
use crate::serve::door::query::Query;
use crate::serve::door::{Shared, answer};
use axum::extract::{RawQuery, Request, State};
use axum::response::Response;
use contexture::store::contexts::{Change, Head, Key, StoredMessage};
use serde_json::{Value, json};

/// `GET /v1/contexts?after=&limit=`
pub(in crate::serve::door) async fn list(
    State(shared): State<Shared>,
    RawQuery(query): RawQuery,
    request: Request,
) -> Response {
    let work = async {
        let caller = enter(&shared, &request, &[Scope::Read])?;
        drop(request);
        let query = Query::parse(query.as_deref(), &["after", "limit"])?;
        let (after, limit) = (query.text("after").map(str::to_owned), query.limit(PAGE)?);
        let page = ask(&shared.app, &caller, None, move |store, owner| {
            store.list(owner, after.as_deref(), limit)
        });
        let page = page.await?;
        let contexts: Vec<Value> = page.contexts.iter().map(Head::to_value).collect();
        Ok(answer::value(&with_next(json!({ "contexts": contexts }), page.next)))
    };
    work.await.unwrap_or_else(|refused| answer::refusal(&shared.app, refused))
}

/// `GET /v1/contexts/{id}/messages?after=&limit=`
pub(in crate::serve::door) async fn messages(
    State(shared): State<Shared>,
    Named(id): Named,
    RawQuery(query): RawQuery,
    request: Request,
) -> Response {
    let work = async {
        let caller = enter(&shared, &request, &[Scope::Read])?;
        drop(request);
        let query = Query::parse(query.as_deref(), &["after", "limit"])?;
        let (after, limit) = (query.number("after")?.unwrap_or(0), query.limit(PAGE)?);
        let context = id.clone();
        let page = ask(&shared.app, &caller, Some(&id), move |store, owner| {
            store.messages(Key { owner, context: &context }, after, limit)
        });
        let page = page.await?;
        let messages: Vec<Value> =
            page.messages.iter().map(|one: &StoredMessage| one.to_value(&id)).collect();
        Ok(answer::value(&with_next(json!({ "messages": messages }), page.next)))
    };
    work.await.unwrap_or_else(|refused| answer::refusal(&shared.app, refused))
}

/// `GET /v1/contexts/{id}/changes?since=&limit=`
pub(in crate::serve::door) async fn changes(
    State(shared): State<Shared>,
    Named(id): Named,
    RawQuery(query): RawQuery,
    request: Request,
) -> Response {
    let work = async {
        let caller = enter(&shared, &request, &[Scope::Read])?;
        drop(request);
        let query = Query::parse(query.as_deref(), &["since", "limit"])?;
        let (since, limit) = (query.number("since")?.unwrap_or(0), query.limit(PAGE)?);
        let context = id.clone();
        let page = ask(&shared.app, &caller, Some(&id), move |store, owner| {
            store.changes(Key { owner, context: &context }, since, limit)
        });
        let page = page.await?;
        let changes: Vec<Value> =
            page.changes.iter().map(|one: &Change| one.to_value(&id)).collect();
        let value = json!({ "version": page.version, "changes": changes });
        Ok(answer::value(&with_next(value, page.next)))
    };
    work.await.unwrap_or_else(|refused| answer::refusal(&shared.app, refused))
}

fn with_next(mut page: Value, next: Option<impl Into<Value>>) -> Value {
    if let (Some(fields), Some(next)) = (page.as_object_mut(), next) {
        fields.insert("next".to_owned(), next.into());
    }
    page
}
