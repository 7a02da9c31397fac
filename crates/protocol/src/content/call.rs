//! TOOL_CALL_REQUEST and TOOL_CALL_RESPONSE (FL-1, CP-13).

use super::recovery::{Failure, Fallback, FallbackBehavior, Recovery};
use crate::node::Fields;
use crate::number::{Millis, Seconds};
use crate::record::{record, words};
use crate::report::{Place, Report};
use serde_json::{Map, Value};

record! {
    /// A request to call tools (3.3). The list may be named `toolCalls` as well (4.1, 4.6.1); the
    /// name is kept as written.
    #[derive(Default)]
    pub struct ToolCallRequest, check = one_list, transform = schema_of_request {
        /// The calls.
        optional calls: Option<Vec<Call>> = "calls",
        /// The calls, under the name they have in a MODEL_RESPONSE.
        optional tool_calls: Option<Vec<Call>> = "toolCalls",
        /// The execution mode; `SYNC` if absent.
        optional execution_mode: Option<CallMode> = "executionMode",
        /// The timeout of the whole request.
        optional timeout: Option<Seconds> = "timeout",
        /// The common timeout of the calls of front-end tools (4.6.2).
        optional frontend_timeout: Option<Seconds> = "frontendTimeout",
        /// The common timeout of the other calls (4.6.2).
        optional backend_timeout: Option<Seconds> = "backendTimeout",
    }
}

impl ToolCallRequest {
    /// Creates a request with these calls.
    #[must_use]
    pub fn new(calls: Vec<Call>) -> Self {
        Self { calls: Some(calls), ..Self::default() }
    }

    /// Returns the calls, under either name.
    #[must_use]
    pub fn calls(&self) -> &[Call] {
        self.calls.as_deref().or(self.tool_calls.as_deref()).unwrap_or_default()
    }

    /// Returns the calls, under either name.
    #[must_use]
    pub fn into_calls(self) -> Vec<Call> {
        self.calls.or(self.tool_calls).unwrap_or_default()
    }

    /// Returns the execution mode.
    #[must_use]
    pub fn mode(&self) -> CallMode {
        self.execution_mode.unwrap_or_default()
    }
}

fn one_list(map: &Fields<'_>, at: &Place<'_>, report: &mut Report<'_>) {
    match (map.has("calls"), map.has("toolCalls")) {
        (false, false) => report.missing(at, "calls", "an array of calls"),
        (true, true) => {
            let place = at.key("toolCalls");
            report.add(&place, "nothing, since calls is present", "a second list".to_owned());
        }
        _ => {}
    }
}

fn schema_of_request(schema: &mut schemars::Schema) {
    let has = |name: &str| serde_json::json!({"required": [name], "properties": {name: {"type": "array"}}});
    schema.insert("oneOf".to_owned(), Value::from(vec![has("calls"), has("toolCalls")]));
}

record! {
    /// One call of a tool (4.1, 4.5.2).
    #[derive(Default)]
    pub struct Call {
        /// Its id, unique in its request.
        id call_id: String = "callId",
        /// The name of the tool, case-sensitive; of a front-end tool, its toolId.
        required name: String = "name",
        /// The arguments of the tool.
        required parameters: Map<String, Value> = "parameters",
        /// The purpose of the call.
        optional description: Option<String> = "description",
        /// The ids of calls that must end before it starts.
        optional required_after: Option<Vec<String>> = "requiredAfter",
        /// The timeout of the call.
        optional timeout: Option<Seconds> = "timeout",
        /// The side that runs it; if absent, the side where the tool is registered.
        optional runtime: Option<Runtime> = "runtime",
        /// The recovery if it fails (CP-18).
        optional recovery: Option<Recovery> = "recovery",
        /// The question to the user before a front-end tool runs.
        optional user_prompt: Option<String> = "userPrompt",
        /// The behaviour if a front-end tool cannot be run; `ABORT` if absent.
        optional fallback_behavior: Option<FallbackBehavior> = "fallbackBehavior",
        /// The replacement, with `USE_ALTERNATIVE`.
        optional alternative: Option<Fallback> = "alternative",
        /// Display settings of a front-end tool.
        optional ui_settings: Option<Map<String, Value>> = "uiSettings",
        /// The timeout in the client.
        optional timeout_client: Option<Seconds> = "timeoutClient",
    }
}

