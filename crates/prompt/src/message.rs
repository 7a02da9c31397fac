//! Chat messages, requests and answers in OpenAI's JSON (PT-9).
//!
//! Decision: these are types of our own. The composer puts every kind of part into every role, and
//! the OpenAI crates do not; and a field that a compatible server adds has to survive a round trip,
//! so messages and requests keep unknown fields in `extra`. Absent options are not written.

mod chat;
mod part;
mod request;
mod response;
mod tool;

pub use chat::{Message, OpenaiChatMessage, Role};
pub use part::{ContentField, FileData, ImageUrl, InputAudio, OpenaiContentPart};
pub use request::{
    JsonSchemaFormat, NamedFunction, OpenaiChatRequest, ResponseFormat, Stop, StreamOptions,
    ToolChoice,
};
pub use response::{ChatResponse, FinishReason, Usage};
pub use tool::{FunctionCall, FunctionDefinition, ToolCall, ToolDefinition, ToolKind};

#[cfg(test)]
mod tests;
