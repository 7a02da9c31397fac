//! The port to what is done: actions and tools by their names.

use contexture_protocol::ErrorCode;
use contexture_protocol::content::{Fallback, FallbackBehavior, Runtime};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

/// A future in a box.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// What kind of thing an action does (5.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ActionKind {
    /// It gets information.
    Query,
    /// It does something that has an effect.
    #[default]
    Operation,
    /// It makes a text or the like.
    Generation,
    /// It looks at data.
    Analysis,
    /// It decides.
    Decision,
}

impl ActionKind {
    /// The word for it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Query => "QUERY",
            Self::Operation => "OPERATION",
            Self::Generation => "GENERATION",
            Self::Analysis => "ANALYSIS",
            Self::Decision => "DECISION",
        }
    }
}

/// What is known of an action.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ActionInfo {
    /// What kind of thing it does.
    pub kind: ActionKind,
    /// Whether doing it twice is the same as doing it once (FL-11).
    pub idempotent: bool,
    /// Whether it has its effect once for each [`ActionCall::key`], however often it is called.
    pub keyed: bool,
    /// Whether it neither waits nor computes for long: it is then tried where the engine thinks,
    /// which saves a task. One that waits all the same is moved to a task of its own.
    pub quick: bool,
    /// The JSON Schema of its parameters; they are checked before it runs (FL-2).
    pub parameters: Option<Value>,
    /// On which side it runs.
    pub runtime: Option<Runtime>,
}

impl ActionInfo {
    /// An action of a kind; `QUERY` and `ANALYSIS` are idempotent (FL-4).
    #[must_use]
    pub fn of(kind: ActionKind) -> Self {
        let idempotent = matches!(kind, ActionKind::Query | ActionKind::Analysis);
        Self { kind, idempotent, ..Self::default() }
    }

    /// The same, for an action that neither waits nor computes for long.
    #[must_use]
    pub fn quick(self) -> Self {
        Self { quick: true, ..self }
    }

    /// The same with a schema for its parameters.
    #[must_use]
    pub fn with_parameters(self, schema: Value) -> Self {
        Self { parameters: Some(schema), ..self }
    }
}

/// One try of a step.
#[derive(Debug, Clone, PartialEq)]
pub struct ActionCall {
    /// The step.
    pub id: String,
    /// The action.
    pub name: String,
    /// What it is given, every `${…}` replaced.
    pub parameters: Map<String, Value>,
    /// Which try it is, from 1.
    pub attempt: u32,
    /// The idempotency key: `idempotencyKey` of the parameters, else made of the run and the step.
    /// It is the same in every try, after a restart too.
    pub key: String,
    /// On which side the set wants it.
    pub runtime: Option<Runtime>,
    /// What a call of a front-end tool says beside that.
    pub frontend: Option<Box<FrontendCall>>,
}

/// What a call of a front-end tool says for the client (4.5.3).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FrontendCall {
    /// What it is for.
    pub description: Option<String>,
    /// What the user is asked.
    pub user_prompt: Option<String>,
    /// What happens when it can't be run.
    pub fallback: Option<FallbackBehavior>,
    /// What runs instead.
    pub alternative: Option<Fallback>,
    /// How it shows itself.
    pub ui_settings: Option<Map<String, Value>>,
    /// How long it may take in the client.
    pub timeout_client: Option<Duration>,
}

/// What an action gives back when it fails.
#[derive(Debug, Clone, PartialEq, Default, thiserror::Error)]
#[error("{code}: {message}")]
pub struct ActionFailure {
    /// A code: one of the protocol's, or the action's own.
    pub code: String,
    /// What went wrong, in words.
    pub message: String,
    /// More about it.
    pub details: Option<Value>,
    /// What was done before it failed: the result of the step if its recovery is `PARTIAL`.
    pub partial: Option<Value>,
    /// Whether it ran out of the time that the set gives it: the step is TIMEOUT then. What an
    /// action calls its own failure, `TIMEOUT` even, changes nothing of that.
    pub is_late: bool,
}

impl ActionFailure {
    /// A code and what it means here.
    #[must_use]
    pub fn new(code: impl Into<String>, message: impl Into<String>) -> Self {
        Self { code: code.into(), message: message.into(), ..Self::default() }
    }

    /// It was not done in the time that the set gives it, with the code `TIMEOUT`.
    #[must_use]
    pub fn late(message: impl Into<String>) -> Self {
        Self { is_late: true, ..Self::new(ErrorCode::Timeout.as_str(), message) }
    }
}

/// Where actions are found and called.
pub trait Actions: Send + Sync {
    /// What is known of an action; `None` if there is none of this name.
    fn describe(&self, name: &str) -> Option<ActionInfo>;

    /// All names, for suggestions.
    fn names(&self) -> Vec<String>;

    /// Calls an action. The future is dropped when the step is cancelled or late. It may panic; it
    /// must not block the thread.
    fn call(&self, call: ActionCall) -> BoxFuture<'_, Result<Value, ActionFailure>>;
}

type Act = dyn Fn(ActionCall) -> BoxFuture<'static, Result<Value, ActionFailure>> + Send + Sync;

/// Actions that are functions of this program.
///
/// ```
/// use contexture_core::action::{ActionInfo, ActionKind, Actions, Registry};
/// use serde_json::Value;
///
/// let mut actions = Registry::default();
/// actions.add("echo", ActionInfo::of(ActionKind::Query), |call| async move {
///     Ok(Value::Object(call.parameters))
/// });
/// assert!(actions.describe("echo").is_some_and(|info| info.idempotent));
/// ```
#[derive(Default, Clone)]
pub struct Registry {
    actions: BTreeMap<String, (ActionInfo, Arc<Act>)>,
}

impl Registry {
    /// Adds an action, in place of one that has the same name.
    pub fn add<F, R>(&mut self, name: impl Into<String>, info: ActionInfo, act: F)
    where
        F: Fn(ActionCall) -> R + Send + Sync + 'static,
        R: Future<Output = Result<Value, ActionFailure>> + Send + 'static,
    {
        let act: Arc<Act> = Arc::new(move |call| Box::pin(act(call)));
        self.actions.insert(name.into(), (info, act));
    }

    /// Adds all actions of another registry, in place of those that have the same names.
    pub fn extend(&mut self, other: &Self) {
        let others = other.actions.iter().map(|(name, action)| (name.clone(), action.clone()));
        self.actions.extend(others);
    }
}

impl Actions for Registry {
    fn describe(&self, name: &str) -> Option<ActionInfo> {
        self.actions.get(name).map(|(info, _)| info.clone())
    }

    fn names(&self) -> Vec<String> {
        self.actions.keys().cloned().collect()
    }

    fn call(&self, call: ActionCall) -> BoxFuture<'_, Result<Value, ActionFailure>> {
        match self.actions.get(&call.name) {
            Some((_, act)) => act(call),
            None => Box::pin(async move { Err(unknown(&call)) }),
        }
    }
}

/// The failure of a call whose action is nowhere. A front-end tool is one that no client offers.
#[must_use]
pub fn unknown(call: &ActionCall) -> ActionFailure {
    let name = &call.name;
    if call.runtime == Some(Runtime::Frontend) {
        return ActionFailure::new(
            "CLIENT_UNAVAILABLE",
            format!("no client that offers `{name}` is connected"),
        );
    }
    ActionFailure::new("UNKNOWN_ACTION", format!("there is no action `{name}`"))
}
