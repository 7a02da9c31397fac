//! The front end of one turn or request: the clients of its owner.

use super::permission;
use super::sending::Outcome;
use super::step::StepCall;
use super::target::{CONFIRM_TOOL, Forwarder};
use crate::serve::message::answering;
use contexture::frontend::{Frontend, FrontendCall, FrontendFailure, FrontendTool};
use contexture::llm::BoxFuture;
use contexture::ports::policy::{Class, Demands};
use contexture::store::contexts::{NewMessage, Operation, Update};
use contexture_protocol::content::{
    Call, CallResult, CallStatus, PermissionLevel, Runtime, ToolCallRequest, ToolCallResponse,
    ToolClass,
};
use contexture_protocol::{ErrorCode, Message, SenderType};
use serde_json::{Map, Value};
use std::collections::HashSet;

impl Forwarder {
    /// Sends a call to a client, with the permission that it needs, and waits for its result.
    pub(crate) async fn ask(&self, call: Call) -> Outcome {
        let outcome = self.permitted(call).await;
        let code = match &outcome {
            Ok((result, _)) if result.status == CallStatus::Success => "ok",
            Ok((result, _)) => result.error.as_ref().map_or("error", |error| word(&error.code)),
            Err(failure) => word(&failure.code),
        };
        self.app.metrics.frontend_calls.count(code, "");
        outcome
    }

    async fn permitted(&self, call: Call) -> Outcome {
        if let Some(wait) = self.step.as_ref().and_then(|step| step.earlier(&call.call_id)) {
            return self.rejoined(wait).await;
        }
        let side = call.runtime.unwrap_or(Runtime::Frontend);
        let question = self.step.as_ref().and_then(StepCall::earlier_question);
        match question {
            Some(wait) => permission::of_earlier(self, wait, &call.name).await?,
            None => {
                let target = self.target(&call.name, side)?;
                if side == Runtime::Frontend {
                    permission::of_frontend(self, &call, target.tool.permission_level).await?;
                }
            }
        }
        let target = self.target(&call.name, side)?;
        self.send(target, call).await
    }

    /// Stores a call of a program, which no model made.
    async fn keep(&self, request: Message, result: CallResult, client: &str) {
        let response = ToolCallResponse { results: vec![result], ..ToolCallResponse::default() };
        let response = self.app.maker.message_of(
            client,
            SenderType::Tool,
            Some(&self.context),
            response.into(),
        );
        let response = answering(response, &request.message_id);
        let new =
            |message: &Message| NewMessage::new(&message.to_value()).map(Operation::AddMessage);
        let (Ok(request), Ok(response)) = (new(&request), new(&response)) else { return };
        let update = Update {
            owner: self.owner.to_string(),
            context_id: Some(self.context.clone()),
            operations: vec![request, response],
            cause: Some(self.message.clone()),
            ..Update::default()
        };
        // The result counts even when it can't be stored; the end of the turn reports the error.
        let _ = self.app.updated(update).await;
    }
}

impl Forwarder {
    /// Returns the tools of a side that can be called now.
    fn defined(&self, side: Runtime) -> Vec<FrontendTool> {
        let mut seen = HashSet::new();
        let mut tools = Vec::new();
        for tool in self.tools(side) {
            // A tool without a known definition is not offered (CP-15), nor the one by which the
            // server asks the user.
            let parameters = match (tool.parameters, side) {
                (Some(parameters), _) => parameters,
                (None, Runtime::Backend) => Map::new(),
                (None, Runtime::Frontend) => continue,
            };
            if tool.tool_id != CONFIRM_TOOL && seen.insert(tool.tool_id.clone()) {
                let about = tool.description.or(tool.name).unwrap_or_default();
                let asks = tool.permission_level.is_some_and(|one| one != PermissionLevel::None);
                let known = FrontendTool::new(&tool.tool_id, Value::Object(parameters));
                let known = known.describe(about).version(tool.version.unwrap_or_default());
                let known = known.with_class(class_of(tool.class), demands_of(tool.integrity));
                tools.push(if asks { known.asks_user() } else { known });
            }
        }
        tools
    }
}

impl Frontend for Forwarder {
    fn definitions(&self) -> Vec<FrontendTool> {
        let mut tools = self.defined(Runtime::Frontend);
        // What a model was offered before, it may have called.
        for earlier in self.turn.iter().flat_map(|turn| &turn.tools) {
            if tools.iter().all(|tool| tool.tool_id != earlier.tool_id) {
                tools.push(earlier.clone());
            }
        }
        tools
    }

    fn has_open(&self, call_id: &str) -> bool {
        self.turn.as_ref().is_some_and(|turn| turn.steps.has_earlier(call_id))
    }

    fn services(&self) -> Vec<FrontendTool> {
        self.defined(Runtime::Backend)
    }

    fn call(&self, call: FrontendCall) -> BoxFuture<'_, Result<Value, FrontendFailure>> {
        Box::pin(async move {
            let wire = Call::new(call.call_id, call.tool_id, call.parameters);
            let request = self.message_with(ToolCallRequest::new(vec![wire.clone()]).into());
            let of_call = self.of_call(&wire.call_id);
            let (result, client) = of_call.as_ref().unwrap_or(self).ask(wire).await?;
            if !call.from_model {
                self.keep(request, result.clone(), &client).await;
            }
            value_of(result)
        })
    }
}

/// Returns the class of a tool as its page says it. Decision: the page is believed, since its origin
/// was allowed and what it does is done to its own user; one that says nothing does the worst.
fn class_of(said: Option<ToolClass>) -> Class {
    said.and_then(|class| Class::parse(class.as_str())).unwrap_or(Class::Execute)
}

/// Returns what a tool demands of its arguments.
fn demands_of(said: Option<Map<String, Value>>) -> Demands {
    let known = said.into_iter().flatten();
    known.filter_map(|(name, level)| Some((name, serde_json::from_value(level).ok()?))).collect()
}

/// Returns a code for the metrics: clients may send others.
fn word(code: &str) -> &'static str {
    ErrorCode::parse(code).map_or("error", ErrorCode::as_str)
}

pub(crate) fn value_of(result: CallResult) -> Result<Value, FrontendFailure> {
    let (default, text) = match result.status {
        CallStatus::Success => return Ok(result.result.unwrap_or(Value::Null)),
        CallStatus::Timeout => (ErrorCode::Timeout, "the client reported that it took too long"),
        CallStatus::Error => (ErrorCode::ExecutionFailed, "the client gave no reason"),
    };
    let Some(error) = result.error else {
        return Err(FrontendFailure::new(default.as_str(), text));
    };
    // A client that took too long may name another code.
    let code = if result.status == CallStatus::Timeout { default.as_str() } else { &error.code };
    let failure = FrontendFailure::new(code, error.message);
    Err(FrontendFailure { details: error.details, ..failure })
}
