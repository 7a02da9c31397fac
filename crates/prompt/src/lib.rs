//! Prompt templates, messages and the composer of Contexture.

pub mod error;
pub mod limits;
pub mod message;
pub mod template;

pub use error::{LocatedError, PromptError};
pub use limits::RenderLimits;
pub use message::{
    ChatResponse, ContentField, FileData, FinishReason, FunctionCall, FunctionDefinition, ImageUrl,
    InputAudio, JsonSchemaFormat, Message, OpenaiChatMessage, OpenaiChatRequest, OpenaiContentPart,
    ResponseFormat, Role, Stop, StreamOptions, ToolCall, ToolChoice, ToolDefinition, ToolKind,
    Usage,
};
pub use template::{
    CheckReport, Need, PromptTemplate, PromptTemplateRegistry, Requirement, TemplateContext,
    TemplateNumber, TemplateObject, TemplateValue, check, check_with, decode_source,
};
