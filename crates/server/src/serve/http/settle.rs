//! `/v1/flows/{id}/settle` and `/v1/runs/{id}/settle`: what came of an effect whose outcome is not known, as
//! a person says (WA-4).

use super::answer;
use super::contexts::create::object;
use super::extract::{Counted, Named};
use super::refused::{Answer, Refused};
use super::shared::Shared;
use super::{flows, runs};
use crate::serve::caller::{Caller, Scope};
use crate::serve::flows::settle;
use crate::serve::operations::audit::{AuditEvent, AuditRecord};
use crate::serve::turn::again;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use contexture::durable::Settlement;
use contexture_protocol::{ErrorCode, Refusal};
use serde_json::{Map, Value, json};

/// `POST /v1/flows/{id}/settle`
pub(super) async fn flow(
    State(shared): State<Shared>,
    Named(id): Named,
    Counted(caller): Counted,
    request: Request,
) -> Answer {
    shared.require(&caller, &[Scope::Run])?;
    let (step, settlement) = given(object(&shared, request).await?)?;
    let run = flows::named(&shared, &caller, id).await?.run;
    let left = settle::settle(&shared.app, &run, &step, settlement).await.map_err(status)?;
    note(&shared, &caller, (&run, &step));
    Ok(answer::value(&json!({ "run": run, "inDoubt": left })))
}

/// `POST /v1/runs/{id}/settle`
pub(super) async fn run(
    State(shared): State<Shared>,
    Named(id): Named,
    Counted(caller): Counted,
    request: Request,
) -> Answer {
    shared.require(&caller, &[Scope::Run])?;
    let (call, settlement) = given(object(&shared, request).await?)?;
    runs::find(&shared, &caller, &id).await?;
    let owner = if caller.inspects() { None } else { Some(&**caller.owner()) };
    let left = again::settle(&shared.app, &id, owner, (&call, settlement)).await;
    let left = left.map_err(status)?;
    note(&shared, &caller, (&id, &call));
    Ok(answer::value(&json!({ "run": id, "inDoubt": left })))
}

/// Reads a body: `{call, outcome: "done", result}`, or `again` or `failed` without a result.
fn given(mut body: Map<String, Value>) -> Result<(String, Settlement), Refusal> {
    let wrong = |pointer: &str, expected: &str, found: &str| {
        let text = format!("the body is not what came of a call: {pointer}");
        Refusal::new(ErrorCode::ValidationFailed, text).violation(pointer, expected, found)
    };
    let call = match body.remove("call") {
        Some(Value::String(call)) => call,
        other => return Err(wrong("/call", "the call or step, a text", kind(other.as_ref()))),
    };
    let result = body.remove("result");
    let outcome = body.remove("outcome");
    let settlement = match (outcome.as_ref().and_then(Value::as_str), result) {
        (Some("done"), Some(result)) => Settlement::Done(result),
        (Some("done"), None) => return Err(wrong("/result", "what it gave", "nothing")),
        (Some("again" | "failed"), Some(_)) => {
            return Err(wrong("/result", "nothing, as it was not done", "a value"));
        }
        (Some("again"), None) => Settlement::Again,
        (Some("failed"), None) => Settlement::Failed,
        _ => return Err(wrong("/outcome", "done, again or failed", kind(outcome.as_ref()))),
    };
    match body.keys().next() {
        Some(name) => Err(wrong(&format!("/{name}"), "call, outcome, result", "this name")),
        None => Ok((call, settlement)),
    }
}

fn kind(value: Option<&Value>) -> &str {
    match value {
        None => "nothing",
        Some(Value::String(text)) => text,
        Some(_) => "another value",
    }
}

fn status(refused: Refusal) -> Refused {
    match refused.code {
        ErrorCode::UnknownId => Refused::with_status(refused, StatusCode::NOT_FOUND),
        ErrorCode::RunUnderWay | ErrorCode::OutcomeUncertain => {
            Refused::with_status(refused, StatusCode::CONFLICT)
        }
        _ => refused.into(),
    }
}

fn note(shared: &Shared, caller: &Caller, (run, call): (&str, &str)) {
    let record = AuditRecord::new(AuditEvent::EffectSettled).by(caller);
    shared.app.audit.note(&record.with("run", run).with("callId", call));
}
