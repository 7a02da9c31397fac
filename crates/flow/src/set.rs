//! Sets: tool calls and instructions in one form (FL-1, FL-4).
//!
//! Decision: a tool call is an instruction whose action is a tool. So there is one type for both,
//! made from the messages of the protocol, and one engine for it.

mod read;
mod salvage;
mod stray;

pub use crate::action::FrontendCall;
use crate::check::report::Report;
use contexture_protocol::content::{
    Call, CallMode, InstructionMode, InstructionSet, Recovery, Runtime, ToolCallRequest,
};
use serde_json::{Map, Value};
use std::time::Duration;
use stray::Strays;

pub(crate) use stray::Stray;

/// The kind of a set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The instructions of an INSTRUCTION message.
    Instructions,
    /// The calls of a TOOL_CALL_REQUEST message.
    Calls,
}

/// The execution mode of a set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// One after another; calls: `SYNC` and `SEQUENTIAL`.
    Sequential,
    /// All ready steps concurrently; `CONDITIONAL` and `ASYNC` run the same way.
    Parallel,
    /// All front-end tools one after another, then the others.
    FrontendFirst,
    /// All others one after another, then the front-end tools.
    BackendFirst,
    /// Both sides concurrently, each one after another.
    ClientServerParallel,
}

impl Mode {
    /// Returns its name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Sequential => "SEQUENTIAL",
            Self::Parallel => "PARALLEL",
            Self::FrontendFirst => "FRONTEND_FIRST",
            Self::BackendFirst => "BACKEND_FIRST",
            Self::ClientServerParallel => "CLIENT_SERVER_PARALLEL",
        }
    }

    /// Reports whether the two sides run separately.
    #[must_use]
    pub const fn has_sides(self) -> bool {
        matches!(self, Self::FrontendFirst | Self::BackendFirst | Self::ClientServerParallel)
    }
}

/// A set of instructions or calls.
#[derive(Debug, Clone)]
pub struct Set {
    /// Its kind.
    pub kind: Kind,
    /// Its execution mode.
    pub mode: Mode,
    /// The instructions or calls, in their order.
    pub steps: Vec<Step>,
    /// The timeout of the whole set.
    pub timeout: Option<Duration>,
    /// The common timeout of the front-end tools.
    pub frontend_timeout: Option<Duration>,
    /// The common timeout of the others.
    pub backend_timeout: Option<Duration>,
    /// The JSON pointer of the list of steps.
    pub(crate) pointer: String,
    /// Fields without an effect at their place.
    pub(crate) unused: Vec<Stray>,
    /// The malformed parts that were removed, in a set that is only checked.
    pub(crate) form: Option<Box<Form>>,
}

/// Faults of form, and their consequences for the check.
#[derive(Debug, Clone, Default)]
pub(crate) struct Form {
    pub(crate) report: Report,
    /// True if the id of a step can't be read: any unknown id may be that one.
    pub(crate) is_nameless: bool,
    /// True if some dependencies of a step can't be read.
    pub(crate) is_vague: bool,
    /// True if the side of a step can't be read.
    pub(crate) is_sideless: bool,
}

/// An instruction or a call.
#[derive(Debug, Clone, Default)]
pub struct Step {
    /// Its id, unique in the set.
    pub id: String,
    /// The action or tool.
    pub action: String,
    /// Its arguments, with `${…}` not yet replaced.
    pub parameters: Map<String, Value>,
    /// The ids of steps that must have ended before.
    pub dependencies: Vec<String>,
    /// It runs only if this is true.
    pub condition: Option<String>,
    /// The timeout of one attempt.
    pub timeout: Option<Duration>,
    /// The recovery if it fails.
    pub recovery: Option<Box<Recovery>>,
    /// The side that runs it; if absent, the side where the action is registered.
    pub runtime: Option<Runtime>,
    /// Further fields of a call of a front-end tool.
    pub frontend: Option<Box<FrontendCall>>,
}

