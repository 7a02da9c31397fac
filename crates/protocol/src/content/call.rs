//! TOOL_CALL_REQUEST and TOOL_CALL_RESPONSE (FL-1, CP-13).

use super::{Failure, Recovery};
use crate::node::Fields;
use crate::number::{Millis, Seconds};
use crate::record::{record, words};
use crate::report::{Place, Report};
use serde_json::{Map, Value};

record! {
    /// A wish that tools be called (3.3). The list may be named `toolCalls` as well (4.1, 4.6.1);
    /// which name was written is kept.
    #[derive(Default)]
    pub struct ToolCallRequest, check = one_list, transform = schema_of_request {
        /// The calls.
        optional calls: Option<Vec<Call>> = "calls",
        /// The calls, under the name they have in a MODEL_RESPONSE.
        optional tool_calls: Option<Vec<Call>> = "toolCalls",
        /// How they are run; `SYNC` if absent.
        optional execution_mode: Option<CallMode> = "executionMode",
        /// How long the whole request may take.
        optional timeout: Option<Seconds> = "timeout",
        /// How long the calls of front-end tools may take together (4.6.2).
        optional frontend_timeout: Option<Seconds> = "frontendTimeout",
        /// How long the other calls may take together (4.6.2).
        optional backend_timeout: Option<Seconds> = "backendTimeout",
    }
}

impl ToolCallRequest {
    /// A request with these calls.
    #[must_use]
    pub fn new(calls: Vec<Call>) -> Self {
        Self { calls: Some(calls), ..Self::default() }
    }

    /// The calls, under whichever name they came.
    #[must_use]
    pub fn calls(&self) -> &[Call] {
        self.calls.as_deref().or(self.tool_calls.as_deref()).unwrap_or_default()
    }

    /// The calls, under whichever name they came.
    #[must_use]
    pub fn into_calls(self) -> Vec<Call> {
        self.calls.or(self.tool_calls).unwrap_or_default()
    }

    /// How they are run.
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
            report.add(&place, "nothing, since calls is there", "a second list".to_owned());
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
        /// The tool; upper and lower case are not the same. Of a front-end tool: its toolId.
        required name: String = "name",
        /// What the tool is given.
        required parameters: Map<String, Value> = "parameters",
        /// What it is for.
        optional description: Option<String> = "description",
        /// Calls that must have ended before.
        optional required_after: Option<Vec<String>> = "requiredAfter",
        /// How long it may take.
        optional timeout: Option<Seconds> = "timeout",
        /// On which side it runs; if absent, where the tool is registered.
        optional runtime: Option<Runtime> = "runtime",
        /// What happens when it fails (CP-18).
        optional recovery: Option<Recovery> = "recovery",
        /// What the user is asked before a front-end tool runs.
        optional user_prompt: Option<String> = "userPrompt",
        /// What happens when a front-end tool cannot be run; `ABORT` if absent.
        optional fallback_behavior: Option<FallbackBehavior> = "fallbackBehavior",
        /// What runs instead, with `USE_ALTERNATIVE`.
        optional alternative: Option<Fallback> = "alternative",
        /// How a front-end tool shows itself.
        optional ui_settings: Option<Map<String, Value>> = "uiSettings",
        /// How long it may take in the client.
        optional timeout_client: Option<Seconds> = "timeoutClient",
    }
}

impl Call {
    /// A call with parameters and nothing else.
    #[must_use]
    pub fn new(
        call_id: impl Into<String>,
        name: impl Into<String>,
        parameters: Map<String, Value>,
    ) -> Self {
        Self { call_id: call_id.into(), name: name.into(), parameters, ..Self::default() }
    }

    /// Whether it is marked for the front end.
    #[must_use]
    pub fn is_frontend(&self) -> bool {
        self.runtime == Some(Runtime::Frontend)
    }

    /// What happens when a front-end tool cannot be run.
    #[must_use]
    pub fn fallback(&self) -> FallbackBehavior {
        self.fallback_behavior.unwrap_or_default()
    }
}

words! {
    /// How the calls of a request are run (4.3, 4.6.2).
    #[derive(Default)]
    pub enum CallMode {
        /// One after another, one response.
        #[default]
        Sync = "SYNC",
        /// Acknowledged at once, a response for each as it ends.
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
    /// On which side a tool runs.
    pub enum Runtime {
        /// In a client.
        Frontend = "FRONTEND",
        /// In the server.
        Backend = "BACKEND",
    }
}

words! {
    /// What happens when a front-end tool cannot be run (4.5.3).
    #[derive(Default)]
    pub enum FallbackBehavior {
        /// Nothing more of the request is started.
        #[default]
        Abort = "ABORT",
        /// The rest goes on.
        Skip = "SKIP",
        /// The alternative runs.
        UseAlternative = "USE_ALTERNATIVE",
    }
}

record! {
    /// What runs instead of a call or an instruction.
    #[derive(Default)]
    pub struct Fallback, check = one_name, transform = schema_of_fallback {
        /// The tool.
        optional name: Option<String> = "name",
        /// The action, of an instruction.
        optional action: Option<String> = "action",
        /// What it is given; if absent, what was given before.
        optional parameters: Option<Map<String, Value>> = "parameters",
    }
}

impl Fallback {
    /// The tool or action.
    #[must_use]
    pub fn target(&self) -> &str {
        self.name.as_deref().or(self.action.as_deref()).unwrap_or_default()
    }
}

fn one_name(map: &Fields<'_>, at: &Place<'_>, report: &mut Report<'_>) {
    match (map.has("name"), map.has("action")) {
        (false, false) => report.missing(at, "name", "a string"),
        (true, true) => {
            let place = at.key("action");
            report.add(&place, "nothing, since name is there", "a second name".to_owned());
        }
        _ => {}
    }
}

fn schema_of_fallback(schema: &mut schemars::Schema) {
    let has = |name: &str| serde_json::json!({"required": [name], "properties": {name: {"type": "string"}}});
    schema.insert("oneOf".to_owned(), Value::from(vec![has("name"), has("action")]));
}

record! {
    /// What became of a request (3.4).
    #[derive(Default)]
    pub struct ToolCallResponse {
        /// A result for each call, in the order of the request.
        required results: Vec<CallResult> = "results",
    }
}

record! {
    /// What became of one call (4.4, 4.5.4).
    pub struct CallResult {
        /// The call.
        id call_id: String = "callId",
        /// How it ended.
        required status: CallStatus = "status",
        /// What it gave: any JSON. The tools of the server use the names `value`, `unit`,
        /// `confidence`, `source` and `timestamp` where they apply (4.4).
        any result: Option<Value> = "result",
        /// What went wrong, with `ERROR` or `TIMEOUT`.
        optional error: Option<Failure> = "error",
        /// How long it took, from the request to the result.
        optional execution_time: Option<Millis> = "executionTime",
        /// The client that ran it.
        optional client_info: Option<Map<String, Value>> = "clientInfo",
    }
}

impl CallResult {
    /// A call that went well.
    #[must_use]
    pub fn success(call_id: impl Into<String>, result: Value) -> Self {
        Self { result: Some(result), ..Self::of(call_id.into(), CallStatus::Success) }
    }

    /// A call that failed; the status follows from the code.
    #[must_use]
    pub fn failed(call_id: impl Into<String>, error: Failure) -> Self {
        let is_late = error.code == crate::ErrorCode::Timeout.as_str();
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
    /// How a call ended, on the wire.
    pub enum CallStatus {
        /// Well.
        Success = "SUCCESS",
        /// Not well, or it was not run.
        Error = "ERROR",
        /// Too late.
        Timeout = "TIMEOUT",
    }
}
