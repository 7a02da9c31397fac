//! Conversion to and from the types of the `async-openai` crate (PT-9).
//!
//! Both sides are OpenAI's JSON, so values are converted through it; the result is converted back
//! and compared, and a loss is an error that names it.
//!
//! ```
//! use async_openai::types::chat::ChatCompletionRequestMessage;
//! use contexture_prompt::{OpenaiChatMessage, OpenaiContentPart, Role};
//!
//! let ours = OpenaiChatMessage::of_text(Role::User, "Hi");
//! let theirs = ChatCompletionRequestMessage::try_from(ours.clone())?;
//! assert_eq!(OpenaiChatMessage::try_from(theirs)?, ours);
//!
//! let image = OpenaiContentPart::image_url("https://example.org/a.png");
//! let ours = OpenaiChatMessage::new(Role::System, vec![image]);
//! let error = ChatCompletionRequestMessage::try_from(ours).unwrap_err();
//! assert_eq!(error.path, "content[0]");
//! # Ok::<(), contexture_prompt::openai::NotCarried>(())
//! ```

use crate::message::{OpenaiChatMessage, OpenaiChatRequest, Role, ToolCall, ToolDefinition};
use async_openai::types::chat::{
    ChatCompletionMessageToolCalls, ChatCompletionRequestMessage, ChatCompletionTools,
    CreateChatCompletionRequest,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use thiserror::Error;

/// A value that the other side can't represent.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("`{path}` can't be carried over: {reason}")]
pub struct NotCarried {
    /// Its path, such as `messages[1].content[0]`; empty for the whole.
    pub path: String,
    /// The reason.
    pub reason: String,
}

impl NotCarried {
    fn new(path: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { path: path.into(), reason: reason.into() }
    }
}

impl TryFrom<OpenaiChatMessage> for ChatCompletionRequestMessage {
    type Error = NotCarried;

    fn try_from(message: OpenaiChatMessage) -> Result<Self, NotCarried> {
        roles_take_parts(&message, "")?;
        carry(&message)
    }
}

impl TryFrom<OpenaiChatRequest> for CreateChatCompletionRequest {
    type Error = NotCarried;

    fn try_from(request: OpenaiChatRequest) -> Result<Self, NotCarried> {
        for (at, message) in request.messages.iter().enumerate() {
            roles_take_parts(message, &format!("messages[{at}]."))?;
        }
        carry(&request)
    }
}

/// Conversions that need only the JSON of both sides.
macro_rules! carried {
    ($($from:ty => $to:ty;)*) => {
        $(
            impl TryFrom<$from> for $to {
                type Error = NotCarried;

                fn try_from(from: $from) -> Result<Self, NotCarried> {
                    carry(&from)
                }
            }
        )*
    };
}

carried! {
    ChatCompletionRequestMessage => OpenaiChatMessage;
    CreateChatCompletionRequest => OpenaiChatRequest;
    ToolDefinition => ChatCompletionTools;
    ChatCompletionTools => ToolDefinition;
    ToolCall => ChatCompletionMessageToolCalls;
    ChatCompletionMessageToolCalls => ToolCall;
}

/// Reports a part that the other side can't represent, more precisely than the other side's errors.
fn roles_take_parts(message: &OpenaiChatMessage, base: &str) -> Result<(), NotCarried> {
    let role = message.role;
    for (at, part) in message.parts().iter().enumerate() {
        let fits = match role {
            Role::User => part.kind() != "refusal",
            Role::Assistant => matches!(part.kind(), "text" | "refusal"),
            Role::System | Role::Developer | Role::Tool => part.kind() == "text",
        };
        if !fits {
            let reason = format!("a {role} message has no `{}` part there", part.kind());
            return Err(NotCarried::new(format!("{base}content[{at}]"), reason));
        }
    }
    if message.content.is_none() && role != Role::Assistant {
        let reason = format!("a {role} message needs content there");
        return Err(NotCarried::new(format!("{base}content"), reason));
    }
    if message.tool_call_id.is_none() && role == Role::Tool {
        let reason = "a tool message needs the id of the call it answers there";
        return Err(NotCarried::new(format!("{base}tool_call_id"), reason));
    }
    Ok(())
}

fn carry<T: Serialize, U: Serialize + DeserializeOwned>(from: &T) -> Result<U, NotCarried> {
    let failed = |error: serde_json::Error| NotCarried::new("", error.to_string());
    let there = serde_json::to_value(from).map_err(failed)?;
    let carried: U = serde_json::from_value(there.clone()).map_err(failed)?;
    let back = serde_json::to_value(&carried).map_err(failed)?;
    same(&there, &back, String::new())?;
    Ok(carried)
}

/// Reports whether everything in `there` was returned; the other side may add defaults of its own.
fn same(there: &Value, back: &Value, path: String) -> Result<(), NotCarried> {
    match (there, back) {
        (Value::Object(there), Value::Object(back)) => {
            for (name, value) in there {
                let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                match back.get(name) {
                    Some(back) => same(value, back, path)?,
                    None if value.is_null() => {}
                    None => return Err(NotCarried::new(path, "the other type has no such field")),
                }
            }
            Ok(())
        }
        (Value::Array(there), Value::Array(back)) if there.len() == back.len() => {
            let mut pairs = there.iter().zip(back).enumerate();
            pairs.try_for_each(|(at, (there, back))| same(there, back, format!("{path}[{at}]")))
        }
        // The other side stores fractions in single precision.
        (Value::Number(a), Value::Number(b)) if close(a.as_f64(), b.as_f64()) => Ok(()),
        _ if there == back => Ok(()),
        _ => Err(NotCarried::new(path, format!("{there} would become {back}"))),
    }
}

fn close(a: Option<f64>, b: Option<f64>) -> bool {
    a.zip(b).is_some_and(|(a, b)| (a - b).abs() <= a.abs() * f64::from(f32::EPSILON))
}

#[cfg(test)]
mod tests;
