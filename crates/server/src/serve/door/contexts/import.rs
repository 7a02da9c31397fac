//! `POST /v1/contexts/import`: a context from JSON lines (CP-9, CP-10).
//!
//! Decision: an import says who said what, so it takes messages of those alone for whom the caller
//! may speak (CP-1). The command line, which has the file, takes all.

use super::create::unsupported;
use super::export::LINES;
use super::{ask, created, enter, named, note};
use crate::serve::caller::{Caller, Scope, Senders};
use crate::serve::door::query::Query;
use crate::serve::door::{Shared, answer, messages};
use crate::serve::exchange::sender_forbidden;
use crate::serve::operations::audit::Deed;
use axum::body::Bytes;
use axum::extract::{RawQuery, Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::Response;
use contexture::store::contexts::{ContextStore, Import, complete};
use contexture_protocol::{ErrorCode, Limits, Message, Refusal};
use serde_json::{Map, Value};

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
    let senders = caller.grant.senders;
    let body = checked(body, senders, &caller).await.map_err(plain)?;
    let import = Import { context_id: id.clone() };
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

/// Holds all messages against the protocol and what the caller may say; off the threads that serve.
async fn checked(body: Bytes, senders: Senders, caller: &Caller) -> Result<Bytes, Refusal> {
    let user = caller.owner().to_string();
    let work = tokio::task::spawn_blocking(move || {
        let mut values = serde_json::Deserializer::from_slice(&body).into_iter::<Value>();
        let mut line = Line(0);
        // What is no JSON is told by the store, which counts the lines.
        while let Some(Ok(value)) = values.next() {
            let Value::Object(mut fields) = value else { break };
            if let Some(Value::Array(inside)) = fields.remove("messages") {
                for message in inside {
                    line.check(message, senders, &user)?;
                }
            }
            if fields.contains_key("messageId") {
                line.check(Value::Object(fields), senders, &user)?;
            }
        }
        Ok(body)
    });
    work.await.unwrap_or_else(|_| {
        Err(Refusal::new(ErrorCode::Internal, "the work on the import broke off"))
    })
}

/// Which message it is, from 1.
struct Line(usize);

impl Line {
    fn check(&mut self, message: Value, senders: Senders, user: &str) -> Result<(), Refusal> {
        self.0 = self.0.saturating_add(1);
        // The store says what is wrong with one that is no object.
        let Value::Object(mut fields) = message else { return Ok(()) };
        let is_whole =
            ["messageId", "type", "content"].iter().all(|name| fields.contains_key(*name));
        if !is_whole {
            return Ok(());
        }
        fill(&mut fields, user);
        let message = Message::from_value(Value::Object(fields), &Limits::FILE);
        let message = message.map_err(|refused| self.inside(*refused))?;
        if senders.allow(message.sender.kind) {
            return Ok(());
        }
        let refused = sender_forbidden(message.sender.kind).suggest(
            "Import it with `contexture context import` where the server runs, or use a token that may send as all of them.",
        );
        Err(self.inside(refused))
    }

    fn inside(&self, mut refused: Refusal) -> Refusal {
        refused.message = format!("message {} of the import: {}", self.0, refused.message);
        refused.message_id = None;
        refused.context_id = None;
        refused.detail("message", self.0)
    }
}

/// The envelope as the store fills it in.
fn fill(fields: &mut Map<String, Value>, user: &str) {
    complete(fields, "ctx_import", 0, user);
    fields.insert("contextId".to_owned(), "ctx_import".into());
}
