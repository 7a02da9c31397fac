//! A conversation in Anthropic's form: the system's words apart, user and assistant in turn, tool
//! results as messages of the user.

use super::super::json::set;
use contexture_core::error::LlmError;
use contexture_prompt::{ContentField, OpenaiChatMessage, OpenaiContentPart, Role, ToolCall};
use serde_json::{Value, json};

#[derive(Debug, Default, PartialEq)]
pub(super) struct Conversation {
    /// The text of system and developer messages.
    pub(super) system: String,
    /// All other messages.
    pub(super) messages: Vec<Value>,
}

pub(super) fn conversation(
    messages: &[OpenaiChatMessage],
    warnings: &mut Vec<String>,
) -> Result<Conversation, LlmError> {
    let mut system = Vec::new();
    let mut turns: Vec<(&'static str, Vec<Value>)> = Vec::new();
    for message in messages {
        let blocks = match message.role {
            Role::System | Role::Developer => {
                text_only(message)?;
                system.push(message.text().into_owned());
                continue;
            }
            Role::Tool => vec![tool_result(message)?],
            Role::User => content(message)?,
            Role::Assistant => {
                let mut blocks = content(message)?;
                for call in message.calls() {
                    blocks.push(tool_use(call)?);
                }
                blocks
            }
        };
        if message.name.is_some() {
            let remark = "`name` was left out: Anthropic's messages have no names".to_owned();
            if !warnings.contains(&remark) {
                warnings.push(remark);
            }
        }
        let role = if message.role == Role::Assistant { "assistant" } else { "user" };
        match turns.last_mut() {
            Some((last, turn)) if *last == role => turn.extend(blocks),
            _ => turns.push((role, blocks)),
        }
    }
    system.retain(|text| !text.is_empty());
    // A turn without a block is refused; one with nothing but empty texts says nothing.
    let messages = turns
        .into_iter()
        .filter(|(_, blocks)| !blocks.is_empty())
        .map(|(role, blocks)| json!({"role": role, "content": blocks}))
        .collect();
    Ok(Conversation { system: system.join("\n\n"), messages })
}

fn unsupported(what: &str) -> LlmError {
    LlmError::Unsupported { provider: "anthropic".to_owned(), what: what.to_owned() }
}

fn text_only(message: &OpenaiChatMessage) -> Result<(), LlmError> {
    match &message.content {
        Some(content) if !content.is_text_only() => {
            Err(unsupported(&format!("anything but text in a {} message", message.role)))
        }
        _ => Ok(()),
    }
}

fn content(message: &OpenaiChatMessage) -> Result<Vec<Value>, LlmError> {
    match &message.content {
        None => Ok(Vec::new()),
        Some(ContentField::Text(text)) => Ok(text_block(text).into_iter().collect()),
        Some(ContentField::Array(parts)) => {
            parts.iter().filter_map(|part| block(part).transpose()).collect()
        }
    }
}

fn text_block(text: &str) -> Option<Value> {
    (!text.is_empty()).then(|| json!({"type": "text", "text": text}))
}

fn block(part: &OpenaiContentPart) -> Result<Option<Value>, LlmError> {
    Ok(match part {
        OpenaiContentPart::Text { text } => text_block(text),
        OpenaiContentPart::Refusal { refusal } => text_block(refusal),
        OpenaiContentPart::ImageUrl { image_url } => {
            Some(json!({"type": "image", "source": source(&image_url.url, "image/png")}))
        }
        OpenaiContentPart::File { file } => match (&file.file_data, &file.file_id) {
            (Some(data), _) => {
                let mut block =
                    json!({"type": "document", "source": source(data, "application/pdf")});
                if let Some(name) = &file.filename {
                    set(&mut block, "title", name.as_str());
                }
                Some(block)
            }
            (None, Some(_)) => return Err(unsupported("files by id; send their content")),
            (None, None) => return Err(unsupported("a file part without content")),
        },
        OpenaiContentPart::InputAudio { .. } => return Err(unsupported("audio parts")),
        other => return Err(unsupported(&format!("`{}` parts", other.kind()))),
    })
}

/// Returns a `data:` URL or bare Base64 as data, any other URL as URL.
fn source(url: &str, media_type: &str) -> Value {
    let data = |media_type: &str, data: &str| json!({"type": "base64", "media_type": media_type, "data": data});
    if let Some((media, content)) = url.strip_prefix("data:").and_then(|rest| rest.split_once(','))
    {
        let media = media.split(';').next().filter(|media| !media.is_empty());
        return data(media.unwrap_or(media_type), content);
    }
    if url.starts_with("http://") || url.starts_with("https://") {
        return json!({"type": "url", "url": url});
    }
    data(media_type, url)
}

fn tool_use(call: &ToolCall) -> Result<Value, LlmError> {
    let arguments = call.function.arguments.trim();
    let input: Value = if arguments.is_empty() {
        json!({})
    } else {
        serde_json::from_str(arguments)
            .ok()
            .filter(Value::is_object)
            .ok_or_else(|| unsupported("a tool call whose arguments are not a JSON object"))?
    };
    Ok(json!({"type": "tool_use", "id": call.id, "name": call.function.name, "input": input}))
}

fn tool_result(message: &OpenaiChatMessage) -> Result<Value, LlmError> {
    let id = message.tool_call_id.as_deref().unwrap_or_default();
    let blocks = content(message)?;
    Ok(json!({"type": "tool_result", "tool_use_id": id, "content": blocks}))
}
