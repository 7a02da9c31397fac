//! Prompts: templates, messages and the composer that puts them in order.
//!
//! - [`PromptTemplate`] compiles a text with `{{variables}}`, conditions, loops and partials once
//!   and renders it with a [`TemplateContext`] as often as needed; [`PromptTemplateRegistry`] keeps
//!   templates by name.
//! - [`check`] reports all faults of a template at once and the variables it needs; [`codes`]
//!   explains each kind of fault. [`gather_partials`] finds the templates that others in files
//!   include.
//! - [`References`] provides the texts that templates include by reference, `{{> @file://tone.md
//!   }}`.
//! - [`PromptComposer`] builds a conversation message by message, and [`validate_messages`] reports
//!   whether a provider would accept it.
//! - [`OpenaiChatMessage`], [`OpenaiChatRequest`] and [`ChatResponse`] are the wire types.
//! - [`layout`] puts identity, context items, instruction and contract of one model call in their
//!   places.
//!
//! Decision: this crate does not depend on models, networks or programs. Callers of models depend
//! on this crate, not the other way round (PT-13); the only I/O is reading template files on
//! request.
//!
//! ```
//! use contexture_prompt::{PromptComposer, PromptTemplate, TemplateContext};
//!
//! let tpl = PromptTemplate::compile(
//!     "你是{{role}}。请回答以下问题:\n{{#if context}}参考背景:{{context}}\n{{/if}}提问:{{question}}",
//! )?;
//!
//! let mut ctx = TemplateContext::new();
//! ctx.insert("role", "资深工程师");
//! ctx.insert("question", "Rust 的所有权规则是什么?");
//! ctx.insert("context", "用户有 Java 背景");
//!
//! let messages = PromptComposer::new()
//!     .system("你是一个专业的 Rust 助手")
//!     .user_template(&tpl, &ctx)?
//!     .build();
//! assert_eq!(
//!     messages[1].text(),
//!     "你是资深工程师。请回答以下问题:\n参考背景:用户有 Java 背景\n提问:Rust 的所有权规则是什么?"
//! );
//!
//! let request = PromptComposer::new()
//!     .system("你是一个翻译助手")
//!     .user("Hello, world!")
//!     .build_request("gpt-4o");
//! assert_eq!(request.messages.len(), 2);
//! # Ok::<(), contexture_prompt::PromptError>(())
//! ```
//!
//! # Features
//!
//! | Feature | Adds |
//! |---|---|
//! | `async-openai` | `TryFrom` between these messages, requests and tools and those of the `async-openai` crate |

pub mod codes;
pub mod composer;
pub mod error;
pub mod layout;
pub mod limits;
pub mod message;
#[cfg(feature = "async-openai")]
pub mod openai;
mod redact;
mod sequence;
pub mod template;

pub use composer::{PromptComposer, TokenReport, validate_messages};
pub use error::{LocatedError, PromptError};
pub use layout::{LaidOut, PromptParts, lay_out};
pub use limits::RenderLimits;
pub use message::{
    ChatResponse, ContentField, FileData, FinishReason, FunctionCall, FunctionDefinition, ImageUrl,
    InputAudio, JsonSchemaFormat, Message, NamedFunction, OpenaiChatMessage, OpenaiChatRequest,
    OpenaiContentPart, ResponseFormat, Role, Stop, StreamOptions, ToolCall, ToolChoice,
    ToolDefinition, ToolKind, Usage,
};
pub use template::{
    AmbiguousPartial, CheckReport, Include, Included, Need, PromptTemplate, PromptTemplateRegistry,
    ReferenceError, References, Requirement, TemplateContext, TemplateNumber, TemplateObject,
    TemplateValue, check, check_with, decode_source, gather_partials, partial_file,
};
