//! Prompt templates, messages and the composer of Contexture.

pub mod message;

pub use message::{
    ChatResponse, ContentField, FileData, FinishReason, FunctionCall, FunctionDefinition, ImageUrl,
    InputAudio, JsonSchemaFormat, Message, OpenaiChatMessage, OpenaiChatRequest, OpenaiContentPart,
    ResponseFormat, Role, Stop, StreamOptions, ToolCall, ToolChoice, ToolDefinition, ToolKind, Usage,
};
