//! Tool calls of a model and their results, as messages (CP-5).

use crate::serve::app::App;
use contexture::prompt::ToolCall;
use contexture::turn::{Call as TurnCall, Runtime, ToolFailure};
use contexture_protocol::ErrorCode;
use contexture_protocol::content::{
    Call, CallResult, Failure, Runtime as WireRuntime, ToolCallResponse,
};
use serde_json::{Map, Value};
use std::collections::HashSet;

/// The sentence of a tool of this side that failed.
pub(super) const FAILED: &str = "the tool failed";

/// The tool calls of one answer of a model, until each has its result.
#[derive(Default)]
pub(super) struct Round {
    calls: Vec<(String, Runtime)>,
    results: Vec<CallResult>,
}

/// The results of one side of a round.
pub(super) struct Results {
    pub(super) runtime: Runtime,
    pub(super) content: ToolCallResponse,
}

impl Round {
    pub(super) fn new(calls: &[TurnCall]) -> Self {
        let calls = calls.iter().map(|call| (call.call_id.clone(), call.runtime)).collect();
        Self { calls, results: Vec::new() }
    }

    /// Takes a result. Returns all results, by side and in the order of the calls, after the last one.
    pub(super) fn take(&mut self, result: CallResult) -> Vec<Results> {
        self.results.push(result);
        if self.results.len() < self.calls.len() { Vec::new() } else { self.flush() }
    }

    /// Returns the results so far, when the turn ended early.
    pub(super) fn flush(&mut self) -> Vec<Results> {
        let calls = std::mem::take(&mut self.calls);
        let mut results = std::mem::take(&mut self.results);
        let place = |id: &str| calls.iter().position(|(call, _)| call == id);
        results.sort_by_key(|result| place(&result.call_id));
        let side = |id: &str| calls.iter().find(|(call, _)| call == id).map(|(_, side)| *side);
        let of = |runtime: Runtime| {
            let own = |one: &&CallResult| side(&one.call_id).unwrap_or(Runtime::Backend) == runtime;
            let results: Vec<_> = results.iter().filter(own).cloned().collect();
            let content = ToolCallResponse { results, ..ToolCallResponse::default() };
            (!content.results.is_empty()).then_some(Results { runtime, content })
        };
        [of(Runtime::Backend), of(Runtime::Frontend)].into_iter().flatten().collect()
    }
}

/// Converts a call for a MODEL_RESPONSE.
pub(super) fn call(call: TurnCall) -> Call {
    let runtime = matches!(call.runtime, Runtime::Frontend).then_some(WireRuntime::Frontend);
    let parameters = match call.parameters {
        Value::Object(fields) => fields,
        // A model may write another value than an object: it is shown unchanged.
        other => Map::from_iter([("value".to_owned(), other)]),
    };
    Call { runtime, ..Call::new(call.call_id, call.name, parameters) }
}

/// The field of arguments that are not a JSON object.
const RAW: &str = "value";

/// Converts a call of a tool of the client that asked (WA-8).
pub(crate) fn left(call: ToolCall) -> Call {
    let parameters = match serde_json::from_str(&call.function.arguments) {
        Ok(Value::Object(fields)) => fields,
        _ => Map::from_iter([(RAW.to_owned(), call.function.arguments.into())]),
    };
    let runtime = Some(WireRuntime::Frontend);
    Call { runtime, ..Call::new(call.id, call.function.name, parameters) }
}

/// Converts such a call back.
pub(crate) fn of_client(call: Call) -> ToolCall {
    let arguments = match call.parameters.get(RAW) {
        Some(Value::String(raw)) if call.parameters.len() == 1 => raw.clone(),
        _ => Value::Object(call.parameters).to_string(),
    };
    ToolCall::function(call.call_id, call.name, arguments)
}

/// Gives an id to each call that has none of its own.
pub(crate) fn identified(app: &App, mut calls: Vec<ToolCall>) -> Vec<ToolCall> {
    let mut known = HashSet::new();
    for call in &mut calls {
        if call.id.is_empty() || !known.insert(call.id.clone()) {
            call.id = app.maker.id("call");
        }
    }
    calls
}

/// Converts a result for a TOOL_CALL_RESPONSE.
pub(super) fn result(
    call_id: String,
    outcome: Result<Value, ToolFailure>,
    milliseconds: u64,
) -> CallResult {
    let result = match outcome {
        Ok(value) => CallResult::success(call_id, value),
        Err(error) => CallResult::failed(call_id, failure(error)),
    };
    CallResult { execution_time: Some(milliseconds.into()), ..result }
}

/// Converts a failure to a code of the protocol; another code is added to the details.
fn failure(error: ToolFailure) -> Failure {
    let code = match ErrorCode::parse(&error.code) {
        Some(known) => known,
        None if error.code == "timeout" => ErrorCode::Timeout,
        None => ErrorCode::ExecutionFailed,
    };
    let mut details = match error.details {
        Some(Value::Object(fields)) => fields,
        Some(other) => Map::from_iter([("value".to_owned(), other)]),
        None => Map::new(),
    };
    if code.as_str() != error.code {
        details.insert("code".to_owned(), error.code.into());
    }
    let details = (!details.is_empty()).then_some(Value::Object(details));
    Failure { code: code.as_str().to_owned(), message: error.message, details, extra: Map::new() }
}
