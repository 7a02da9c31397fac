//! `POST /v1/contexts/import`: a context from JSON lines (CP-9, CP-10).
//!
//! Decision: everybody can import what they exported. An import contains messages of others, and a caller may
//! not speak for others (CP-1, GU-11): a message of a sender or type that the token does
//! not grant, or signed with the name of another owner, is stored with `metadata.imported: true`, so that it does not count as genuine. The
//! command line, which has the file, imports messages unchanged.

use super::{LINES, check_id, created};
use crate::query::Query;
use crate::serve::app::App;
use crate::serve::caller::{Caller, Scope};
use crate::serve::exchange::rights::speaker;
use crate::serve::http::extract::Reader;
use crate::serve::http::messages;
use crate::serve::http::refused::{Answer, Refused};
use crate::serve::http::shared::Shared;
use crate::serve::operations::audit::AuditEvent;
use crate::web::media_type;
use axum::extract::{RawQuery, Request, State};
use contexture::store::contexts::{Import, Origin, Review};
use std::sync::Arc;

/// `POST /v1/contexts/import?contextId=`
pub(crate) async fn import(
    State(shared): State<Shared>,
    Reader(caller): Reader,
    RawQuery(query): RawQuery,
    request: Request,
) -> Answer {
    shared.require(&caller, &[Scope::Write])?;
    let query = Query::parse(query.as_deref(), &["contextId"])?;
    let id = query.text("contextId").map(str::to_owned);
    if let Some(id) = &id {
        check_id("?contextId", id)?;
    }
    let kind = media_type(request.headers());
    let known = [LINES, "application/jsonl", "application/json"];
    if !known.iter().any(|known| kind.eq_ignore_ascii_case(known)) {
        return Err(Refused::media_type(LINES));
    }
    let body = messages::body(&shared.app, request).await?;
    let import = Import { context_id: id.clone(), review: Some(review(&shared.app, &caller)) };
    let work = shared
        .ask(&caller, id.as_deref(), move |store, owner| store.import(owner, &mut &*body, import));
    let head = work.await?;
    shared.note(&caller, AuditEvent::ContextsImported, &head.context_id);
    Ok(created(&head, &head.to_value()))
}

/// Checks sender and type of each message.
fn review(app: &Arc<App>, caller: &Caller) -> Review {
    let (app, grant) = (Arc::clone(app), Arc::clone(&caller.grant));
    Arc::new(move |message| {
        app.handlers.check(message, &app.limits)?;
        let speakers = [Some(message.sender.kind), speaker(message.kind())];
        let is_own = speakers.into_iter().flatten().all(|kind| grant.senders.contains(&kind))
            && !app.tokens.is_of_another(&message.sender.id, &grant.owner);
        Ok(if is_own { Origin::Own } else { Origin::Foreign })
    })
}
