//! Permission of the user for sensitive actions (CP-14, CP-19).
//!
//! Decision: the question is a call of a front-end tool that the protocol leaves to the
//! client, [`CONFIRM_TOOL`], so that all rules of such calls apply: it reaches a client
//! that reconnected, it can be cancelled, it times out. No answer means no. A yes to `USER_CONSENT`
//! applies to the session of the client that gave it, and to the same parameters (GU-11).

use super::sending::Outcome;
use super::step::StepCall;
use super::target::{CONFIRM_TOOL, Forwarder};
use crate::masking;
use crate::serve::operations::audit::{AuditEvent, AuditRecord};
use contexture::config::Serve;
use contexture::context::Digest;
use contexture::frontend::{CLIENT_UNAVAILABLE, FrontendFailure, PERMISSION_DENIED, TIMEOUT};
use contexture::llm::BoxFuture;
use contexture::permission::{Action, Permission};
use contexture::store::flows::Wait;
use contexture_protocol::content::{Call, CallResult, CallStatus, PermissionLevel, Runtime};
use contexture_protocol::{Seconds, canonical};
use serde_json::{Map, Value, json};
use std::sync::Arc;
use std::time::Duration;

impl Permission for Forwarder {
    fn ask<'a>(&'a self, action: Action<'a>) -> BoxFuture<'a, Result<(), FrontendFailure>> {
        Box::pin(async move {
            let of_call = action.call.and_then(|call| self.of_call(call));
            allowed(of_call.as_ref().unwrap_or(self), action).await
        })
    }
}

/// Asks about an action, or goes on with a question that was asked before.
async fn allowed(forwarder: &Forwarder, action: Action<'_>) -> Result<(), FrontendFailure> {
    let earlier = forwarder.step.as_ref().and_then(StepCall::earlier_question);
    if let Some(wait) = earlier {
        return of_earlier(forwarder, wait, action.name).await;
    }
    let set = backend_level(&forwarder.app.project.config.serve, &action);
    // A given question is always asked.
    let asks = action.prompt.is_some_and(|prompt| !prompt.trim().is_empty());
    let level = if asks || action.policy.is_some() { PermissionLevel::AlwaysAsk } else { set };
    permitted(forwarder, Runtime::Backend, level, action).await
}

/// Asks about a front-end tool when the settings are stricter than its client.
pub(super) async fn of_frontend(
    forwarder: &Forwarder,
    call: &Call,
    own: Option<PermissionLevel>,
) -> Result<(), FrontendFailure> {
    let set = forwarder.app.project.config.serve.permissions.frontend.of(&call.name);
    if call.name == CONFIRM_TOOL || set <= own.unwrap_or(PermissionLevel::None) {
        return Ok(());
    }
    let prompt = call.user_prompt.as_deref();
    let (parameters, step) = (&call.parameters, None);
    let (name, target) = (&*call.name, &*call.name);
    let action = Action { name, target, parameters, policy: None, prompt, step, call: None };
    permitted(forwarder, Runtime::Frontend, set, action).await
}

/// Returns when the user is asked about an action of the server: of a named tool the strictest of what
/// its name, its own setting and its target say.
fn backend_level(serve: &Serve, action: &Action<'_>) -> PermissionLevel {
    let own = serve.tools.get(action.name).map(|tool| tool.permission);
    let named = [action.name, action.target].map(|name| serve.permissions.backend.of(name));
    named.into_iter().chain(own).max().unwrap_or(PermissionLevel::None)
}

/// Goes on with a question that was asked before a restart.
pub(super) async fn of_earlier(
    forwarder: &Forwarder,
    wait: Wait,
    action: &str,
) -> Result<(), FrontendFailure> {
    let id = wait.id.clone();
    let outcome = heard(forwarder.rejoined(wait).await, action);
    // What it allows begins after this: a crash then does not ask for it again.
    forwarder.used(&id).await;
    note(forwarder, Runtime::Backend, action, outcome.as_ref().map(|()| true));
    outcome
}

/// Waits for the permission of the user where it is needed.
async fn permitted(
    forwarder: &Forwarder,
    side: Runtime,
    level: PermissionLevel,
    action: Action<'_>,
) -> Result<(), FrontendFailure> {
    if level == PermissionLevel::None {
        return Ok(());
    }
    let asked = asked(forwarder, side, level, action).await;
    note(forwarder, side, action.name, asked.as_ref().copied());
    asked.map(drop)
}

/// Writes the outcome of a question to the audit log.
fn note(forwarder: &Forwarder, side: Runtime, action: &str, asked: Result<bool, &FrontendFailure>) {
    let outcome = match asked {
        Ok(true) => "ALLOWED",
        Ok(false) => "ALLOWED_BEFORE",
        Err(failure) if failure.code == TIMEOUT => TIMEOUT,
        Err(_) => PERMISSION_DENIED,
    };
    let record = AuditRecord::new(AuditEvent::PermissionAsked)
        .with("owner", &*forwarder.owner)
        .with("action", action)
        .with("runtime", side.as_str())
        .with("contextId", forwarder.context.as_str())
        .with("messageId", forwarder.message.as_str())
        .with("outcome", outcome);
    forwarder.app.audit.note(&record);
    forwarder.app.metrics.permissions.count(outcome, "");
}

