//! Calls to one client, checked against what it announced.

use super::calls::{answer_of, request_of};
use super::declared::declared;
use super::target::{CONFIRM_TOOL, Forwarder, Target};
use super::terms::Terms;
use super::waiting::Waiting;
use contexture::frontend::{Frontend as _, FrontendFailure, TIMEOUT};
use contexture::store::flows::{Wait, WaitId, WaitKind, WaitState};
use contexture_protocol::content::{Call, CallResult, Runtime, ToolCallRequest};
use contexture_protocol::{ErrorCode, Message, Seconds};
use serde_json::Value;
use std::time::Duration;

/// The result of a call, and the client that ran it.
pub(crate) type Outcome = Result<(CallResult, String), FrontendFailure>;

impl Forwarder {
    /// Sends a call to a client and waits for its result.
    pub(super) async fn send(&self, target: Target, call: Call) -> Outcome {
        // What a service gets was checked, and is not a matter of what leaves the server's side.
        let parameters = target.tool.parameters.as_ref();
        if let Some(parameters) = parameters.filter(|_| target.side == Runtime::Frontend) {
            declared(&call.parameters, &Value::Object(parameters.clone()))?;
        }
        let terms = Terms::new(&target.tool, target.max_bytes);
        terms.check_parameters(&call.parameters)?;
        let timeout = self.timeout(&target, &call);
        let timeout_client = match target.longest {
            // The client learns how long the server waits.
            Some(_) => Some(Seconds::from_duration(timeout)),
            _ => call.timeout_client.clone(),
        };
        let call = Call { runtime: Some(target.side), timeout_client, ..call };
        let waiting = self.opened(&target, call, timeout).await?;
        if !waiting.is_answered() {
            waiting.hand_to(&target.session);
        }
        let (result, client) = waiting.in_time().await?;
        terms.check_result(&result)?;
        Ok((result, client))
    }

    /// Returns the time to wait for a call: what is declared, else what the settings say.
    fn timeout(&self, target: &Target, call: &Call) -> Duration {
        let own = [&call.timeout, &call.timeout_client].into_iter().flatten();
        let own = own.map(|seconds| seconds.duration()).min();
        match (target.timeout(call), own, &self.step) {
            (Some(longest), own, _) => own.map_or(longest, |own| own.min(longest)),
            (None, Some(own), _) => own,
            (None, None, Some(_)) => self.longest_wait(),
            (None, None, None) => super::target::TIMEOUT,
        }
    }

    /// Opens the wait for a call; the client does not have it yet.
    pub(super) async fn opened(
        &self,
        target: &Target,
        call: Call,
        timeout: Duration,
    ) -> Result<Waiting<'_>, FrontendFailure> {
        // Nobody is asked before the run can be taken up again.
        if let Some(turn) = self.asking_turn() {
            let kept = turn.journal.keep(|| self.definitions());
            kept.map_err(|error| self.unkept(&error.code, &error.message))?;
        }
        let client = target.session.client().map(|client| client.client_id.clone());
        let is_question = call.name == CONFIRM_TOOL;
        let id = self.wait_id(&call.call_id);
        let request = self.message_with(ToolCallRequest::new(vec![call]).into());
        let since_ms = self.app.now();
        let millis = u64::try_from(timeout.as_millis()).unwrap_or(u64::MAX);
        let expires_ms = since_ms.saturating_add(millis);
        let deadline = self.step.as_ref().and_then(|step| step.deadline_ms);
        let of_step = |text: fn(&super::step::StepCall) -> &String| {
            self.step.as_ref().map(text).cloned().unwrap_or_default()
        };
        let wait = Wait {
            id,
            kind: if is_question { WaitKind::Permission } else { WaitKind::Call },
            run: of_step(|step| &step.run),
            step: of_step(|step| &step.step),
            client: client.unwrap_or_default(),
            since_ms,
            expires_ms: deadline.map_or(expires_ms, |end| end.min(expires_ms)).min(LATEST),
            request: request.to_json(),
            answer: None,
            state: WaitState::Open,
            is_parked: false,
            place: 0,
        };
        let waiting = Waiting::begin(self, wait, request).await;
        waiting.map_err(|error| self.unkept(error.code(), &error.to_string()))
    }

    /// Goes on with a wait of an earlier part of the run.
    pub(super) async fn rejoined(&self, wait: Wait) -> Outcome {
        if let Some(answer) = answer_of(&wait) {
            return Ok((answer.result, answer.client));
        }
        let Some(request) = request_of(&wait) else {
            let text = "what was asked before the restart can't be read";
            return Err(FrontendFailure::new(ErrorCode::Internal.as_str(), text));
        };
        let (tool, side) = (asked_tool(&request), asked_side(&request));
        let waiting = Waiting::begin(self, wait, request).await;
        let waiting = waiting.map_err(|error| self.unkept(error.code(), &error.to_string()))?;
        let (result, client) = waiting.in_time().await?;
        if let Ok(target) = self.target(&tool, side) {
            Terms::new(&target.tool, target.max_bytes).check_result(&result)?;
        }
        Ok((result, client))
    }

    fn wait_id(&self, call: &str) -> WaitId {
        WaitId {
            owner: self.owner.to_string(),
            context: self.context.clone(),
            message: self.message.clone(),
            call: call.to_owned(),
        }
    }

    pub(super) fn longest_wait(&self) -> Duration {
        Duration::from_secs(self.app.project.config.serve.wait_seconds.get())
    }

    fn unkept(&self, code: &str, reason: &str) -> FrontendFailure {
        let fields = serde_json::json!({ "outcome": code, "reason": reason });
        self.app.log.info("store_failed", fields);
        let text = "the server could not keep the call";
        FrontendFailure::new(ErrorCode::Internal.as_str(), text)
    }
}

/// The latest end of a wait that a time can say.
const LATEST: u64 = 253_402_300_799_000;

/// Returns the side whose tool a message asks for.
fn asked_side(request: &Message) -> Runtime {
    let contexture_protocol::Body::ToolCallRequest(asked) = &request.body else {
        return Runtime::Frontend;
    };
    asked.calls().first().and_then(|call| call.runtime).unwrap_or(Runtime::Frontend)
}

/// Returns the name of the tool that a message asks for.
pub(super) fn asked_tool(request: &Message) -> String {
    let contexture_protocol::Body::ToolCallRequest(asked) = &request.body else {
        return String::new();
    };
    asked.calls().first().map(|call| call.name.clone()).unwrap_or_default()
}

/// Creates the failure of a call whose time is over.
pub(super) fn late(call: &str, seconds: f64) -> FrontendFailure {
    let text = format!("the client did not answer the call `{call}` in {seconds} s");
    FrontendFailure::new(TIMEOUT, text)
}
