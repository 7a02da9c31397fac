//! The request of a flow.

use crate::observe;
use crate::run::request::RunRequest;
use contexture_context::Trust;
use contexture_flow::action::Registry;
use contexture_flow::check::Earlier;
use contexture_flow::run::{self, Observer};
use contexture_store::flows::FlowJournal;
use std::path::PathBuf;
use std::sync::Arc;

/// Steps that run at the same time when nothing is said.
pub const CONCURRENCY: usize = 64;

/// A set of instructions or tool calls, and how it is to be run.
#[derive(Clone)]
pub struct FlowRequest {
    /// How its agents and generations are run: with which models, packs, servers, clients, contexts
    /// and private texts. The program and its input are those of each step.
    pub run: RunRequest,
    /// The set: an INSTRUCTION or TOOL_CALL_REQUEST message, `{type, content}`, or the content
    /// alone. It may be empty when a run is resumed: then it is the one that was kept.
    pub document: Vec<u8>,
    /// What the run is called where runs are listed, such as the name of its file.
    pub name: String,
    /// How far what stands in the set itself may be believed. What is lower than
    /// [`Trust::User`], as text that a model wrote, needs [`FlowRequest::allow`].
    pub trust: Trust,
    /// The only actions that may be used: names, or beginnings of names with `*` at the end. All
    /// that there are when absent.
    pub allow: Option<Vec<String>>,
    /// Programs whose agents may be called. What is wrong with one of them refuses the set.
    pub programs: Vec<PathBuf>,
    /// A folder whose programs may be called as well, before those in the project's own folder:
    /// that of the set's file. Its folders are not looked into.
    pub near: Option<PathBuf>,
    /// Actions that are functions of this process; they win over all others of their name.
    pub host: Registry,
    /// Whose run it is, in the journal.
    pub owner: String,
    /// What ended before in the same context (FL-6).
    pub earlier: Earlier,
    /// Texts that are masked in the traces of agents and generations besides those of
    /// [`RunRequest::private`]. The run itself keeps them, which needs them to be resumed, where it is
    /// sealed (CP-19).
    pub private_in_traces: Vec<String>,
    /// Steps that may run at the same time; 64 when absent.
    pub concurrency: Option<usize>,
    /// What is too much.
    pub limits: Limits,
    /// The id of a new run; one is made when absent.
    pub id: Option<String>,
    /// The run to resume.
    pub resume: Option<String>,
    /// Where the run is kept; `.contexture/data/flows.db` of the project, opened for this run, when
    /// absent. A process that has many runs opens it once ([`open`](super::open)).
    pub journal: Option<Arc<dyn FlowJournal>>,
    /// Hears of every change of a step, once it is kept.
    pub observer: Option<Observer>,
    /// Hears what agents and generations do on the way.
    pub progress: Option<Arc<dyn observe::Observer>>,
}

impl FlowRequest {
    /// Returns the request of a program's run.
    pub(super) fn of_program(&self) -> RunRequest {
        let mut run = self.run.clone();
        run.private.extend_from_slice(&self.private_in_traces);
        run
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
            private_in_traces: Vec::new(),
            concurrency: None,
            limits: Limits::default(),
            id: None,
            resume: None,
            journal: None,
            observer: None,
            progress: None,
        }
    }
}

/// The bounds of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Those of results and parameters.
    pub run: run::Limits,
    /// Agents and generations that run at the same time; each has a thread of its own.
    pub agents: usize,
    /// How deep sets may run in each other through `RUN_INSTRUCTIONS`.
    pub depth: usize,
    /// Instructions of one set that `RUN_INSTRUCTIONS` runs.
    pub nested_steps: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { run: run::Limits::default(), agents: 16, depth: 4, nested_steps: 10_000 }
    }
}
