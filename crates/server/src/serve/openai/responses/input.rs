//! The input of a response: a text, or items.

use super::super::content::{Message, address, after_last_user};
use super::super::error::Failure;
use super::super::tools::Rounds;
use contexture::prompt::ToolCall;
use contexture::turn::{Attachment, AttachmentKind, CallerRound, Past, Role};
use serde_json::{Map, Value};

/// What an input says.
#[derive(Default)]
pub(super) struct Input {
    pub(super) text: String,
    pub(super) attachments: Vec<Attachment>,
    pub(super) past: Vec<Past>,
    /// The calls of the client's tools since the message.
    pub(super) rounds: Vec<CallerRound>,
    /// The results of the calls of the response before, by the ids of the calls.
    pub(super) results: Vec<(String, String)>,
}

/// Reads an input; `goes_on` if it continues a response.
pub(super) fn read(input: &Value, goes_on: bool) -> Result<Input, Failure> {
    let items = match input {
        Value::String(text) => return Ok(Input { text: text.clone(), ..Input::default() }),
        Value::Array(items) if !items.is_empty() => items,
        _ => return Err(Failure::kind_of("input", "a text or a list with at least one item")),
    };
    let mut read = Vec::with_capacity(items.len());
    for (place, item) in items.iter().enumerate() {
        read.extend(self::item(item, &format!("input[{place}]"))?);
    }
    if goes_on && !read.iter().any(|message| message.role == Role::User) {
        return results(read);
    }
    if goes_on && read.iter().any(|message| message.role == Role::Tool) {
        let message = "results of tools and a new message of the user continue a response one after the other";
        return Err(Failure::param("input", "invalid_value", message));
    }
    let (said, before, after) = after_last_user(read, "input")?;
    let mut rounds = Rounds::default();
    let mut later = Vec::new();
    for message in after {
        later.extend(rounds.message(message)?);
    }
    let rounds = rounds.whole("input")?;
    let past = before.into_iter().chain(later).filter_map(Message::past).collect();
    let text = said.texts.join("\n\n");
    Ok(Input { text, attachments: said.attachments, past, rounds, results: Vec::new() })
}

/// Reads an input that has nothing but results of the calls of the response before.
fn results(read: Vec<Message>) -> Result<Input, Failure> {
    let mut input = Input::default();
    for message in read {
        match (message.role, &message.call_id) {
            (Role::Tool, Some(id)) => input.results.push((id.clone(), message.texts.join("\n\n"))),
            (Role::System, _) => input.past.extend(message.past()),
            // The calls are in the response before.
            (Role::Model, _) => {}
            _ => {}
        }
    }
    if input.results.is_empty() {
        let message =
            "`input` needs a message of the user, or results of the calls of the response before";
        return Err(Failure::param("input", "invalid_value", message));
    }
    Ok(input)
}

fn item(item: &Value, at: &str) -> Result<Option<Message>, Failure> {
    let own = item.as_object().ok_or_else(|| Failure::kind_of(at, "an object"))?;
    let text = |name: &str| {
        let text = own.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
        text.ok_or_else(|| Failure::kind_of(format!("{at}.{name}"), "a text"))
    };
    let at_owned = || at.to_owned();
    match own.get("type").and_then(Value::as_str) {
        None | Some("message") => message(own, at).map(Some),
        Some("function_call") => {
            let arguments = own.get("arguments").and_then(Value::as_str).unwrap_or_default();
            let call = ToolCall::function(text("call_id")?, text("name")?, arguments);
            Ok(Some(Message { calls: vec![call], at: at_owned(), ..Message::of(Role::Model) }))
        }
        Some("function_call_output") => {
            let id = Some(text("call_id")?.to_owned());
            let output = own.get("output").unwrap_or(&Value::Null);
            let texts = output_texts(output, &format!("{at}.output"))?;
            Ok(Some(Message { call_id: id, texts, at: at_owned(), ..Message::of(Role::Tool) }))
        }
        // What a model thought is its own; a client sends it back as it came.
        Some("reasoning") => Ok(None),
        Some("item_reference") => {
            let message = "no stored response of yours has this item";
            Err(Failure::param(format!("{at}.id"), "item_not_found", message))
        }
        _ => {
            let expected = "message, function_call, function_call_output or reasoning";
            Err(Failure::kind_of(format!("{at}.type"), expected))
        }
    }
}

fn output_texts(output: &Value, at: &str) -> Result<Vec<String>, Failure> {
    let expected = || Failure::kind_of(at, "a text or a list of parts `input_text`");
    match output {
        Value::String(text) => Ok(vec![text.clone()]),
        Value::Array(parts) => {
            let text = |part: &Value| part.get("text").and_then(Value::as_str).map(str::to_owned);
            parts.iter().map(|part| text(part).ok_or_else(expected)).collect()
        }
        _ => Err(expected()),
    }
}

fn message(own: &Map<String, Value>, at: &str) -> Result<Message, Failure> {
    let role = match own.get("role").and_then(Value::as_str) {
        Some("user") => Role::User,
        Some("assistant") => Role::Model,
        Some("system" | "developer") => Role::System,
        _ => {
            let expected = "user, assistant, system or developer";
            return Err(Failure::kind_of(format!("{at}.role"), expected));
        }
    };
    let mut read = Message { at: at.to_owned(), ..Message::of(role) };
    let at = format!("{at}.content");
    match own.get("content") {
        Some(Value::String(text)) => read.texts.push(text.clone()),
        Some(Value::Array(parts)) => {
            for (place, part) in parts.iter().enumerate() {
                self::part(&mut read, part, &format!("{at}[{place}]"))?;
            }
        }
        _ => return Err(Failure::kind_of(at, "a text or a list of parts")),
    }
    Ok(read)
}

fn part(message: &mut Message, part: &Value, at: &str) -> Result<(), Failure> {
    let field = |name: &str| part.get(name).and_then(Value::as_str);
    let kind = field("type").unwrap_or_default();
    match kind {
        "input_text" | "output_text" | "text" | "refusal" => {
            let name = if kind == "refusal" { "refusal" } else { "text" };
            let text = field(name);
            let text = text.ok_or_else(|| Failure::kind_of(format!("{at}.{name}"), "a text"))?;
            message.texts.push(text.to_owned());
        }
        "input_image" | "input_file" if message.role == Role::User => {
            let mut metadata = Map::new();
            let (kind, names) = match kind {
                "input_image" => (AttachmentKind::Image, ["image_url", "image_url"]),
                _ => (AttachmentKind::File, ["file_data", "file_url"]),
            };
            if let Some(name) = field("filename") {
                metadata.insert("fileName".to_owned(), name.into());
            }
            let url = names.iter().find_map(|name| field(name));
            let url = url.ok_or_else(|| {
                Failure::kind_of(
                    format!("{at}.{}", names[0]),
                    "an address; files are not kept here",
                )
            })?;
            message.attachments.push(Attachment { kind, url: address(url, at)?, metadata });
        }
        _ => {
            let expected =
                "input_text, input_image, input_file (of the user), output_text or refusal";
            return Err(Failure::kind_of(format!("{at}.type"), expected));
        }
    }
    Ok(())
}
