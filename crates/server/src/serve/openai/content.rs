//! The messages of a chat request: the last one of the user is the input, the others are the history.

use super::error::Failure;
use super::parameters::given;
use super::tools::Rounds;
use contexture::prompt::ToolCall;
use contexture::turn::{Attachment, AttachmentKind, CallerRound, Past, Role};
use serde_json::{Map, Value};

/// The current message and the earlier ones.
#[derive(Debug, Default)]
pub(super) struct ChatInput {
    pub(super) text: String,
    pub(super) attachments: Vec<Attachment>,
    pub(super) past: Vec<Past>,
    /// The calls of the client's tools since the message.
    pub(super) rounds: Vec<CallerRound>,
}

pub(super) fn read(messages: &Value) -> Result<ChatInput, Failure> {
    let expected = "a list with at least one message";
    let messages = messages.as_array().filter(|all| !all.is_empty());
    let messages = messages.ok_or_else(|| Failure::kind_of("messages", expected))?;
    let mut read = Vec::with_capacity(messages.len());
    for (place, message) in messages.iter().enumerate() {
        read.push(Message::read(message, &format!("messages[{place}]"))?);
    }
    let (said, before, after) = after_last_user(read, "messages")?;
    let mut rounds = Rounds::default();
    let mut later = Vec::new();
    for message in after {
        later.extend(rounds.message(message)?);
    }
    let rounds = rounds.whole("messages")?;
    let past = before.into_iter().chain(later).filter_map(Message::past).collect();
    Ok(ChatInput { text: said.texts.join("\n\n"), attachments: said.attachments, past, rounds })
}

/// Returns the last message of the user, those before it, and those after it.
pub(super) fn after_last_user(
    mut read: Vec<Message>,
    at: &str,
) -> Result<(Message, Vec<Message>, Vec<Message>), Failure> {
    let last = read.iter().rposition(|message| message.role == Role::User);
    let mut rest = last.map(|last| read.split_off(last)).unwrap_or_default();
    let after = rest.split_off(rest.len().min(1));
    let Some(said) = rest.pop() else {
        let message =
            format!("`{at}` has to have a message of the user, which is what the agent answers");
        return Err(Failure::param(at, "invalid_value", message));
    };
    Ok((said, read, after))
}

/// A message of a request.
pub(super) struct Message {
    pub(super) role: Role,
    pub(super) texts: Vec<String>,
    pub(super) attachments: Vec<Attachment>,
    pub(super) calls: Vec<ToolCall>,
    /// The call that a result belongs to.
    pub(super) call_id: Option<String>,
    /// Its place in the request.
    pub(super) at: String,
}

impl Message {
    pub(super) fn of(role: Role) -> Self {
        let (texts, attachments, calls) = (Vec::new(), Vec::new(), Vec::new());
        Self { role, texts, attachments, calls, call_id: None, at: String::new() }
    }

    fn read(message: &Value, at: &str) -> Result<Self, Failure> {
        let message = message.as_object().ok_or_else(|| Failure::kind_of(at, "an object"))?;
        let role = match message.get("role").and_then(Value::as_str) {
            Some("user") => Role::User,
            Some("assistant") => Role::Model,
            Some("system" | "developer") => Role::System,
            Some("tool" | "function") => Role::Tool,
            _ => {
                let expected = "system, developer, user, assistant or tool";
                return Err(Failure::kind_of(format!("{at}.role"), expected));
            }
        };
        let mut read = Self { at: at.to_owned(), ..Self::of(role) };
        read.call_id = message.get("tool_call_id").and_then(Value::as_str).map(str::to_owned);
        if let Some(calls) = given(message, "tool_calls").filter(|_| role == Role::Model) {
            read.calls = tool_calls(calls, &format!("{at}.tool_calls"))?;
        }
        let at = format!("{at}.content");
        match message.get("content") {
            Some(Value::String(text)) => read.texts.push(text.clone()),
            Some(Value::Array(parts)) => {
                for (place, part) in parts.iter().enumerate() {
                    read.part(part, &format!("{at}[{place}]"))?;
                }
            }
            // An answer with tool calls only.
            Some(Value::Null) | None if role == Role::Model => {}
            _ => return Err(Failure::kind_of(at, "a text or a list of parts")),
        }
        Ok(read)
    }

