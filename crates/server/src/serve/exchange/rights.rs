//! The rights that messages need (CP-1, CP-19).

use crate::serve::app::App;
use crate::serve::caller::{Caller, Scope};
use contexture_protocol::{Body, ErrorCode, Message, Refusal, SenderType};

/// Checks that the caller may send a message.
pub(super) fn check(app: &App, caller: &Caller, message: &Message) -> Result<(), Refusal> {
    let kind = message.sender.kind;
    check_name(app, caller, "/sender/id", &message.sender.id)?;
    // An answer to a call grants itself; one to none is checked where it is looked for.
    if !matches!(message.body, Body::ToolCallResponse(_)) {
        check_sender(caller, kind)?;
    }
    if let Some(speaker) = speaker(message.kind()) {
        check_sender(caller, speaker)?;
    }
    let scope = match &message.body {
        Body::UserInput(_)
        | Body::ToolCallRequest(_)
        | Body::Instruction(_)
        | Body::Control(_)
        | Body::ToolRegistration(_)
        | Body::Other { .. } => Scope::Run,
        Body::ModelResponse(response) if response.request().is_some() => Scope::Run,
        Body::ContextUpdate(_) | Body::ModelResponse(_) | Body::SystemMessage(_) => Scope::Write,
        Body::Subscribe(_) | Body::Unsubscribe(_) | Body::ToolListRequest(_) => Scope::Read,
        Body::ModelResponseDelta(_)
        | Body::ToolCallResponse(_)
        | Body::InstructionResponse(_)
        | Body::Progress(_)
        | Body::ClientCapabilities(_)
        | Body::ToolAvailabilityRequest(_)
        | Body::ToolAvailabilityResponse(_)
        | Body::ToolListResponse(_)
        | Body::ContextDelta(_)
        | Body::Hello(_)
        | Body::Welcome(_)
        | Body::Ack(_)
        | Body::ErrorResponse(_) => return Ok(()),
    };
    if caller.grant.scopes.contains(&scope) { Ok(()) } else { Err(forbidden(scope)) }
}

/// Checks that the caller may send as a type.
pub(crate) fn check_sender(caller: &Caller, kind: SenderType) -> Result<(), Refusal> {
    if caller.grant.senders.contains(&kind) {
        return Ok(());
    }
    let text = format!("the token does not allow to send as {kind}");
    Err(Refusal::new(ErrorCode::SenderForbidden, text).policy("sender_type"))
}

/// Checks that a client does not sign with the name of another owner. The token binds the owner; a
/// name tells the clients of one owner apart and grants nothing (GU-11).
pub(crate) fn check_name(
    app: &App,
    caller: &Caller,
    pointer: &str,
    name: &str,
) -> Result<(), Refusal> {
    if !app.tokens.is_of_another(name, caller.owner()) {
        return Ok(());
    }
    let text = format!("the token is not of the owner `{name}`, as whom the message is signed");
    let refused = Refusal::new(ErrorCode::SenderForbidden, text).policy("sender_id");
    Err(refused
        .detail("pointer", pointer)
        .suggest("Sign with the owner of the token, or with a name that is not an owner's."))
}

/// Returns the only sender type of a message type, if there is one.
pub(crate) fn speaker(kind: &str) -> Option<SenderType> {
    match kind {
        "MODEL_RESPONSE" | "MODEL_RESPONSE_DELTA" => Some(SenderType::Model),
        "SYSTEM_MESSAGE" => Some(SenderType::System),
        "TOOL_REGISTRATION" => Some(SenderType::Tool),
        _ => None,
    }
}

/// Creates the refusal of a token without a scope.
pub(crate) fn forbidden(scope: Scope) -> Refusal {
    let scope = scope.as_str();
    let text = format!("the token does not have the scope `{scope}`");
    Refusal::new(ErrorCode::PermissionDenied, text).policy("token_scope").detail("scope", scope)
}
