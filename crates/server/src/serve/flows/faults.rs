//! Sets that are refused: all of their faults in one ERROR_RESPONSE (FL-6, CP-17).

use super::allowed::fits;
use contexture::diagnostic::Severity;
use contexture::flows::FlowError;
use contexture::store::flows::FlowStoreError;
use contexture_flow::check::{Diagnostic, Report};
use contexture_flow::{Kind, Set, codes};
use contexture_protocol::{Body, ErrorCode, Message, Refusal};

/// The sentence of a step whose reason is for the operator.
pub(super) const FAILED: &str = "the step failed";
/// The policy about actions of clients.
const POLICY: &str = "allowed_actions";

/// Returns the steps with actions that do not match `allow`: names, or beginnings of names with `*`.
pub(super) fn denied(message: &Message, set: &Set, allow: &[String]) -> Vec<Diagnostic> {
    let list = match &message.body {
        Body::ToolCallRequest(request) if request.calls.is_none() => "toolCalls",
        Body::ModelResponse(_) => "toolCalls",
        Body::ToolCallRequest(_) => "calls",
        _ => "instructions",
    };
    let field = match set.kind {
        Kind::Calls => "name",
        Kind::Instructions => "action",
    };
    let mut faults = Vec::new();
    let mut check = |path: String, action: &str| {
        if !allow.iter().any(|pattern| fits(pattern, action)) {
            faults.push(not_allowed(path, action));
        }
    };
    for (at, step) in set.steps.iter().enumerate() {
        let of = |rest: &str| format!("/content/{list}/{at}/{rest}");
        check(of(field), &step.action);
        let recovery = step.recovery.as_ref().and_then(|recovery| recovery.alternative.as_ref());
        let fallback = step.frontend.as_ref().and_then(|call| call.alternative.as_ref());
        for (instead, at) in [(recovery, "recovery/alternative"), (fallback, "alternative")] {
            if let Some(instead) = instead {
                check(of(at), instead.target());
            }
        }
    }
    faults
}

fn not_allowed(path: String, action: &str) -> Diagnostic {
    Diagnostic {
        code: ErrorCode::PermissionDenied.as_str(),
        rule: codes::UNKNOWN_ACTION.code,
        severity: Severity::Error,
        message: format!("clients may not have the action `{action}` run"),
        help: Some("the server's settings allow actions in `serve.actions` and name them in `serve.tools`; one of `kind = \"action\"` is for instructions alone".to_owned()),
        path,
        source: None,
        offset: None,
    }
}

/// Creates the refusal of a report. Its code is that of the first fault: forbidden actions before all
/// others; unknown actions do not count as forbidden.
pub(super) fn refusal(mut report: Report, mut denied: Vec<Diagnostic>) -> Refusal {
    let unknown = |path: &str| {
        let is_of = |one: &&Diagnostic| {
            one.path.starts_with(path) && one.rule == codes::UNKNOWN_ACTION.code
        };
        report.diagnostics.iter().any(|one| is_of(&one))
    };
    denied.retain(|one| !unknown(&one.path));
    let is_denied = !denied.is_empty();
    report.diagnostics.splice(0..0, denied);
    let mut errors = report.diagnostics.iter().filter(|one| one.severity == Severity::Error);
    let first = errors.next();
    let code = first.and_then(|first| ErrorCode::parse(first.code));
    let others = errors.count().saturating_add(report.unlisted);
    let text = first.map_or("the set has faults", |first| first.message.as_str());
    let text = match others {
        0 => text.to_owned(),
        1 => format!("{text}; and one more fault"),
        _ => format!("{text}; and {others} more faults"),
    };
    let diagnostics = report.to_value().get("diagnostics").cloned().unwrap_or_default();
    let refused = Refusal::new(code.unwrap_or(ErrorCode::ValidationFailed), text)
        .suggest("Fix what details.diagnostics name, and send the set under a new messageId.")
        .detail("diagnostics", diagnostics);
    if is_denied { refused.policy(POLICY) } else { refused }
}

/// Creates the refusal of a set that can't be written down.
pub(super) fn unkept() -> Refusal {
    let text = "the server could not write its journal, and runs nothing without it";
    let refused = Refusal::new(ErrorCode::Internal, text);
    let refused = refused.suggest("Send the same message again: what has ended is not run again.");
    Refusal { recoverable: true, ..refused }
}

/// Creates the refusal of a set whose faults are elsewhere: in a program, a server that was not
/// accepted, or a journal that can't be written.
pub(super) fn unready(error: &FlowError) -> Refusal {
    let refused = match error {
        FlowError::Refused(report) => return refusal(report.clone(), Vec::new()),
        // Its text about files is for the log of the operator.
        FlowError::Setup(setup)
            if setup.code.starts_with("flow") || FlowStoreError::is_passing(&setup.code) =>
        {
            return unkept();
        }
        FlowError::Setup(setup) if setup.code == "action_not_allowed" => {
            Refusal::new(ErrorCode::PermissionDenied, error.to_string()).policy(POLICY)
        }
        // So is what it says about programs and servers.
        _ => Refusal::new(ErrorCode::ExecutionFailed, "the server can't run this set")
            .suggest("Tell the operator the messageId: the log has the reason."),
    };
    refused.detail("code", error.code())
}