impl Set {
    /// Creates the set of an INSTRUCTION.
    #[must_use]
    pub fn of_instructions(set: InstructionSet) -> Self {
        let mode = match set.mode() {
            InstructionMode::Sequential => Mode::Sequential,
            InstructionMode::Parallel | InstructionMode::Conditional => Mode::Parallel,
        };
        let mut strays = Strays::default();
        strays.of_set(&set);
        let mut steps = Vec::with_capacity(set.instructions.len());
        for (at, item) in (0..).zip(set.instructions) {
            strays.of_instruction(at, &item);
            steps.push(Step {
                id: item.instruction_id,
                action: item.action,
                parameters: item.parameters.unwrap_or_default(),
                dependencies: item.dependencies.unwrap_or_default(),
                condition: item.condition,
                timeout: item.timeout.map(|timeout| timeout.duration()),
                recovery: item.recovery.map(Box::new),
                ..Step::default()
            });
        }
        Self {
            kind: Kind::Instructions,
            mode,
            steps,
            timeout: set.timeout.map(|timeout| timeout.duration()),
            frontend_timeout: None,
            backend_timeout: None,
            pointer: "/content/instructions".to_owned(),
            unused: strays.found,
            form: None,
        }
    }

    /// Creates the set of a TOOL_CALL_REQUEST.
    #[must_use]
    pub fn of_calls(request: ToolCallRequest) -> Self {
        let mode = match request.mode() {
            CallMode::Sync | CallMode::Sequential => Mode::Sequential,
            CallMode::Async | CallMode::Parallel => Mode::Parallel,
            CallMode::FrontendFirst => Mode::FrontendFirst,
            CallMode::BackendFirst => Mode::BackendFirst,
            CallMode::ClientServerParallel => Mode::ClientServerParallel,
        };
        let list = if request.calls.is_some() { "calls" } else { "toolCalls" };
        let seconds =
            |time: &Option<contexture_protocol::Seconds>| time.as_ref().map(|t| t.duration());
        let timeouts =
            [&request.timeout, &request.frontend_timeout, &request.backend_timeout].map(seconds);
        let [timeout, frontend_timeout, backend_timeout] = timeouts;
        let mut strays = Strays::default();
        strays.of_request(&request);
        let mut steps = Vec::new();
        for (at, call) in (0..).zip(request.into_calls()) {
            strays.of_call(at, &call);
            steps.push(Step::of_call(call));
        }
        let pointer = format!("/content/{list}");
        let kind = Kind::Calls;
        Self {
            kind,
            mode,
            steps,
            timeout,
            frontend_timeout,
            backend_timeout,
            pointer,
            unused: strays.found,
            form: None,
        }
    }

    /// Reports whether an id can't be read, so that an unknown id may be that.
    pub(crate) fn has_nameless(&self) -> bool {
        self.form.as_ref().is_some_and(|form| form.is_nameless)
    }

    pub(crate) fn pointer_of(&self, step: usize) -> String {
        format!("{}/{step}", self.pointer)
    }

    /// Returns the JSON pointer of a field without effect.
    pub(crate) fn pointer_of_stray(&self, stray: &Stray) -> String {
        let field = stray.field.replace('~', "~0").replace('/', "~1");
        let object = match stray.step {
            Some(step) => self.pointer_of(step as usize),
            None => self.pointer.rsplit_once('/').map_or("", |(set, _)| set).to_owned(),
        };
        format!("{object}{}/{field}", stray.within)
    }

    pub(crate) fn dependency_field(&self) -> &'static str {
        match self.kind {
            Kind::Instructions => "dependencies",
            Kind::Calls => "requiredAfter",
        }
    }

    pub(crate) fn id_field(&self) -> &'static str {
        match self.kind {
            Kind::Instructions => "instructionId",
            Kind::Calls => "callId",
        }
    }

    pub(crate) fn action_field(&self) -> &'static str {
        match self.kind {
            Kind::Instructions => "action",
            Kind::Calls => "name",
        }
    }
}

impl Step {
    /// Creates a step with an action only.
    #[must_use]
    pub fn new(id: impl Into<String>, action: impl Into<String>) -> Self {
        Self { id: id.into(), action: action.into(), ..Self::default() }
    }

    fn of_call(call: Call) -> Self {
        let frontend = FrontendCall {
            description: call.description,
            user_prompt: call.user_prompt,
            fallback: call.fallback_behavior,
            alternative: call.alternative,
            ui_settings: call.ui_settings,
            timeout_client: call.timeout_client.map(|timeout| timeout.duration()),
        };
        let says_more = frontend != FrontendCall::default();
        Self {
            id: call.call_id,
            action: call.name,
            parameters: call.parameters,
            dependencies: call.required_after.unwrap_or_default(),
            condition: None,
            timeout: call.timeout.map(|timeout| timeout.duration()),
            recovery: call.recovery.map(Box::new),
            runtime: call.runtime,
            frontend: says_more.then(|| Box::new(frontend)),
        }
    }
}
