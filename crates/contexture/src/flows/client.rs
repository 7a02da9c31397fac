//! Tools of a front end, and of services that registered them (FL-1, CP-14, WA-6).

use crate::frontend::{self, FlowCall, Frontend, FrontendCall, FrontendTool};
use contexture_context::Digest;
use contexture_flow::action::{self, ActionCall, ActionFailure, ActionInfo, ActionKind};
use contexture_protocol::content::Runtime;
use serde_json::{Value, json};
use std::sync::Arc;

/// The longest id that the protocol takes, in bytes (CP-1).
const ID_BYTES: usize = 256;

/// Returns a tool that a client offers now.
pub(super) fn offered(frontend: Option<&Arc<dyn Frontend>>, name: &str) -> Option<FrontendTool> {
    frontend?.definitions().into_iter().find(|tool| tool.tool_id == name)
}

/// Returns a tool that a service offers now.
pub(super) fn served(frontend: Option<&Arc<dyn Frontend>>, name: &str) -> Option<FrontendTool> {
    frontend?.services().into_iter().find(|tool| tool.tool_id == name)
}

pub(super) fn info(tool: FrontendTool) -> ActionInfo {
    ActionInfo { runtime: Some(Runtime::Frontend), ..info_of_service(tool) }
}

pub(super) fn info_of_service(tool: FrontendTool) -> ActionInfo {
    ActionInfo {
        class: Some(tool.class),
        demands: tool.demands,
        ..ActionInfo::of(ActionKind::Operation).with_parameters(tool.parameters)
    }
}

/// Asks a client, or a service, to run a tool.
pub(super) async fn call(
    frontend: Option<&Arc<dyn Frontend>>,
    (run, of_service): (&str, bool),
    call: ActionCall,
) -> Result<Value, ActionFailure> {
    let find = if of_service { served } else { offered };
    let (Some(port), Some(tool)) = (frontend, find(frontend, &call.name)) else {
        let asked = ActionCall { runtime: Some(Runtime::Frontend), ..call };
        return Err(action::unknown(&asked));
    };
    // What was announced after the set was checked.
    let whole = Value::Object(call.parameters);
    let faults = frontend::check(&whole, &tool.parameters);
    let parameters = match whole {
        Value::Object(parameters) if faults.is_empty() => parameters,
        _ => return Err(misfit(&call.name, &faults)),
    };
    let asked = FrontendCall {
        call_id: call_id(run, &call.id, call.attempt),
        tool_id: call.name,
        parameters,
        from_model: false,
        flow: Some(Box::new(FlowCall {
            run: run.to_owned(),
            id: call.id,
            attempt: call.attempt,
            of_service,
            says: call.frontend,
        })),
    };
    port.call(asked).await.map_err(|failure| ActionFailure {
        details: failure.details,
        // The client was late, and so is the step.
        is_late: failure.code == frontend::TIMEOUT,
        ..ActionFailure::new(failure.code, failure.message)
    })
}

/// Returns the id of a call: the same when a run is resumed, another one for each try.
fn call_id(run: &str, step: &str, attempt: u32) -> String {
    let again = if attempt > 1 { format!("#{attempt}") } else { String::new() };
    let id = format!("{run}:{step}{again}");
    if id.len() <= ID_BYTES { id } else { format!("call_{}", Digest::of_text(&id)) }
}

fn misfit(name: &str, faults: &[String]) -> ActionFailure {
    let message = format!("invalid parameters of `{name}`: {}", faults.join("; "));
    ActionFailure {
        details: Some(json!({ "faults": faults })),
        ..ActionFailure::new("VALIDATION_FAILED", message)
    }
}