    fn part(&mut self, part: &Value, at: &str) -> Result<(), Failure> {
        let kind = part.get("type").and_then(Value::as_str).unwrap_or_default();
        let text = |name: &str| {
            let text = part.get(name).and_then(Value::as_str).map(str::to_owned);
            text.ok_or_else(|| Failure::kind_of(format!("{at}.{name}"), "a text"))
        };
        match kind {
            "text" => self.texts.push(text("text")?),
            "refusal" if self.role == Role::Model => self.texts.push(text("refusal")?),
            "image_url" | "input_audio" | "file" if self.role == Role::User => {
                self.attachments.push(attachment(kind, part, at)?);
            }
            _ => {
                let expected = "text, image_url, input_audio or file (all but text in the user's messages alone)";
                return Err(Failure::kind_of(format!("{at}.type"), expected));
            }
        }
        Ok(())
    }

    /// Converts the message to history. Attachments are named, not shown again.
    pub(super) fn past(self) -> Option<Past> {
        let names = self.attachments.iter().map(|attachment| {
            let kind = attachment.kind.as_str().to_ascii_lowercase();
            let name = attachment.metadata.get("fileName").and_then(Value::as_str);
            let is_short = !attachment.url.starts_with("data:");
            match name.or_else(|| is_short.then_some(attachment.url.as_str())) {
                Some(name) => format!("[{kind}: {name}]"),
                None => format!("[{kind}]"),
            }
        });
        let mut texts = self.texts;
        texts.extend(names);
        let text = texts.join("\n\n");
        (!text.is_empty()).then(|| Past::new(self.role, text))
    }
}

/// Reads the calls of an answer.
fn tool_calls(calls: &Value, at: &str) -> Result<Vec<ToolCall>, Failure> {
    let calls = calls.as_array().ok_or_else(|| Failure::kind_of(at, "a list"))?;
    let read = |(place, call): (usize, &Value)| {
        let text = |pointer: &str| call.pointer(pointer).and_then(Value::as_str);
        match (text("/id"), text("/function/name"), text("/function/arguments")) {
            (Some(id), Some(name), Some(arguments)) if !id.is_empty() => {
                Ok(ToolCall::function(id, name, arguments))
            }
            _ => {
                let expected = "a call with id, function.name and function.arguments";
                Err(Failure::kind_of(format!("{at}[{place}]"), expected))
            }
        }
    };
    calls.iter().enumerate().map(read).collect()
}

/// Reads a part that is not text.
fn attachment(kind: &str, part: &Value, at: &str) -> Result<Attachment, Failure> {
    let field = |name: &str| part.get(kind).and_then(|own| own.get(name)).and_then(Value::as_str);
    let needed = |name: &str| {
        field(name).ok_or_else(|| Failure::kind_of(format!("{at}.{kind}.{name}"), "a text"))
    };
    let mut metadata = Map::new();
    let (kind, url) = match kind {
        "image_url" => (AttachmentKind::Image, needed("url")?.to_owned()),
        "input_audio" => {
            let format = match needed("format")? {
                "mp3" => "mpeg",
                other => other,
            };
            (AttachmentKind::Audio, format!("data:audio/{format};base64,{}", needed("data")?))
        }
        _ => {
            if field("file_id").is_some() {
                let message = "files are not kept here; send its content as `file_data`";
                return Err(Failure::param(
                    format!("{at}.file.file_id"),
                    "unsupported_value",
                    message,
                ));
            }
            if let Some(name) = field("filename") {
                metadata.insert("fileName".to_owned(), name.into());
            }
            (AttachmentKind::File, needed("file_data")?.to_owned())
        }
    };
    Ok(Attachment { kind, url: address(&url, at)?, metadata })
}

/// Checks the address of an attachment.
pub(super) fn address(url: &str, at: &str) -> Result<String, Failure> {
    let is_known = ["data:", "http://", "https://"].iter().any(|scheme| url.starts_with(scheme));
    if !is_known {
        return Err(Failure::kind_of(at, "a data:, http: or https: address"));
    }
    Ok(url.to_owned())
}
