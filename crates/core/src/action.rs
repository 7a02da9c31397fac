//! The port of actions and tools, by their names.

pub use crate::policy::{Class, Demands};
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

/// The kind of an action (5.2).
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
    /// Returns the word for it.
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

/// The properties of an action.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ActionInfo {
    /// Its kind.
    pub kind: ActionKind,
    /// True if doing it twice is the same as doing it once (FL-11).
    pub idempotent: bool,
    /// True if it has its effect once for each [`ActionCall::key`], however often it is called.
    pub keyed: bool,
    /// True if it neither waits nor computes for long: the engine then polls it itself, which
    /// saves a task. One that waits all the same is moved to a task of its own.
    pub quick: bool,
    /// The JSON Schema of its parameters; they are checked before it runs (FL-2).
    pub parameters: Option<Value>,
    /// The side that it runs on.
    pub runtime: Option<Runtime>,
    /// What it does to the world (GU-5); see [`Self::class`].
    pub class: Option<Class>,
    /// The lowest trust levels of its arguments, where they are not the user's.
    pub demands: Demands,
}

impl ActionInfo {
    /// Returns its class: what it says, else what its kind says. An operation that does not say
    /// what it does counts as the worst.
    #[must_use]
    pub fn class(&self) -> Class {
        self.class.unwrap_or(match self.kind {
            ActionKind::Operation => Class::Execute,
            _ => Class::Read,
        })
    }

    /// Says its class.
    #[must_use]
    pub fn with_class(self, class: Class) -> Self {
        Self { class: Some(class), ..self }
    }

    /// Returns the properties of a kind; `QUERY` and `ANALYSIS` are idempotent (FL-4).
    #[must_use]
    pub fn of(kind: ActionKind) -> Self {
        let idempotent = matches!(kind, ActionKind::Query | ActionKind::Analysis);
        Self { kind, idempotent, ..Self::default() }
    }

    /// Marks the action as one that neither waits nor computes for long.
    #[must_use]
    pub fn quick(self) -> Self {
        Self { quick: true, ..self }
    }

    /// Sets the schema of its parameters.
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
    /// Its parameters, every `${…}` replaced.
    pub parameters: Map<String, Value>,
    /// The number of the try, from 1.
    pub attempt: u32,
    /// The idempotency key: `idempotencyKey` of the parameters, else made of the run and the step.
    /// It is the same in every try, after a restart too.
    pub key: String,
    /// The side that the set wants it on.
    pub runtime: Option<Runtime>,
    /// The further fields of a call of a front-end tool.
    pub frontend: Option<Box<FrontendCall>>,
}

/// The fields of a call of a front-end tool that are for the client (4.5.3).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FrontendCall {
    /// Its purpose.
    pub description: Option<String>,
    /// The question to the user.
    pub user_prompt: Option<String>,
    /// The behaviour when it can't be run.
    pub fallback: Option<FallbackBehavior>,
    /// The alternative that runs instead.
    pub alternative: Option<Fallback>,
    /// The settings of its user interface.
    pub ui_settings: Option<Map<String, Value>>,
    /// The time that it may take in the client.
    pub timeout_client: Option<Duration>,
}

/// The failure of an action.
#[derive(Debug, Clone, PartialEq, Default, thiserror::Error)]
#[error("{code}: {message}")]
pub struct ActionFailure {
    /// A code: one of the protocol's, or the action's own.
    pub code: String,
    /// The cause, in words.
    pub message: String,
    /// More about it.
    pub details: Option<Value>,
    /// The result so far: the result of the step if its recovery is `PARTIAL`.
    pub partial: Option<Value>,
    /// True if it ran out of the time that the set gives it: the step is TIMEOUT then. The code
    /// that an action gives its own failure, even `TIMEOUT`, does not matter here.
    pub is_late: bool,
}

impl ActionFailure {
    /// Creates a failure from a code and a message.
    #[must_use]
    pub fn new(code: impl Into<String>, message: impl Into<String>) -> Self {
        Self { code: code.into(), message: message.into(), ..Self::default() }
    }

    /// Creates the failure of an action that ran out of its time, with the code `TIMEOUT`.
    #[must_use]
    pub fn late(message: impl Into<String>) -> Self {
        Self { is_late: true, ..Self::new(ErrorCode::Timeout.as_str(), message) }
    }
}

/// Finds actions by name and calls them.
pub trait Actions: Send + Sync {
    /// Returns the properties of an action; `None` if there is none of this name.
    fn describe(&self, name: &str) -> Option<ActionInfo>;

    /// Returns all names, for suggestions.
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

/// Returns the failure of a call whose action is unknown, or a front-end tool no client offers.
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
