//! The request of a turn.

use super::attachment::Attachment;
use super::form::Form;
use crate::run::request::RunRequest;
use contexture_context::{Label, Trust};
use contexture_prompt::{ToolCall, ToolChoice, ToolDefinition};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// One turn of a conversation.
#[derive(Clone, Default)]
pub struct TurnRequest {
    /// The run of the agent that answers. The conversation takes the place of its input, and gives
    /// it its context and its private texts.
    pub run: RunRequest,
    /// The message, and the conversation before it.
    pub conversation: Conversation,
    /// The hints of the caller for the answer.
    pub hints: Hints,
}

/// The message of a turn, and the conversation before it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Conversation {
    /// The id of the context.
    pub context_id: Option<String>,
    /// The text of the user.
    pub text: String,
    /// The attachments of the user.
    pub attachments: Vec<Attachment>,
    /// The turns before this one, oldest first.
    pub messages: Vec<Past>,
    /// The state of the context; null counts as none.
    pub state: Value,
    /// The message's metadata; a program sees it when it declares a field `metadata`.
    pub metadata: Map<String, Value>,
    /// Texts in all of this that are masked wherever the turn is written down (CP-19).
    #[serde(skip)]
    pub private: Vec<String>,
}

/// An earlier message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Past {
    /// Its sender.
    pub role: Role,
    /// Its text.
    pub text: String,
    /// Its label: the trust level of its sender, or a lower one that the record of it holds, with the
    /// sources there.
    pub label: Label,
}

impl Past {
    /// Creates a message with the trust level of its sender.
    #[must_use]
    pub fn new(role: Role, text: impl Into<String>) -> Self {
        Self { role, text: text.into(), label: role.trust().into() }
    }

    /// Adds the label of what the message was made of, which only lowers its trust level (GU-4).
    #[must_use]
    pub fn believed(mut self, label: impl Into<Label>) -> Self {
        self.label = self.label.join(&label.into());
        self
    }
}

/// The sender of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The user.
    User,
    /// A model.
    Model,
    /// The system, or an app that speaks for it.
    System,
    /// A tool, with its result.
    Tool,
}

impl Role {
    /// Returns the word for it in a program.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Model => "model",
            Self::System => "system",
            Self::Tool => "tool",
        }
    }

    /// Returns the trust level of its messages: an app's message for the system is the caller's,
    /// too.
    #[must_use]
    pub const fn trust(self) -> Trust {
        match self {
            Self::User | Self::System => Trust::User,
            Self::Model => Trust::Model,
            Self::Tool => Trust::Tool,
        }
    }
}

/// The hints of a caller for the answer. A program's own `temperature` wins; of two limits of the
/// answer's length the lower one holds. All but `temperature` concern the model call whose text is the
/// answer alone, not an intermediate step: see [which one that is](super#which-text-is-streamed).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Hints {
    /// The most tokens of the answer.
    pub max_output: Option<u64>,
    /// The sampling temperature of every model call that sets none.
    pub temperature: Option<f64>,
    /// Texts that end the answer, and are not a part of it.
    pub stop: Vec<String>,
    /// The form of the answer: its text is JSON of this form. An agent without such a model call is
    /// not asked for it.
    pub form: Option<Form>,
    /// The tools of the caller.
    pub tools: Option<CallerTools>,
}

/// Tools that the caller itself runs: a wish for one ends the turn with [`Finish::ToolCalls`], and the
/// caller sends the same message again with the result (WA-8).
///
/// [`Finish::ToolCalls`]: super::Finish::ToolCalls
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CallerTools {
    /// The tools that may be called.
    pub offered: Vec<ToolDefinition>,
    /// The rule for calling them.
    pub choice: Option<ToolChoice>,
    /// False if an answer may hold one call alone.
    pub parallel: Option<bool>,
    /// The calls of earlier answers to this message, with their results.
    pub rounds: Vec<CallerRound>,
}

/// The calls of one answer, and their results.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CallerRound {
    /// The text beside the calls.
    pub text: String,
    /// The calls.
    pub calls: Vec<ToolCall>,
    /// The result of each call, in their order.
    pub results: Vec<String>,
    /// A label that lowers that of the whole: results of a caller have the trust level of tools.
    pub label: Label,
}
