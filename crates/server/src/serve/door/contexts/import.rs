//! `POST /v1/contexts/import`: a context from JSON lines (CP-9, CP-10).
//!
//! Decision: everybody can import what they exported. An import contains messages of others, and a caller may
//! not speak for others (CP-1): a message of a sender or type that the token does
//! not grant is stored with `metadata.imported: true`, so that it does not count as genuine. The
//! command line, which has the file, imports messages unchanged.

use super::create::unsupported;
use super::export::LINES;
use super::{ask, created, enter, named, note};
use crate::serve::app::App;
use crate::serve::caller::{Caller, Scope};
use crate::serve::door::query::Query;
use crate::serve::door::{Shared, answer, messages};
use crate::serve::exchange::speaker;
use crate::serve::operations::audit::Deed;
use axum::extract::{RawQuery, Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::Response;
use contexture::store::contexts::{ContextStore, Import, Origin, Review};
use contexture_protocol::Refusal;
use std::sync::Arc;

/// `POST /v1/contexts/import?contextId=`
pub(in crate::serve::door) async fn import(
    State(shared): State<Shared>,
    RawQuery(query): RawQuery,
    request: Request,
) -> Response {
    match take(&shared, query.as_deref(), request).await {
        Ok(response) => response,
        Err((refused, status)) => answer::refusal_with(&shared.app, refused, status),
    }
}

type Refused = (Refusal, Option<StatusCode>);

async fn take(shared: &Shared, query: Option<&str>, request: Request) -> Result<Response, Refused> {
    let plain = |refused| (refused, None);
    let caller = enter(shared, &request, &[Scope::Write]).map_err(plain)?;
    let query = Query::parse(query, &["contextId"]).map_err(plain)?;
    let id = query.text("contextId").map(str::to_owned);
    if let Some(id) = &id {
        named("?contextId", id).map_err(plain)?;
    }
    if !is_lines(request.headers()) {
        return Err(unsupported(LINES));
    }
    let body = messages::body(&shared.app, request).await.map_err(plain)?;
    let import = Import { context_id: id.clone(), review: Some(review(&shared.app, &caller)) };
    let head = ask(&shared.app, &caller, id.as_deref(), move |store: &dyn ContextStore, owner| {
        store.import(owner, &mut &*body, import)
    });
    let head = head.await.map_err(plain)?;
    note(shared, &caller, Deed::Imported, &head.context_id);
    Ok(created(&head, &head.to_value()))
}

fn is_lines(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    let kind = kind.unwrap_or_default().split(';').next().unwrap_or_default().trim();
    let known = [LINES, "application/jsonl", "application/json"];
    known.iter().any(|known| kind.eq_ignore_ascii_case(known))
}

/// Checks sender and type of each message.
fn review(app: &Arc<App>, caller: &Caller) -> Review {
    let (app, senders) = (Arc::clone(app), caller.grant.senders);
    Arc::new(move |message| {
        app.handlers.check(message, &app.limits)?;
        let speakers = [Some(message.sender.kind), speaker(message.kind())];
        let is_own = speakers.into_iter().flatten().all(|kind| senders.allow(kind));
        Ok(if is_own { Origin::Own } else { Origin::Foreign })
    })
}
