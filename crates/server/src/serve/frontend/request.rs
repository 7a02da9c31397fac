//! TOOL_CALL_REQUEST for front-end tools, as a model service sends it (CP-14).

use super::Forwarder;
use crate::serve::app::App;
use crate::serve::caller::Caller;
use crate::serve::exchange::Reply;
use crate::serve::runner::Runner;
use contexture::frontend::FrontendFailure;
use contexture_protocol::content::{
    Call, CallMode, CallResult, CallStatus, Failure, FallbackBehavior, ToolCallRequest,
    ToolCallResponse,
};
use contexture_protocol::{Body, ErrorCode, Message, Refusal};
use futures_util::future::join_all;
use serde_json::Map;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// Runs requests whose calls are all front-end tools.
#[derive(Debug, Default)]
pub(crate) struct FrontendRunner;

impl Runner for FrontendRunner {
    fn run(&self, app: &Arc<App>, caller: &Caller, message: Message, reply: Reply) {
        let Body::ToolCallRequest(request) = &message.body else {
            let text = "instruction sets are not run by this server";
            return reply.refuse(Refusal::new(ErrorCode::UnknownAction, text));
        };
        let known = Forwarder::new(app, caller, "", "");
        if let Some(other) =
            request.calls().iter().find(|call| !call.is_frontend() && !known.has(&call.name))
        {
            let text = format!("there is no tool `{}` here: no client announced it", other.name);
            return reply.refuse(Refusal::new(ErrorCode::UnknownAction, text));
        }
        let Some(context) = message.context_id.clone() else {
            return reply
                .refuse(Refusal::new(ErrorCode::ContextNotFound, "the request names no context"));
        };
        let forwarder = Forwarder::new(app, caller, &context, &message.message_id);
        let (app, request) = (Arc::clone(app), request.clone());
        let handle = app.handle.clone();
        handle.spawn(async move {
            let results = in_time(&forwarder, &request).await;
            let response = ToolCallResponse { results, ..ToolCallResponse::default() };
            reply.finish(app.maker.message(Some(&context), response.into()));
        });
    }
}

/// All calls, within the time that the whole request has (CP-2): what is late is TIMEOUT, and so is
/// what had not begun; what is done is kept.
async fn in_time(forwarder: &Forwarder, request: &ToolCallRequest) -> Vec<CallResult> {
    let limits = [&request.timeout, &request.frontend_timeout];
    let limit = limits.into_iter().flatten().map(|seconds| seconds.duration()).min();
    let done = Mutex::new(Vec::new());
    let Some(limit) = limit else {
        all(forwarder, request, &done).await;
        return ordered(request, done);
    };
    // What is under way when the time is over is told to its client, as it is dropped.
    let _ = tokio::time::timeout(limit, all(forwarder, request, &done)).await;
    ordered(request, done)
}

/// The results in the order of the request.
fn ordered(request: &ToolCallRequest, done: Mutex<Vec<(usize, CallResult)>>) -> Vec<CallResult> {
    let done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    let mut results: HashMap<usize, CallResult> = done.into_iter().collect();
    let calls = request.calls().iter().enumerate();
    calls.map(|(at, call)| results.remove(&at).unwrap_or_else(|| late(call))).collect()
}

async fn all(
    forwarder: &Forwarder,
    request: &ToolCallRequest,
    done: &Mutex<Vec<(usize, CallResult)>>,
) {
    let keep = |at: usize, result: CallResult| {
        done.lock().unwrap_or_else(PoisonError::into_inner).push((at, result));
    };
    if matches!(
        request.mode(),
        CallMode::Parallel | CallMode::Async | CallMode::ClientServerParallel
    ) {
        let each = request.calls().iter().enumerate();
        join_all(each.map(async |(at, call)| keep(at, one(forwarder, call).await))).await;
        return;
    }
    let mut is_aborted = false;
    for (at, call) in request.calls().iter().enumerate() {
        if is_aborted {
            keep(at, skipped(call));
            continue;
        }
        let result = one(forwarder, call).await;
        is_aborted =
            result.status != CallStatus::Success && call.fallback() == FallbackBehavior::Abort;
        keep(at, result);
    }
}

/// One call, and its alternative when it can't be run.
async fn one(forwarder: &Forwarder, call: &Call) -> CallResult {
    let began = Instant::now();
    let mut outcome = forwarder.ask(call.clone()).await;
    let is_well = |outcome: &Result<(CallResult, String), FrontendFailure>| {
        outcome.as_ref().is_ok_and(|(result, _)| result.status == CallStatus::Success)
    };
    if !is_well(&outcome)
        && call.fallback() == FallbackBehavior::UseAlternative
        && let Some(other) = &call.alternative
    {
        let parameters = other.parameters.clone().unwrap_or_else(|| call.parameters.clone());
        // A client that ran the first one must not take this for the same call.
        let id = format!("{}~alternative", call.call_id);
        outcome = forwarder.ask(Call::new(id, other.target(), parameters)).await;
    }
    let milliseconds = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
    match outcome {
        Ok((result, _)) => CallResult {
            call_id: call.call_id.clone(),
            execution_time: result.execution_time.clone().or(Some(milliseconds.into())),
            ..result
        },
        Err(failure) => {
            let FrontendFailure { code, message, details, .. } = failure;
            let error = Failure { code, message, details, extra: Map::new() };
            let result = CallResult::failed(&call.call_id, error);
            CallResult { execution_time: Some(milliseconds.into()), ..result }
        }
    }
}

fn late(call: &Call) -> CallResult {
    let error = Failure {
        code: ErrorCode::Timeout.as_str().to_owned(),
        message: "the time of the whole request was over".to_owned(),
        details: None,
        extra: Map::new(),
    };
    CallResult::failed(&call.call_id, error)
}

fn skipped(call: &Call) -> CallResult {
    let error = Failure {
        code: ErrorCode::DependencyFailed.as_str().to_owned(),
        message: "a call before this one failed, and nothing more of the request is started"
            .to_owned(),
        details: None,
        extra: Map::new(),
    };
    CallResult::failed(&call.call_id, error)
}