impl Call {
    /// Creates a call with parameters only.
    #[must_use]
    pub fn new(
        call_id: impl Into<String>,
        name: impl Into<String>,
        parameters: Map<String, Value>,
    ) -> Self {
        Self { call_id: call_id.into(), name: name.into(), parameters, ..Self::default() }
    }

    /// Reports whether it is marked for the front end.
    #[must_use]
    pub fn is_frontend(&self) -> bool {
        self.runtime == Some(Runtime::Frontend)
    }

    /// Returns the behaviour if a front-end tool cannot be run.
    #[must_use]
    pub fn fallback(&self) -> FallbackBehavior {
        self.fallback_behavior.unwrap_or_default()
    }
}

words! {
    /// The execution mode of a request's calls (4.3, 4.6.2).
    #[derive(Default)]
    pub enum CallMode {
        /// One after another, one response.
        #[default]
        Sync = "SYNC",
        /// Acknowledged at once, with a response for each call when it ends.
        Async = "ASYNC",
        /// All at once, one response.
        Parallel = "PARALLEL",
        /// One after another, one response.
        Sequential = "SEQUENTIAL",
        /// All front-end tools, then the others.
        FrontendFirst = "FRONTEND_FIRST",
        /// All others, then the front-end tools.
        BackendFirst = "BACKEND_FIRST",
        /// Both sides at once, each in its order.
        ClientServerParallel = "CLIENT_SERVER_PARALLEL",
    }
}

words! {
    /// The side that runs a tool.
    pub enum Runtime {
        /// In a client.
        Frontend = "FRONTEND",
        /// In the server.
        Backend = "BACKEND",
    }
}

record! {
    /// The result of a request (3.4).
    #[derive(Default)]
    pub struct ToolCallResponse {
        /// A result for each call, in the order of the request.
        required results: Vec<CallResult> = "results",
    }
}

record! {
    /// The result of one call (4.4, 4.5.4).
    pub struct CallResult {
        /// The call.
        id call_id: String = "callId",
        /// The status.
        required status: CallStatus = "status",
        /// The result value: any JSON. The tools of the server use the names `value`, `unit`,
        /// `confidence`, `source` and `timestamp` where they apply (4.4).
        any result: Option<Value> = "result",
        /// The error, with `ERROR` or `TIMEOUT`.
        optional error: Option<Failure> = "error",
        /// The time from the request to the result.
        optional execution_time: Option<Millis> = "executionTime",
        /// The client that ran it.
        optional client_info: Option<Map<String, Value>> = "clientInfo",
    }
}

impl CallResult {
    /// Creates the result of a successful call.
    #[must_use]
    pub fn success(call_id: impl Into<String>, result: Value) -> Self {
        Self { result: Some(result), ..Self::of(call_id.into(), CallStatus::Success) }
    }

    /// Creates the result of a failed call; the status follows from the code.
    #[must_use]
    pub fn failed(call_id: impl Into<String>, error: Failure) -> Self {
        let is_late = error.code == crate::error::ErrorCode::Timeout.as_str();
        let status = if is_late { CallStatus::Timeout } else { CallStatus::Error };
        Self { error: Some(error), ..Self::of(call_id.into(), status) }
    }

    fn of(call_id: String, status: CallStatus) -> Self {
        Self {
            call_id,
            status,
            result: None,
            error: None,
            execution_time: None,
            client_info: None,
            extra: Map::new(),
        }
    }
}

words! {
    /// The status of a finished call, on the wire.
    pub enum CallStatus {
        /// It succeeded.
        Success = "SUCCESS",
        /// It failed, or was not run.
        Error = "ERROR",
        /// It timed out.
        Timeout = "TIMEOUT",
    }
}
