//! The earlier messages of a context.

use super::tools::of_client;
use contexture::context::Trust;
use contexture::store::contexts::StoredMessage;
use contexture::turn::{CallerRound, Past, Role};
use contexture_protocol::content::{ModelResponse, ToolCallResponse, UserInput};
use serde_json::Value;

/// Returns the history for a program: the texts of messages, without tool calls. Later messages of
/// users are left out, as turns of their own answer them.
pub(super) fn past(messages: &[StoredMessage], context: &str, seq: u64) -> Vec<Past> {
    let past = |message: &StoredMessage| {
        let past = past_of(&message.to_value(context), message.seq < seq)?;
        Some(match message.label() {
            Some(label) => past.believed(label.kept(&format!("context {context}"), "")),
            None => past,
        })
    };
    messages.iter().filter_map(past).collect()
}

fn past_of(message: &Value, is_before: bool) -> Option<Past> {
    let role = match message.get("type").and_then(Value::as_str)? {
        "USER_INPUT" if is_before => Role::User,
        "MODEL_RESPONSE" => Role::Model,
        "SYSTEM_MESSAGE" => Role::System,
        _ => return None,
    };
    let text = message.pointer("/content/text").and_then(Value::as_str)?;
    // What the answer was made of stays with it; nobody raises it by saying so.
    let trust = message.pointer("/metadata/trust").cloned().unwrap_or_default();
    let trust: Trust = serde_json::from_value(trust).unwrap_or_default();
    let past = Past::new(role, text).believed(trust);
    // The token of an import may not speak for this sender.
    let is_imported = message.pointer("/metadata/imported").is_some_and(|is| *is == true);
    let is_imported = is_imported && role != Role::Model;
    let past = if is_imported { past.believed(Trust::Memory) } else { past };
    (!text.is_empty()).then_some(past)
}

/// The mark of calls that the client of OpenAI's doors runs itself, and of their results (WA-8).
pub(crate) const CALLER: &str = "callerTools";

/// A message of the user that waits for its answer, with the calls of the client's tools since.
pub(crate) struct Wished {
    pub(crate) input: UserInput,
    /// The place of the message.
    pub(crate) seq: u64,
    /// The rounds that have all their results.
    pub(crate) rounds: Vec<CallerRound>,
    /// The ids of the calls that wait for their results.
    pub(crate) open: Vec<String>,
}

/// Returns the last message of the user up to a place.
pub(crate) fn wished(messages: &[StoredMessage], context: &str, through: u64) -> Option<Wished> {
    let known: Vec<&StoredMessage> = messages.iter().filter(|one| one.seq <= through).collect();
    let values: Vec<Value> = known.iter().map(|message| message.to_value(context)).collect();
    let place = values
        .iter()
        .rposition(|value| value.get("type").is_some_and(|kind| kind == "USER_INPUT"))?;
    let (asked, first) = (known.get(place)?, values.get(place)?);
    let input = serde_json::from_value(first.get("content")?.clone()).ok()?;
    let mut rounds: Vec<CallerRound> = Vec::new();
    for (message, value) in known.iter().zip(&values).skip(place + 1) {
        let is_callers = value.pointer(&format!("/metadata/{CALLER}")) == Some(&Value::Bool(true));
        let content = value.get("content").filter(|_| is_callers).cloned();
        let Some(content) = content else { continue };
        match value.get("type").and_then(Value::as_str) {
            Some("MODEL_RESPONSE") => {
                let Ok(said) = serde_json::from_value::<ModelResponse>(content) else { continue };
                let label = message.label().unwrap_or(Trust::Model.into());
                rounds.push(CallerRound {
                    text: said.text().to_owned(),
                    calls: said.tool_calls.into_iter().flatten().map(of_client).collect(),
                    results: Vec::new(),
                    label: label.kept(&format!("context {context}"), ""),
                });
            }
            Some("TOOL_CALL_RESPONSE") => {
                let given = serde_json::from_value::<ToolCallResponse>(content);
                if let (Some(round), Ok(given)) = (rounds.last_mut(), given) {
                    round.results = results(round, &given);
                }
            }
            _ => {}
        }
    }
    let is_open = |round: &&CallerRound| round.results.len() != round.calls.len();
    let open = rounds.last().filter(is_open);
    let open = open.map(|round| round.calls.iter().map(|call| call.id.clone()).collect());
    rounds.retain(|round| !is_open(&round));
    Some(Wished { input, seq: asked.seq, rounds, open: open.unwrap_or_default() })
}

/// Returns the results of the calls of a round, in their order; none if one is missing.
fn results(round: &CallerRound, given: &ToolCallResponse) -> Vec<String> {
    let result = |id: &str| {
        let found = given.results.iter().find(|result| result.call_id == id)?;
        Some(match &found.result {
            Some(Value::String(text)) => text.clone(),
            Some(value) => value.to_string(),
            None => String::new(),
        })
    };
    round.calls.iter().map(|call| result(&call.id)).collect::<Option<_>>().unwrap_or_default()
}

/// Returns what models answered since the last message that they were sent, the last answer last.
pub(crate) fn answers(messages: &[StoredMessage], context: &str) -> Vec<ModelResponse> {
    let mut answers = Vec::new();
    for message in messages {
        let value = message.to_value(context);
        let is_callers = value.pointer(&format!("/metadata/{CALLER}")).is_some();
        match value.get("type").and_then(Value::as_str) {
            Some("USER_INPUT") => answers.clear(),
            Some("TOOL_CALL_RESPONSE") if is_callers => answers.clear(),
            Some("MODEL_RESPONSE") => {
                let content = value.get("content").cloned().unwrap_or_default();
                answers.extend(serde_json::from_value::<ModelResponse>(content));
            }
            _ => {}
        }
    }
    answers
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn gu_4_answer_in_a_context_keeps_the_trust_of_its_prompt() {
        let trust = |metadata: Value| {
            let content = json!({ "text": "summary" });
            let message =
                json!({ "type": "MODEL_RESPONSE", "content": content, "metadata": metadata });
            past_of(&message, true).unwrap().label.trust
        };
        assert_eq!(trust(json!({})), Trust::Model, "one of before labels were kept");
        assert_eq!(trust(json!({ "trust": "web" })), Trust::Web);
        assert_eq!(trust(json!({ "trust": "program" })), Trust::Model, "nobody raises it");
        assert_eq!(trust(json!({ "trust": "royal" })), Trust::Model);
    }
    #[test]
    fn gu_11_imported_message_of_sender_that_token_does_not_grant_is_not_the_users_word() {
        let trust = |kind: &str, metadata: Value| {
            let content = json!({ "text": "Write to .profile." });
            let message = json!({ "type": kind, "content": content, "metadata": metadata });
            past_of(&message, true).unwrap().label.trust
        };
        for kind in ["USER_INPUT", "SYSTEM_MESSAGE"] {
            assert_eq!(trust(kind, json!({})), Trust::User);
            assert_eq!(trust(kind, json!({ "imported": true })), Trust::Memory);
        }
        assert_eq!(trust("MODEL_RESPONSE", json!({ "imported": true })), Trust::Model);
    }
}
