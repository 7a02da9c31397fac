//! `/v1/waits`: calls and questions that wait, to read, answer and cancel (WA-1).

use super::answer;
use super::contexts::create::object;
use super::contexts::read::page_of;
use super::extract::{Named, Reader};
use super::refused::{Answer, Refused};
use super::shared::Shared;
use crate::query::Query;
use crate::serve::caller::{Caller, Scope};
use crate::serve::exchange::results::{ended, unkept};
use crate::serve::exchange::rights::check_sender;
use crate::serve::frontend::calls::{self, Answer as Given};
use crate::serve::operations::audit::{AuditEvent, AuditRecord};
use crate::serve::waits::{cancelled, chosen, result_of, value_of};
use axum::extract::{RawQuery, Request, State};
use axum::http::StatusCode;
use axum::response::IntoResponse as _;
use contexture::store::flows::{Answered, Wait, WaitFilter, WaitKind, WaitState};
use contexture_protocol::content::CallResult;
use contexture_protocol::{ErrorCode, Refusal, SenderType};
use serde_json::{Value, json};

/// The most waits of a page.
const PAGE: usize = 1_000;

/// `GET /v1/waits?contextId=&after=&limit=`
pub(super) async fn list(
    State(shared): State<Shared>,
    Reader(caller): Reader,
    RawQuery(query): RawQuery,
) -> Answer {
    shared.require(&caller, &[Scope::Read])?;
    let query = Query::parse(query.as_deref(), &["contextId", "after", "limit"])?;
    let limit = query.limit(PAGE)?;
    let filter = WaitFilter {
        owner: Some(caller.owner().to_string()),
        context: query.text("contextId").map(str::to_owned),
        state: Some(WaitState::Open),
        after: query.number("after")?.unwrap_or(0),
        limit: limit + 1,
        ..WaitFilter::default()
    };
    let mut found = find(&shared, filter).await?;
    let has_more = found.len() > limit;
    found.truncate(limit);
    let next = found.last().filter(|_| has_more).map(|last| last.place);
    let waits: Vec<Value> = found.iter().map(value_of).collect();
    Ok(page_of(json!({ "waits": waits }), next))
}

/// `POST /v1/waits/{callId}?contextId=`
pub(super) async fn respond(
    State(shared): State<Shared>,
    Named(call): Named,
    Reader(caller): Reader,
    RawQuery(query): RawQuery,
    request: Request,
) -> Answer {
    let body = object(&shared, request).await?;
    let result = result_of(&call, Value::Object(body))?;
    let wait = named(&shared, &caller, &call, query.as_deref()).await?;
    if wait.kind == WaitKind::Permission {
        // A model service does not answer its own question.
        check_sender(&caller, SenderType::User)?;
    }
    give(&shared, &caller, &wait, result).await?;
    Ok(answer::value(&json!({ "callId": call, "contextId": wait.id.context })))
}

/// `DELETE /v1/waits/{callId}?contextId=`
pub(super) async fn cancel(
    State(shared): State<Shared>,
    Named(call): Named,
    Reader(caller): Reader,
    RawQuery(query): RawQuery,
) -> Answer {
    let wait = named(&shared, &caller, &call, query.as_deref()).await?;
    give(&shared, &caller, &wait, cancelled(&call)).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

async fn find(shared: &Shared, filter: WaitFilter) -> Result<Vec<Wait>, Refusal> {
    let found = shared.app.calls.find(filter).await;
    found.map_err(|error| unkept(&shared.app, &error))
}

async fn named(
    shared: &Shared,
    caller: &Caller,
    call: &str,
    query: Option<&str>,
) -> Result<Wait, Refused> {
    shared.require(caller, &[Scope::Run])?;
    let query = Query::parse(query, &["contextId"])?;
    let filter = WaitFilter {
        owner: Some(caller.owner().to_string()),
        context: query.text("contextId").map(str::to_owned),
        call: Some(call.to_owned()),
        ..WaitFilter::default()
    };
    let known = find(shared, filter).await?;
    chosen(known, call).map_err(|refused| match refused.code {
        ErrorCode::UnknownId => Refused::with_status(refused, StatusCode::NOT_FOUND),
        _ => Refused::with_status(refused, StatusCode::CONFLICT),
    })
}

async fn give(
    shared: &Shared,
    caller: &Caller,
    wait: &Wait,
    result: CallResult,
) -> Result<(), Refused> {
    let app = &shared.app;
    // The client that has the call need not do it any more.
    calls::take_back(app, wait);
    let record = AuditRecord::new(AuditEvent::WaitAnswered).by(caller);
    let record = record.with("contextId", wait.id.context.as_str());
    let record = record.with("callId", wait.id.call.as_str());
    let given = Given { result, client: wait.client.clone() };
    match calls::answer(app, &wait.id, given).await {
        Ok(Answered::Taken(_)) => {
            app.audit.note(&record.with("outcome", "OK"));
            Ok(())
        }
        Ok(_) => Err(Refused::with_status(ended(), StatusCode::CONFLICT)),
        Err(error) => Err(unkept(app, &error).into()),
    }
}
