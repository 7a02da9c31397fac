//! Calls to one client, checked against what it announced.

use super::declared::declared;
use super::target::{CONFIRM_TOOL, Forwarder, Target};
use super::terms::Terms;
use super::waiting::Waiting;
use contexture::frontend::{FrontendFailure, TIMEOUT};
use contexture_protocol::Seconds;
use contexture_protocol::content::{Call, CallResult, Runtime, ToolCallRequest};
use serde_json::Value;
use std::time::Duration;

/// The result of a call, and the client that ran it.
pub(crate) type Outcome = Result<(CallResult, String), FrontendFailure>;

impl Forwarder {
    /// Sends a call to a client and waits for its result.
    pub(super) async fn send(&self, target: Target, call: Call) -> Outcome {
        // The question to the user is the server's own, and takes as long as the settings say.
        let is_question = call.name == CONFIRM_TOOL;
        if let Some(parameters) = target.tool.parameters.as_ref().filter(|_| !is_question) {
            declared(&call.parameters, &Value::Object(parameters.clone()))?;
        }
        let terms = Terms::new(&target.tool, target.max_bytes);
        terms.check_parameters(&call.parameters)?;
        let longest = if is_question { Duration::MAX } else { target.timeout(&call) };
        let own = [&call.timeout, &call.timeout_client].into_iter().flatten();
        let timeout = own.map(|seconds| seconds.duration()).fold(longest, Duration::min);
        let timeout_client = match target.longest {
            // The client learns how long the server waits.
            Some(_) if !is_question => Some(Seconds::from_duration(timeout)),
            _ => call.timeout_client.clone(),
        };
        let id = call.call_id.clone();
        let call = Call { runtime: Some(Runtime::Frontend), timeout_client, ..call };
        let request = self.message_with(ToolCallRequest::new(vec![call]).into());
        let waiting = Waiting::begin(self, target, &id, request);
        let Ok(outcome) = tokio::time::timeout(timeout, waiting.answered()).await else {
            let seconds = timeout.as_secs_f64();
            let text = format!("the client did not answer the call `{id}` in {seconds} s");
            return Err(FrontendFailure::new(TIMEOUT, text));
        };
        let (result, client) = outcome?;
        terms.check_result(&result)?;
        Ok((result, client))
    }
}
