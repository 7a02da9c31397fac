//! What the editor is shown: `session/update` and `session/request_permission`.

use crate::serve::frontend::target::CONFIRM_TOOL;
use contexture_protocol::content::{Call, CallResult, CallStatus};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::collections::HashSet;

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

/// Returns a message of a conversation as it is shown again: texts, calls of models, and what came of
/// these. `calls` are the ids of those that were shown.
pub(super) fn earlier(message: &Value, calls: &mut HashSet<String>) -> Vec<Value> {
    let speaker = match message.get("type").and_then(Value::as_str) {
        Some("USER_INPUT") => Speaker::User,
        Some("MODEL_RESPONSE") => Speaker::Agent,
        Some("TOOL_CALL_RESPONSE") => {
            let results = listed::<CallResult>(message, "/content/results").into_iter();
            return results
                .filter(|one| calls.contains(&one.call_id))
                .map(|one| result(&one))
                .collect();
        }
        _ => return Vec::new(),
    };
    let text = message.pointer("/content/text").and_then(Value::as_str);
    let text = text.filter(|text| !text.is_empty()).map(|text| chunk(speaker, text));
    let mut updates: Vec<Value> = text.into_iter().collect();
    for one in listed::<Call>(message, "/content/toolCalls") {
        if one.name != CONFIRM_TOOL {
            updates.push(call(&one));
            calls.insert(one.call_id);
        }
    }
    updates
}

/// Returns the parts of a message in a list, as far as they are well formed.
fn listed<T: DeserializeOwned>(message: &Value, place: &str) -> Vec<T> {
    let all = message.pointer(place).and_then(Value::as_array).into_iter().flatten();
    all.filter_map(|one| T::deserialize(one).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wa_9_loaded_conversation_shows_calls_of_models_and_their_results() {
        let calls = json!([
            { "callId": "c1", "name": "file.read", "parameters": { "path": "茶.md" } },
            { "callId": "c2", "name": CONFIRM_TOOL, "parameters": {} },
        ]);
        let wish = json!({ "type": "MODEL_RESPONSE", "content": { "text": "I look.", "toolCalls": calls } });
        let results = json!([
            { "callId": "c1", "status": "SUCCESS", "result": "绿" },
            { "callId": "c2", "status": "SUCCESS", "result": true },
        ]);
        let came = json!({ "type": "TOOL_CALL_RESPONSE", "content": { "results": results } });
        let mut shown = HashSet::new();
        let told: Vec<Value> =
            [wish, came].iter().flat_map(|message| earlier(message, &mut shown)).collect();
        let kinds: Vec<&Value> = told.iter().map(|update| &update["sessionUpdate"]).collect();
        assert_eq!(kinds, ["agent_message_chunk", "tool_call", "tool_call_update"]);
        assert_eq!(
            (&told[1]["title"], &told[1]["rawInput"]["path"]),
            (&json!("file.read"), &json!("茶.md"))
        );
        assert_eq!(
            (&told[2]["status"], &told[2]["content"][0]["content"]["text"]),
            (&json!("completed"), &json!("绿"))
        );
    }
}
