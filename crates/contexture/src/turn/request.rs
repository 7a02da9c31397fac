//! The request of a turn.

use super::attachment::Attachment;
use crate::run::request::RunRequest;
use contexture_context::Trust;
use serde_json::{Map, Value};

/// One turn of a conversation.
#[derive(Clone, Default)]
pub struct TurnRequest {
    /// The run of the agent that answers. The conversation takes the place of its input, and gives it
    /// its context and its private texts.
    pub run: RunRequest,
    /// What is said, and what was said before.
    pub conversation: Conversation,
    /// What the caller wishes of the answer.
    pub hints: Hints,
}

/// The text of a turn, and what is known from before.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Conversation {
    /// The id of the context.
    pub context_id: Option<String>,
    /// What the user says.
    pub text: String,
    /// What the user attached.
    pub attachments: Vec<Attachment>,
    /// The turns before this one, oldest first.
    pub messages: Vec<Past>,
    /// The state of the context; null counts as none.
    pub state: Value,
    /// The message's metadata; a program sees it when it declares a field `metadata`.
    pub metadata: Map<String, Value>,
    /// Texts in all of this that are masked wherever the turn is written down (CP-19).
    pub private: Vec<String>,
}

/// An earlier message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Past {
    /// Who.
    pub role: Role,
    /// What.
    pub text: String,
}

/// Who said something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
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
    /// How a program reads it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Model => "model",
            Self::System => "system",
            Self::Tool => "tool",
        }
    }

    /// How far it may be believed: what an app says for the system is the caller's word too.
    #[must_use]
    pub const fn trust(self) -> Trust {
        match self {
            Self::User | Self::System => Trust::User,
            Self::Model => Trust::Model,
            Self::Tool => Trust::Tool,
        }
    }
}

/// The wishes of a caller for the answer. A program's own `temperature` wins; of two limits of the
/// answer's length the lower one holds. `max_output` concerns the answer alone, not a step on the
/// way to it: see [which text that is](super#which-text-is-told-as-it-comes).
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Hints {
    /// Tokens of the answer.
    pub max_output: Option<u64>,
    /// The sampling temperature of every model call that sets none.
    pub temperature: Option<f64>,
}
