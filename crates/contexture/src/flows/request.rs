//! The request of a flow.

use crate::observe;
use crate::run::request::RunRequest;
use contexture_context::{Label, Trust};
use contexture_flow::action::{ActionFailure, Registry};
use contexture_flow::check::Earlier;
use contexture_flow::run::{self, Observer};
use contexture_store::flows::FlowJournal;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::time::Duration;

/// Steps that run at the same time by default.
pub const CONCURRENCY: usize = 64;

/// A function that takes the failure of a step that ran on this side, and returns the one to tell
/// instead.
pub type Conceal = Arc<dyn Fn(FailedStep<'_>, ActionFailure) -> ActionFailure + Send + Sync>;

/// A step that failed on this side.
#[derive(Debug, Clone, Copy)]
pub struct FailedStep<'a> {
    /// Its id.
    pub id: &'a str,
    /// True for an agent, a generation or a tool of an MCP server: what it says is not about the
    /// parameters of the step alone.
    pub is_inner: bool,
}

/// A set of instructions or tool calls, and how it is to be run.
#[derive(Clone)]
pub struct FlowRequest {
    /// The run request of its agents and generations: the models, packs, servers, clients, contexts
    /// and private texts. The program and its input are those of each step.
    pub run: RunRequest,
    /// The set: an INSTRUCTION or TOOL_CALL_REQUEST message, `{type, content}`, or the content
    /// alone. It may be empty when a run is resumed: then it is the one that was kept.
    pub document: Vec<u8>,
    /// The name of the run where runs are listed, such as that of its file.
    pub name: String,
    /// The trust level of the set itself. One below [`Trust::User`], as of text that a model wrote,
    /// needs [`FlowRequest::allow`].
    pub trust: Trust,
    /// The only actions that may be used: names, or beginnings of names with `*` at the end. All
    /// when absent.
    pub allow: Option<Vec<String>>,
    /// Programs whose agents may be called. A fault in one of them refuses the set.
    pub programs: Vec<PathBuf>,
    /// A folder whose programs may be called as well, before those in the project's own folder:
    /// that of the set's file. Its subfolders are not searched.
    pub near: Option<PathBuf>,
    /// Actions that are functions of this process; they win over all others of their name.
    pub host: Registry,
    /// The owner of the run, in the journal.
    pub owner: String,
    /// The outcomes that ended before in the same context (FL-6).
    pub earlier: Earlier,
    /// The labels of results of those outcomes, by step. One without a label counts as the result of a
    /// tool.
    pub labels: Vec<(String, Label)>,
    /// True if the labels of its results are wanted, whatever its actions do: see
    /// [`Flow::labels`](super::Flow::labels).
    pub is_labelled: bool,
    /// Texts that are masked in the traces of agents and generations besides those of
    /// [`RunRequest::private`]. The run itself, which needs them to be resumed, keeps them where it
    /// is sealed (CP-19).
    pub private_in_traces: Vec<String>,
    /// Steps that may run at the same time; 64 when absent.
    pub concurrency: Option<usize>,
    /// The bounds of the run.
    pub limits: Limits,
    /// The id of a new run; one is made when absent.
    pub id: Option<String>,
    /// The run to resume.
    pub resume: Option<String>,
    /// What an interrupted run waited for, and the count of what waits now.
    pub waits: Waits,
    /// The journal of the run; `.contexture/data/flows.db` of the project, opened for this run,
    /// when absent. A process that has many runs opens it once ([`open`](super::open)).
    pub journal: Option<Arc<dyn FlowJournal>>,
    /// The observer of every change of a step, once it is kept.
    pub observer: Option<Observer>,
    /// The observer of what agents and generations do on the way.
    pub progress: Option<Arc<dyn observe::Observer>>,
    /// The concealment of what steps say when they fail: for sets whose results go to others, who
    /// must not learn keys, hosts and paths (CA-10).
    pub conceal: Option<Conceal>,
}

impl FlowRequest {
    /// Returns the request of a program's run.
    pub(super) fn of_program(&self) -> RunRequest {
        let mut run = self.run.clone();
        run.private.extend_from_slice(&self.private_in_traces);
        run
    }

    /// Returns the label of the set itself.
    pub(super) fn label(&self) -> Label {
        match self.trust {
            trust if trust <= Trust::User => trust.into(),
            trust => Label::of("the instruction set", trust),
        }
    }
}

impl Default for FlowRequest {
    fn default() -> Self {
        Self {
            run: RunRequest::default(),
            document: Vec::new(),
            name: String::new(),
            trust: Trust::User,
            allow: None,
            programs: Vec::new(),
            near: None,
            host: Registry::default(),
            owner: String::new(),
            earlier: Earlier::default(),
            labels: Vec::new(),
            is_labelled: false,
            private_in_traces: Vec::new(),
            concurrency: None,
            limits: Limits::default(),
            id: None,
            resume: None,
            waits: Waits::default(),
            journal: None,
            observer: None,
            progress: None,
            conceal: None,
        }
    }
}

/// The steps of a run that wait for a person (WA-1).
#[derive(Debug, Clone, Default)]
pub struct Waits {
    /// The steps whose attempt waited when the run was interrupted, before any effect.
    pub steps: Vec<String>,
    /// The number of steps that wait now: who asks for them counts it.
    pub count: Arc<AtomicUsize>,
    /// The time that the run took before, of the timeout of its set.
    pub elapsed: Duration,
}

/// The bounds of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The bounds of results and parameters.
    pub run: run::Limits,
    /// Agents and generations that run at the same time; each has a thread of its own.
    pub agents: usize,
    /// The deepest nesting of sets through `RUN_INSTRUCTIONS`.
    pub depth: usize,
    /// Instructions of one set that `RUN_INSTRUCTIONS` runs.
    pub nested_steps: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { run: run::Limits::default(), agents: 16, depth: 4, nested_steps: 10_000 }
    }
}
