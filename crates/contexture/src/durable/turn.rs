//! The journal of a turn under a server (WA-3).
//!
//! Decision: it stays in memory until the turn first waits for a person, and is on disk before anybody
//! is asked. A turn that never waits costs no file; one that dies before it waited is uncertain, since
//! what costs is a model call, which is not repeated unasked.

use super::head::Head;
use super::kept::unusable;
use super::stored::StoredRun;
use crate::frontend::FrontendTool;
use crate::host::durable::call_id;
use crate::run::SetupError;
use crate::turn::Conversation;
use contexture_llm::{Journal, Past};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::sync::{Arc, OnceLock};

/// The turn of a conversation that a run is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Turn {
    /// The owner of the context.
    pub owner: String,
    /// The context.
    pub context: String,
    /// Its incarnation.
    pub incarnation: u64,
    /// The message that is answered, as JSON.
    pub message: Value,
    /// Its number in the context.
    pub seq: u64,
    /// The name of the agent that answers.
    pub agent: String,
    /// The intent by which it was chosen.
    pub intent: Option<String>,
    /// The tools of clients when it first waited.
    pub tools: Vec<FrontendTool>,
}

impl Turn {
    /// Returns the id of the message that is answered.
    #[must_use]
    pub fn message_id(&self) -> &str {
        self.message.get("messageId").and_then(Value::as_str).unwrap_or_default()
    }
}

/// The journal of a turn; clones are the same one.
#[derive(Debug, Clone)]
pub struct TurnJournal(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    turn: Turn,
    /// What the turn began with, once its run has its input.
    conversation: OnceLock<Conversation>,
    /// The run that is taken up again.
    resumes: Option<String>,
    begun: OnceLock<Begun>,
}

struct Begun {
    run: String,
    journal: Journal,
    head: Head,
}

impl std::fmt::Debug for Begun {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Begun").field("run", &self.run).finish_non_exhaustive()
    }
}

impl PartialEq for TurnJournal {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for TurnJournal {}

impl TurnJournal {
    /// Creates the journal of a turn that begins, or of one whose run is taken up again.
    #[must_use]
    pub fn new(turn: Turn, resumes: Option<String>) -> Self {
        let (conversation, begun) = (OnceLock::new(), OnceLock::new());
        Self(Arc::new(Shared { turn, conversation, resumes, begun }))
    }

    /// Takes what the turn began with: it is written only if the turn waits.
    pub(crate) fn holds(&self, conversation: Conversation) {
        // A turn runs once.
        let _ = self.0.conversation.set(conversation);
    }

    pub(super) fn turn(&self) -> &Turn {
        &self.0.turn
    }

    pub(super) fn resumes(&self) -> Option<&str> {
        self.0.resumes.as_deref()
    }

    pub(super) fn begin(&self, run: String, journal: Journal, head: Head) {
        // A turn runs once.
        let _ = self.0.begun.set(Begun { run, journal, head });
    }

    /// Returns the id of the run, once it has begun.
    #[must_use]
    pub fn run(&self) -> Option<&str> {
        self.0.begun.get().map(|begun| &*begun.run)
    }

    /// Reports whether it is in its place.
    #[must_use]
    pub fn is_kept(&self) -> bool {
        self.0.begun.get().is_some_and(|begun| begun.journal.is_kept())
    }

    /// Returns the number of calls under way.
    #[must_use]
    pub fn busy(&self) -> usize {
        self.0.begun.get().map_or(0, |begun| begun.journal.busy())
    }

    /// Puts it into its place, with the tools of clients; it is on disk when this returns.
    ///
    /// # Errors
    /// [`SetupError`] when it can't be written.
    pub fn keep(&self, tools: impl FnOnce() -> Vec<FrontendTool>) -> Result<(), SetupError> {
        let Some(Begun { journal, head, .. }) = self.0.begun.get() else { return Ok(()) };
        if journal.is_kept() {
            return Ok(());
        }
        let Some(conversation) = self.0.conversation.get() else {
            let message = "the turn waits before it has its conversation";
            return Err(SetupError::new("journal_unusable", message, None));
        };
        let turn = Turn { tools: tools(), ..self.turn().clone() };
        let head = head.clone().of_turn(turn, conversation);
        journal.keep(&head.call()).map_err(|error| unusable(&error))
    }
}

impl StoredRun {
    /// Returns the turn that the run is, if it is one of a server.
    #[must_use]
    pub const fn turn(&self) -> Option<&Turn> {
        self.head.turn.as_ref()
    }

    /// Reports whether a call of it has no known outcome, those of models included.
    #[must_use]
    pub fn is_uncertain(&self) -> bool {
        let was_asked_again = |past: &Past| {
            let is_later = |other: &Past| other.seq > past.seq && other.call.key == past.call.key;
            past.is_model && self.calls.iter().any(is_later)
        };
        self.calls.iter().any(|past| past.is_open() && !was_asked_again(past))
    }

    /// Returns the ids of the calls that have ended.
    #[must_use]
    pub fn ended_ids(&self) -> Vec<String> {
        let ended = self.calls.iter().filter(|past| !past.is_open() && !past.is_model);
        ended.map(|past| call_id(&self.id, &past.call.key)).collect()
    }

    /// Returns the conversation of the turn; `now` is how it stands today, which serves where the
    /// journal does not keep it because it held a secret.
    ///
    /// # Errors
    /// [`SetupError`] when that is not the one that the turn began with.
    pub fn conversation(&self, now: Conversation) -> Result<Conversation, SetupError> {
        let given = self.is_masked.then(|| json!(now));
        let kept: Result<Conversation, _> = serde_json::from_value(self.input(given)?);
        let kept = kept.map_err(|error| {
            SetupError::new("journal_unusable", format!("the journal is damaged: {error}"), None)
        })?;
        Ok(Conversation { private: now.private, ..kept })
    }
}
