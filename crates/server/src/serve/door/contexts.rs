//! `/v1/contexts`: what was said and is known, to read and to delete (CP-9…CP-12).

use super::query::Query;
use super::{Shared, answer};
use crate::serve::app::App;
use crate::serve::caller::{Caller, Scope};
use crate::serve::exchange::{forbidden, refusal};
use axum::extract::{Path, RawQuery, Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use contexture::store::contexts::{Change, ContextError, ContextStore, Head, Key, StoredMessage};
use contexture_protocol::Refusal;
use serde_json::{Value, json};
use std::sync::Arc;

/// The most that one page holds.
const PAGE: usize = 1_000;

/// `GET /v1/contexts?after=&limit=`
pub(super) async fn list(
    State(shared): State<Shared>,
    RawQuery(query): RawQuery,
    request: Request,
) -> Response {
    let caller = match enter(&shared, &request, Scope::Read) {
        Ok(caller) => caller,
        Err(refused) => return answer::refusal(&shared.app, refused),
    };
    drop(request);
    let app = &shared.app;
    let work = async {
        let query = Query::parse(query.as_deref(), &["after", "limit"])?;
        let (after, limit) = (query.text("after").map(str::to_owned), query.limit(PAGE)?);
        let page = read(app, &caller, None, move |store, owner| {
            store.list(owner, after.as_deref(), limit)
        })
        .await?;
        let contexts: Vec<Value> = page.contexts.iter().map(Head::to_value).collect();
        Ok(answer::value(&with_next(json!({ "contexts": contexts }), page.next)))
    };
    work.await.unwrap_or_else(|refused| answer::refusal(app, refused))
}

/// `GET /v1/contexts/{id}`
pub(super) async fn get(
    State(shared): State<Shared>,
    Path(id): Path<String>,
    request: Request,
) -> Response {
    let caller = match enter(&shared, &request, Scope::Read) {
        Ok(caller) => caller,
        Err(refused) => return answer::refusal(&shared.app, refused),
    };
    drop(request);
    let app = &shared.app;
    let work = async {
        let context = id.clone();
        let whole = read(app, &caller, Some(&id), move |store, owner| {
            store.get(Key { owner, context: &context })
        })
        .await?;
        Ok(answer::value(&whole))
    };
    work.await.unwrap_or_else(|refused| answer::refusal(app, refused))
}

/// `DELETE /v1/contexts/{id}`
pub(super) async fn delete(
    State(shared): State<Shared>,
    Path(id): Path<String>,
    request: Request,
) -> Response {
    let caller = match enter(&shared, &request, Scope::Write) {
        Ok(caller) => caller,
        Err(refused) => return answer::refusal(&shared.app, refused),
    };
    drop(request);
    let app = &shared.app;
    let work = async {
        let context = id.clone();
        read(app, &caller, Some(&id), move |store, owner| {
            store.delete(Key { owner, context: &context })
        })
        .await?;
        Ok(StatusCode::NO_CONTENT.into_response())
    };
    work.await.unwrap_or_else(|refused| answer::refusal(app, refused))
}

/// `GET /v1/contexts/{id}/messages?after=&limit=`
pub(super) async fn messages(
    State(shared): State<Shared>,
    Path(id): Path<String>,
    RawQuery(query): RawQuery,
    request: Request,
) -> Response {
    let caller = match enter(&shared, &request, Scope::Read) {
        Ok(caller) => caller,
        Err(refused) => return answer::refusal(&shared.app, refused),
    };
    drop(request);
    let app = &shared.app;
    let work = async {
        let query = Query::parse(query.as_deref(), &["after", "limit"])?;
        let (after, limit) = (query.number("after")?.unwrap_or(0), query.limit(PAGE)?);
        let context = id.clone();
        let page = read(app, &caller, Some(&id), move |store, owner| {
            store.messages(Key { owner, context: &context }, after, limit)
        });
        let page = page.await?;
        let messages: Vec<Value> =
            page.messages.iter().map(|one: &StoredMessage| one.to_value(&id)).collect();
        Ok(answer::value(&with_next(json!({ "messages": messages }), page.next)))
    };
    work.await.unwrap_or_else(|refused| answer::refusal(app, refused))
}

/// `GET /v1/contexts/{id}/changes?since=&limit=`
pub(super) async fn changes(
    State(shared): State<Shared>,
    Path(id): Path<String>,
    RawQuery(query): RawQuery,
    request: Request,
) -> Response {
    let caller = match enter(&shared, &request, Scope::Read) {
        Ok(caller) => caller,
        Err(refused) => return answer::refusal(&shared.app, refused),
    };
    drop(request);
    let app = &shared.app;
    let work = async {
        let query = Query::parse(query.as_deref(), &["since", "limit"])?;
        let (since, limit) = (query.number("since")?.unwrap_or(0), query.limit(PAGE)?);
        let context = id.clone();
        let page = read(app, &caller, Some(&id), move |store, owner| {
            store.changes(Key { owner, context: &context }, since, limit)
        });
        let page = page.await?;
        let changes: Vec<Value> =
            page.changes.iter().map(|one: &Change| one.to_value(&id)).collect();
        Ok(answer::value(&with_next(
            json!({ "version": page.version, "changes": changes }),
            page.next,
        )))
    };
    work.await.unwrap_or_else(|refused| answer::refusal(app, refused))
}

fn with_next(mut page: Value, next: Option<impl Into<Value>>) -> Value {
    if let (Some(fields), Some(next)) = (page.as_object_mut(), next) {
        fields.insert("next".to_owned(), next.into());
    }
    page
}

/// Lets a caller in who may do this.
fn enter(shared: &Shared, request: &Request, scope: Scope) -> Result<Caller, Refusal> {
    let caller = shared.guard.admit(request)?;
    if caller.grant.scopes.allow(scope) { Ok(caller) } else { Err(forbidden(scope.as_str())) }
}

/// Reads for a caller.
async fn read<T: Send + 'static>(
    app: &Arc<App>,
    caller: &Caller,
    context: Option<&str>,
    work: impl FnOnce(&dyn ContextStore, &str) -> Result<T, ContextError> + Send + 'static,
) -> Result<T, Refusal> {
    let owner = caller.owner().to_string();
    let outcome = app.read(move |store| work(store, &owner)).await;
    outcome.map_err(|error| refusal(error, context))
}
