//! What a set is run with.

use crate::frontend::Frontend;
use crate::models::StandIn;
use crate::observe;
use crate::permission::Permission;
use crate::run::RunRequest;
use crate::servers::Consent;
use crate::turn::Contexts;
use contexture_context::Trust;
use contexture_flow::action::Registry;
use contexture_flow::check::Earlier;
use contexture_flow::run::{self, Observer};
use contexture_knowledge::Allowance;
use contexture_store::flows::FlowJournal;
use std::path::PathBuf;
use std::sync::Arc;

/// A set of instructions or tool calls, and how it is to be run.
#[derive(Clone)]
pub struct FlowRequest {
    /// The set: an INSTRUCTION or TOOL_CALL_REQUEST message, `{type, content}`, or the content
    /// alone. It may be empty when a run is gone on with: then it is the one that was kept.
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
    /// What runs the tools of the front end.
    pub frontend: Option<Arc<dyn Frontend>>,
    /// Who asks the user before something sensitive is done, by a step or by an agent; nobody when
    /// absent.
    pub permission: Option<Arc<dyn Permission>>,
    /// The stored contexts that programs may read; those of the workspace when absent.
    pub contexts: Option<Contexts>,
    /// The conversation context that the run belongs to.
    pub context: Option<String>,
    /// Whose run it is, in the journal.
    pub owner: String,
    /// What ended before in the same context (FL-6).
    pub earlier: Earlier,
    /// The default model; wins over environment and configuration.
    pub model: Option<String>,
    /// What answers in place of the models.
    pub stand_in: StandIn,
    /// Knowledge packs that may be read, each in one state (KN-8).
    pub allow_packs: Vec<Allowance>,
    /// Whether a person named the project, which approves its packs (KN-8).
    pub approve_packs: bool,
    /// MCP servers of the project that may be used (AS-25).
    pub servers: Consent,
    /// Texts that are masked wherever the run is written down, as keys are (CP-19).
    pub private: Vec<String>,
    /// Texts that are masked in the traces of agents and generations besides. The run itself keeps
    /// them, which needs them to be gone on with, where it is sealed (CP-19).
    pub private_in_traces: Vec<String>,
    /// Steps that may run at the same time; 64 when absent.
    pub concurrency: Option<usize>,
    /// What is too much.
    pub limits: Limits,
    /// The id of a new run; one is made when absent.
    pub run: Option<String>,
    /// The run to go on with.
    pub resume: Option<String>,
    /// Where the run is kept; `.contexture/data/flows.db` of the project, opened for this run, when
    /// absent. A process that has many runs opens it once ([`open`](super::open)).
    pub journal: Option<Arc<dyn FlowJournal>>,
    /// Keep nothing of it in the workspace: it can't be gone on with, and agents leave no trace.
    pub forget: bool,
    /// Is told of every change of a step, once it is kept.
    pub observer: Option<Observer>,
    /// Is told what agents and generations do on the way.
    pub progress: Option<Arc<dyn observe::Observer>>,
}

impl FlowRequest {
    /// A run of a program with what the flow was given for its programs.
    pub(super) fn run_request(&self) -> RunRequest {
        RunRequest {
            model: self.model.clone(),
            stand_in: self.stand_in.clone(),
            allow_packs: self.allow_packs.clone(),
            approve_packs: self.approve_packs,
            servers: self.servers.clone(),
            context: self.context.clone(),
            private: self.private.iter().chain(&self.private_in_traces).cloned().collect(),
            forget: self.forget,
            ..RunRequest::default()
        }
    }
}

impl Default for FlowRequest {
    fn default() -> Self {
        Self {
            document: Vec::new(),
            name: String::new(),
            trust: Trust::User,
            allow: None,
            programs: Vec::new(),
            near: None,
            host: Registry::default(),
            frontend: None,
            permission: None,
            contexts: None,
            context: None,
            owner: String::new(),
            earlier: Earlier::default(),
            model: None,
            stand_in: StandIn::default(),
            allow_packs: Vec::new(),
            approve_packs: false,
            servers: Consent::default(),
            private: Vec::new(),
            private_in_traces: Vec::new(),
            concurrency: None,
            limits: Limits::default(),
            run: None,
            resume: None,
            journal: None,
            forget: false,
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
