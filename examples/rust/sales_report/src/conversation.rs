//! A conversation about sales: a user asks, the set is announced and run, the report answers.

use crate::{SET, actions};
use contexture::Project;
use contexture::flow::run::Report;
use contexture::flows::{Flow, FlowRequest};
use contexture::protocol::content::Status;
use contexture::protocol::{Limits, Message, Refusal};
use serde_json::{Value, json};
use std::error::Error;

/// Answers a user's message with the INSTRUCTION that is run, and the MODEL_RESPONSE that holds the
/// report. `now` is the time that both messages are given.
///
/// # Errors
/// The set is refused, or a step of it fails.
pub async fn answer(
    project: &Project,
    asked: &Message,
    now: &str,
) -> Result<[Message; 2], Box<dyn Error>> {
    let set: Value = serde_json::from_str(SET)?;
    let sender = json!({"id": "system", "type": "SYSTEM"});
    let instruction = message(asked, "instruction", now, sender, "INSTRUCTION", &set["content"])?;

    let document = instruction.to_json().into_bytes();
    let request = FlowRequest {
        document,
        name: "sales_report".into(),
        host: actions(),
        ..FlowRequest::default()
    };
    let flow = Flow::prepare(project, request)?;
    let text = report(&flow.run().await)?;

    let sender = json!({"id": "sales_report", "type": "MODEL"});
    let content = json!({"text": text, "finishReason": "STOP"});
    let response = message(asked, "report", now, sender, "MODEL_RESPONSE", &content)?;
    Ok([instruction, response])
}

/// Returns the report, which the last step made.
fn report(done: &Report) -> Result<String, Box<dyn Error>> {
    let mut text = String::new();
    for outcome in done.outcomes() {
        if outcome.status != Status::Completed {
            let reason = outcome.error.map(|error| error.message).unwrap_or_default();
            return Err(format!("the step `{}` failed: {reason}", outcome.instruction_id).into());
        }
        if let Some(report) = outcome.result.as_ref().and_then(|result| result["report"].as_str()) {
            text = report.to_owned();
        }
    }
    Ok(text)
}

fn message(
    asked: &Message,
    name: &str,
    now: &str,
    sender: Value,
    kind: &str,
    content: &Value,
) -> Result<Message, Box<Refusal>> {
    let message = json!({
        "messageId": format!("{}_{name}", asked.message_id),
        "contextId": asked.context_id,
        "timestamp": now,
        "type": kind,
        "sender": sender,
        "content": content,
    });
    Message::parse(message.to_string().as_bytes(), &Limits::WIRE)
}
