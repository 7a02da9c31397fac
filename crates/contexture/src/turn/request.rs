//! What a turn is asked with.

use super::Attachment;
use crate::frontend::Frontend;
use crate::models::StandIn;
use crate::permission::Permission;
use crate::run::RunRequest;
use crate::servers::Consent;
use contexture_context::Trust;
use contexture_knowledge::Allowance;
use contexture_store::contexts::ContextStore;
use serde_json::{Map, Value};
use std::path::PathBuf;
use std::sync::Arc;

/// One turn of a conversation.
#[derive(Clone, Default)]
pub struct TurnRequest {
    /// The program's path.
    pub program: PathBuf,
    /// Its text, when it is not to be read: the path then names it in records and messages.
    pub text: Option<String>,
    /// The agent; the main one when absent.
    pub agent: Option<String>,
    /// Its function; the main one when absent.
    pub function: Option<String>,
    /// What is said, and what was said before.
    pub conversation: Conversation,
    /// The default model; wins over environment and configuration. A `model` of the program stays.
    pub model: Option<String>,
    /// What answers in place of the models.
    pub stand_in: StandIn,
    /// Where to record the models' answers.
    pub record: Option<PathBuf>,
    /// What the caller wishes of the answer.
    pub hints: Hints,
    /// What runs the tools of the front end.
    pub frontend: Option<Arc<dyn Frontend>>,
    /// Who asks the user before something sensitive is done; nobody when absent.
    pub permission: Option<Arc<dyn Permission>>,
    /// The stored contexts that `@context://` reads; those of the workspace when absent.
    pub contexts: Option<Contexts>,
    /// Knowledge packs that may be read, each in one state (KN-8).
    pub allow_packs: Vec<Allowance>,
    /// MCP servers of the project that may be used (AS-25).
    pub servers: Consent,
    /// Whether the person who started the server named the project, which approves its packs (KN-8).
    pub approve_packs: bool,
    /// Keep no record in the workspace.
    pub forget: bool,
}

impl TurnRequest {
    /// The run behind the turn.
    pub(super) fn run(&self) -> RunRequest {
        RunRequest {
            program: self.program.clone(),
            text: self.text.clone(),
            agent: self.agent.clone(),
            function: self.function.clone(),
            model: self.model.clone(),
            stand_in: self.stand_in.clone(),
            record: self.record.clone(),
            allow_packs: self.allow_packs.clone(),
            approve_packs: self.approve_packs,
            servers: self.servers.clone(),
            context: self.conversation.context_id.clone(),
            private: self.conversation.private.clone(),
            forget: self.forget,
            ..RunRequest::default()
        }
    }
}

/// The stored contexts of one owner.
#[derive(Clone)]
pub struct Contexts {
    /// Where they are kept.
    pub store: Arc<dyn ContextStore>,
    /// Whose they are: those of others are not there.
    pub owner: String,
}

impl std::fmt::Debug for Contexts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Contexts").field("owner", &self.owner).finish_non_exhaustive()
    }
}

/// What is said in a turn, and what is known from before.
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

/// What somebody said before.
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

/// What a caller wishes of the answer. A program's own `temperature` wins; of two limits of the
/// answer's length the lower one holds. `max_output` concerns the answer alone, not a step on the
/// way to it: see [which text that is](super#which-text-is-told-as-it-comes).
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Hints {
    /// Tokens of the answer.
    pub max_output: Option<u64>,
    /// The sampling temperature of every model call that sets none.
    pub temperature: Option<f64>,
}
