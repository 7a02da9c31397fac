//! The parts of a project that a run and the sets within it use.

use super::agents::{self, Agent, Agents};
use super::catalog::Place;
use super::error::FlowError;
use super::own;
use super::planned::Plans;
use super::request::FlowRequest;
use crate::policy;
use crate::project::Project;
use crate::run::{self, PartOf, RunRequest};
use crate::servers;
use contexture_core::policy::{Class, Policy};
use contexture_flow::action::{ActionInfo, ActionKind, Actions as _, Registry};
use contexture_mcp::{Definition, McpError, Servers};
use contexture_store::flows::FlowJournal;
use contexture_store::masker::Masker;
use contexture_tools::Workspace;
use serde_json::Value;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use tokio::sync::Semaphore;

/// The beginning of the names of MCP servers' tools: `mcp:server/tool`.
pub(super) const MCP: &str = "mcp:";

/// The parts that a run and all sets within it share.
pub(super) struct Kit {
    pub(super) project: Project,
    /// The request, without its document.
    pub(super) request: FlowRequest,
    pub(super) builtin: Registry,
    pub(super) servers: Servers,
    /// The threads of agents and generations.
    pub(super) seats: Arc<Semaphore>,
    /// The journal of the run; it is not kept when absent.
    pub(super) journal: Option<Arc<dyn FlowJournal>>,
    /// Learns the secrets that addresses get.
    pub(super) masker: Arc<Masker>,
    workspace: Arc<Workspace>,
    pub(super) policy: Policy,
    named: Agents,
    found: OnceLock<Agents>,
    traces: Mutex<Vec<StepTrace>>,
}

/// The trace of an agent or a generation that a step ran.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StepTrace {
    /// The run of the set: that of a set within it when `RUN_INSTRUCTIONS` ran the step.
    pub flow: String,
    /// The step.
    pub step: String,
    /// The number of the attempt, from 1.
    pub attempt: u32,
    /// The run under which `inspect` shows what the model saw.
    pub run: String,
}

impl Kit {
    pub(super) fn new(
        project: &Project,
        mut request: FlowRequest,
        masker: &Arc<Masker>,
        journal: Option<Arc<dyn FlowJournal>>,
    ) -> Result<Self, FlowError> {
        let mut project = project.clone();
        project.extensions.add_actions(&request.host);
        request.host = project.extensions.actions().clone();
        policy::check_rules(&project)?;
        let workspace = project.workspace()?;
        let named = Agents::of(&project, &request.programs)?;
        protect(&workspace, &named);
        let settings = contexture_actions::Settings {
            tools: run::tool_settings(&project),
            ..contexture_actions::Settings::of(Arc::clone(&workspace))
        };
        Ok(Self {
            builtin: contexture_actions::builtin(&settings),
            servers: servers::open(&project, Arc::clone(masker), request.run.servers.clone()),
            seats: Arc::new(Semaphore::new(request.limits.agents.clamp(1, Semaphore::MAX_PERMITS))),
            named,
            masker: Arc::clone(masker),
            workspace,
            policy: policy::of(&project.config.policy, &request.run.yes_to),
            found: OnceLock::new(),
            project,
            request,
            journal,
            traces: Mutex::default(),
        })
    }

    /// Finds an action of this side.
    pub(super) fn own_place(&self, name: &str) -> Option<(Place, ActionInfo)> {
        if let Some(info) = self.request.host.describe(name) {
            return Some((Place::Host, info));
        }
        if let Some(agent) = self.agent(name) {
            let info = agent.info.clone();
            return Some((Place::Agent(agent), info));
        }
        match name {
            own::GENERATE => Some((Place::Generate, own::generate())),
            own::NESTED => Some((Place::Nested, own::nested())),
            _ => Some((Place::Builtin, self.builtin.describe(name)?)),
        }
    }

    /// Finds a tool of a server.
    pub(super) fn server_place(&self, name: &str) -> Option<(Place, ActionInfo)> {
        let tool = self.server_tool(name)?;
        let info = ActionInfo::of(ActionKind::Operation);
        let info = match self.servers.tool(&tool.server, &tool.tool) {
            Ok(known) => info.with_parameters(Value::Object(known.input_schema.clone())),
            Err(_) => info,
        };
        Some((Place::Server(tool), info))
    }

    /// Returns the class of an action (GU-5). An unknown one does the worst.
    pub(super) fn class_of(&self, action: &str) -> Class {
        let known = self.request.host.describe(action).or_else(|| self.builtin.describe(action));
        known.unwrap_or_default().class()
    }

    /// Returns the request of a program's run for a step.
    pub(super) fn run_request(&self, flow: &str, step: &str) -> RunRequest {
        RunRequest {
            part_of: Some(PartOf {
                flow: flow.to_owned(),
                step: step.to_owned(),
                plans: self.journal.clone().map(|journal| Plans::of(journal, &self.request)),
            }),
            ..self.request.of_program()
        }
    }

    /// Returns the agent that an action means: one of the programs that were named, else one of
    /// those beside the set and in the project.
    pub(super) fn agent(&self, action: &str) -> Option<Arc<Agent>> {
        if !action.starts_with(agents::PREFIX) {
            return None;
        }
        self.named.get(action).or_else(|| self.found().get(action)).cloned()
    }

    fn found(&self) -> &Agents {
        self.found.get_or_init(|| {
            let found = Agents::beside(&self.project, self.request.near.as_deref());
            protect(&self.workspace, &found);
            found
        })
    }

    /// Returns the tool of a server that an action means: `mcp:server/tool`, or the tool's own name
    /// when one server alone has it.
    pub(super) fn server_tool(&self, action: &str) -> Option<Tool> {
        let servers = &self.servers;
        if let Some(place) = action.strip_prefix(MCP) {
            let (server, tool) = place.split_once('/')?;
            servers.names().find(|name| *name == server)?;
            let tool = Tool { server: server.to_owned(), tool: tool.to_owned() };
            // What was not accepted is known, so that the error can show why it can't be used.
            return match servers.tool(server, &tool.tool) {
                Err(McpError::UnknownTool { .. }) => None,
                _ => Some(tool),
            };
        }
        let mut found = servers.names().filter(|server| servers.tool(server, action).is_ok());
        match (found.next(), found.next()) {
            (Some(server), None) => {
                Some(Tool { server: server.to_owned(), tool: action.to_owned() })
            }
            _ => None,
        }
    }

    /// Returns the names of all actions but those of front-end tools.
    pub(super) fn names(&self) -> Vec<String> {
        let mut names = self.request.host.names();
        names.extend(self.builtin.names());
        names.extend(self.named.names().chain(self.found().names()).cloned());
        for server in self.servers.names() {
            let tools = self.servers.pinned(server).unwrap_or_default();
            let action = |tool: &Definition| format!("{MCP}{server}/{}", tool.name);
            names.extend(tools.iter().map(action));
        }
        names
    }

    pub(super) fn note_trace(&self, trace: StepTrace) {
        self.traces.lock().unwrap_or_else(PoisonError::into_inner).push(trace);
    }

    pub(super) fn traces(&self) -> Vec<StepTrace> {
        self.traces.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Makes the programs that a set may call protected: the set does not rewrite them.
fn protect(workspace: &Workspace, agents: &Agents) {
    for file in agents.files().filter_map(|file| workspace.resolve(file).ok()) {
        workspace.protect(&file);
    }
}

/// A tool of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Tool {
    pub(super) server: String,
    pub(super) tool: String,
}