/// Asks the user unless an earlier yes applies; reports whether the user was asked.
async fn asked(
    forwarder: &Forwarder,
    side: Runtime,
    level: PermissionLevel,
    action: Action<'_>,
) -> Result<bool, FrontendFailure> {
    let Ok(target) = forwarder.target(CONFIRM_TOOL, Runtime::Frontend) else {
        let why = "no client that could ask the user is connected";
        if action.policy.is_some() {
            return Err(FrontendFailure::new(CLIENT_UNAVAILABLE, why));
        }
        return Err(no(action.name, why, CLIENT_UNAVAILABLE));
    };
    let session = Arc::clone(&target.session);
    let parameters = Digest::of_text(&canonical(&json!(action.parameters)));
    let consent = (side, action.name.to_owned(), parameters);
    let may_have = level == PermissionLevel::UserConsent;
    if may_have && session.has_consent(&consent) {
        return Ok(false);
    }
    let question = question(forwarder, side, action);
    let seconds = forwarder.app.project.config.serve.permissions.seconds.get();
    let patience = Duration::from_secs(seconds);
    let mut waiting = forwarder.opened(&target, question, patience).await?;
    let id = waiting.id().clone();
    // One question at a time: an answer may apply to the next question.
    let turn = tokio::select! {
        answered = waiting.heard() => Err(answered),
        turn = session.asking() => Ok(turn),
    };
    let outcome = match turn {
        Err(answered) => heard(answered, action.name),
        Ok(_) if may_have && session.has_consent(&consent) => {
            waiting.over();
            forwarder.app.calls.end(&id).await;
            return Ok(false);
        }
        Ok(_turn) => {
            waiting.hand_to(&session);
            heard(waiting.within(patience).await, action.name)
        }
    };
    // What it allows begins after this: a crash then does not ask for it again.
    forwarder.used(&id).await;
    outcome?;
    if may_have {
        session.consent(consent);
    }
    Ok(true)
}

/// Reads the answer of the user, however it came.
fn heard(outcome: Outcome, action: &str) -> Result<(), FrontendFailure> {
    let (result, _) = outcome.map_err(|failure| match failure.code.as_str() {
        TIMEOUT => late(action),
        code => no(action, &failure.message, code),
    })?;
    answered(&result, action)
}

fn question(forwarder: &Forwarder, side: Runtime, action: Action<'_>) -> Call {
    let app = &forwarder.app;
    let id = forwarder.step.as_ref().map_or_else(|| app.maker.id("ask"), StepCall::question);
    let seconds = app.project.config.serve.permissions.seconds.get();
    let mut parameters = Map::from_iter([
        ("action".to_owned(), json!(action.name)),
        ("runtime".to_owned(), json!(side.as_str())),
        ("parameters".to_owned(), json!(masking::parameters(action.parameters))),
    ]);
    if let Some(decision) = action.policy {
        parameters.insert("class".to_owned(), json!(decision.class));
        parameters.insert("sources".to_owned(), json!(decision.influence));
    }
    let words = action.prompt.filter(|prompt| !prompt.trim().is_empty());
    let prompt = words.map_or_else(|| format!("Allow `{}`?", action.name), masking::text);
    Call {
        user_prompt: Some(prompt),
        timeout_client: Some(Seconds::from_duration(Duration::from_secs(seconds))),
        runtime: Some(Runtime::Frontend),
        ..Call::new(id, CONFIRM_TOOL, parameters)
    }
}

/// Reads the answer of the user from the result of the client.
fn answered(result: &CallResult, action: &str) -> Result<(), FrontendFailure> {
    if result.status == CallStatus::Success {
        let value = result.result.as_ref().unwrap_or(&Value::Null);
        let allowed = value.get("allowed").unwrap_or(value) == &Value::Bool(true);
        return if allowed { Ok(()) } else { Err(denied(action)) };
    }
    match result.error.as_ref().map(|error| error.code.as_str()) {
        Some(PERMISSION_DENIED) => Err(denied(action)),
        Some(TIMEOUT) => Err(late(action)),
        _ if result.status == CallStatus::Timeout => Err(late(action)),
        code => {
            Err(no(action, "the client could not ask the user", code.unwrap_or("EXECUTION_FAILED")))
        }
    }
}

fn denied(action: &str) -> FrontendFailure {
    FrontendFailure::new(PERMISSION_DENIED, format!("the user did not allow `{action}`"))
}

fn late(action: &str) -> FrontendFailure {
    let text = format!("nobody answered in time whether `{action}` is allowed");
    FrontendFailure::new(TIMEOUT, text)
}

/// Returns the error about a missing permission.
fn no(action: &str, why: &str, code: &str) -> FrontendFailure {
    let text = format!("the user has to allow `{action}`, and {why}");
    let details = json!({ "reason": code });
    FrontendFailure { details: Some(details), ..FrontendFailure::new(PERMISSION_DENIED, text) }
}
