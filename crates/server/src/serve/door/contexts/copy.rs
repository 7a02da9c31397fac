//! `POST /v1/contexts/{id}/fork`: an independent copy (CP-10).

use super::create::{id as asked_id, object};
use super::{ask, created, enter, wrong};
use crate::serve::caller::Scope;
use crate::serve::door::path::Named;
use crate::serve::door::{Shared, answer};
use axum::extract::{Request, State};
use axum::response::Response;
use contexture::store::contexts::{Fork, Key};

/// `POST /v1/contexts/{id}/fork`, with `{contextId?}`
pub(in crate::serve::door) async fn fork(
    State(shared): State<Shared>,
    Named(id): Named,
    request: Request,
) -> Response {
    let caller = match enter(&shared, &request, &[Scope::Read, Scope::Write]) {
        Ok(caller) => caller,
        Err(refused) => return answer::refusal(&shared.app, refused),
    };
    let mut fields = match object(&shared.app, request).await {
        Ok(fields) => fields,
        Err((refused, status)) => return answer::refusal_with(&shared.app, refused, status),
    };
    let work = async {
        let fork = Fork { context_id: asked_id(&mut fields)? };
        if let Some(name) = fields.keys().next() {
            return Err(wrong(&format!("/{name}"), "contextId alone", "this name"));
        }
        let context = id.clone();
        let head = ask(&shared.app, &caller, Some(&id), move |store, owner| {
            store.fork(Key { owner, context: &context }, fork)
        });
        let head = head.await?;
        Ok(created(&head, &head.to_value()))
    };
    work.await.unwrap_or_else(|refused| answer::refusal(&shared.app, refused))
}
