//! What the editor is shown: `session/update` and `session/request_permission`.

use contexture_protocol::content::{Call, CallResult, CallStatus};
use serde_json::{Value, json};

/// The answer of a person that lets an action happen.
pub(super) const ALLOW: &str = "allow";

/// Who said a piece of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Speaker {
    User,
    Agent,
}

/// Returns a piece of text.
pub(super) fn chunk(speaker: Speaker, text: &str) -> Value {
    let kind = match speaker {
        Speaker::User => "user_message_chunk",
        Speaker::Agent => "agent_message_chunk",
    };
    json!({ "sessionUpdate": kind, "content": { "type": "text", "text": text } })
}

/// Returns a call of a tool by a model.
pub(super) fn call(call: &Call) -> Value {
    json!({
        "sessionUpdate": "tool_call",
        "toolCallId": call.call_id,
        "title": call.name,
        "kind": "other",
        "status": "in_progress",
        "rawInput": call.parameters,
    })
}

/// Returns the end of a call.
pub(super) fn result(result: &CallResult) -> Value {
    let is_done = result.status == CallStatus::Success;
    let text = match (&result.result, &result.error) {
        (Some(Value::String(text)), _) => text.clone(),
        (Some(value), _) => value.to_string(),
        (None, Some(error)) => error.message.clone(),
        (None, None) => String::new(),
    };
    json!({
        "sessionUpdate": "tool_call_update",
        "toolCallId": result.call_id,
        "status": if is_done { "completed" } else { "failed" },
        "content": [{ "type": "content", "content": { "type": "text", "text": text } }],
    })
}

/// Returns the question whether an action may happen.
pub(super) fn question(session: &str, call: &Call) -> Value {
    let title = call.user_prompt.as_deref().unwrap_or(&call.name);
    let sources = call.parameters.get("sources").and_then(Value::as_array);
    let told = sources.into_iter().flatten().filter_map(|one| one.get("source")?.as_str());
    let content: Vec<Value> = told
        .map(|source| {
            let text = format!("influenced by {source}");
            json!({ "type": "content", "content": { "type": "text", "text": text } })
        })
        .collect();
    let option =
        |id: &str, name: &str, kind: &str| json!({ "optionId": id, "name": name, "kind": kind });
    json!({
        "sessionId": session,
        "toolCall": {
            "toolCallId": call.call_id,
            "title": title,
            "kind": "other",
            "status": "pending",
            "content": content,
            "rawInput": call.parameters.get("parameters"),
        },
        "options": [
            option(ALLOW, "Allow", "allow_once"),
            option("reject", "Reject", "reject_once"),
        ],
    })
}

/// Returns a message of a conversation as it is shown again.
pub(super) fn earlier(message: &Value) -> Option<Value> {
    let speaker = match message.get("type")?.as_str()? {
        "USER_INPUT" => Speaker::User,
        "MODEL_RESPONSE" => Speaker::Agent,
        _ => return None,
    };
    let text = message.pointer("/content/text")?.as_str().filter(|text| !text.is_empty())?;
    Some(chunk(speaker, text))
}
