//! All actions of a set, found by their names and called.

use super::agents::{Agent, input_of};
use super::kit::{Kit, Tool};
use super::origins::Origins;
use super::program::{self, Came, Work};
use super::{FlowError, allow, client, generate, nested};
use crate::permission::Action;
use crate::run::{RunRequest, SetupError};
use contexture_context::Trust;
use contexture_flow::Set;
use contexture_flow::action::{
    self, ActionCall, ActionFailure, ActionInfo, ActionKind, Actions, BoxFuture,
};
use contexture_protocol::content::Runtime;
use serde_json::Value;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, PoisonError, RwLock};

/// The actions of one set.
pub(super) struct Catalog {
    pub(super) kit: Arc<Kit>,
    pub(super) origins: Origins,
    /// The run.
    pub(super) run: String,
    /// In how many sets this one runs.
    pub(super) depth: usize,
    pub(super) allow: allow::Allow,
    /// Names that the set wants from clients.
    of_clients: HashSet<String>,
    /// Those of them that it wants from this side as well.
    of_both: HashSet<String>,
    /// What was found, by name.
    places: RwLock<HashMap<String, Place>>,
}

/// Where an action is.
#[derive(Clone)]
enum Place {
    /// A function of this process.
    Host,
    /// An action that is always there.
    Builtin,
    /// A model generation.
    Generate,
    /// A set within the set.
    Nested,
    /// A function of an agent.
    Agent(Arc<Agent>),
    /// A tool of a server.
    Server(Tool),
    /// A tool of the front end.
    Client,
}

impl Catalog {
    pub(super) fn new(
        kit: &Arc<Kit>,
        set: &Set,
        run: String,
        (own, allow, depth): (Trust, allow::Allow, usize),
    ) -> Self {
        let wants_client = |front: bool| {
            let is_meant =
                move |runtime: Option<Runtime>| (runtime == Some(Runtime::Frontend)) == front;
            let steps = set.steps.iter().filter(move |step| is_meant(step.runtime));
            steps.map(|step| step.action.clone()).collect::<HashSet<_>>()
        };
        let of_clients = wants_client(true);
        let mut of_both = HashSet::new();
        if !of_clients.is_empty() {
            of_both = wants_client(false);
            of_both.retain(|name| of_clients.contains(name));
        }
        Self {
            origins: Origins::of(set, own, |action| is_followed(action)),
            kit: Arc::clone(kit),
            run,
            depth,
            allow,
            of_clients,
            of_both,
            places: RwLock::default(),
        }
    }

    /// Makes sure of all that the check of a set can't: programs, and what was accepted of servers.
    ///
    /// # Errors
    /// [`FlowError::Program`] and [`FlowError::Setup`].
    pub(super) fn ready(&self, set: &Set) -> Result<(), FlowError> {
        let names: HashSet<&str> = allow::actions(set).collect();
        for name in names {
            match self.known(name) {
                Some(Place::Agent(agent)) => {
                    if let Some(refused) = &agent.refused {
                        let (files, diagnostics) =
                            (refused.files.clone(), refused.diagnostics.clone());
                        let checked = crate::run::CheckReport { files, diagnostics };
                        return Err(FlowError::Program(checked));
                    }
                }
                Some(Place::Server(Tool { server, tool })) => {
                    self.kit
                        .servers
                        .tool(&server, &tool)
                        .map_err(|error| SetupError::new(error.code(), &error, error.help()))?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn known(&self, name: &str) -> Option<Place> {
        self.places.read().unwrap_or_else(PoisonError::into_inner).get(name).cloned()
    }

    fn find(&self, name: &str) -> Option<(Place, ActionInfo)> {
        let kit = &self.kit;
        let client = || {
            client::offered(kit.request.frontend.as_ref(), name)
                .map(|tool| (Place::Client, client::info(tool)))
        };
        if self.of_clients.contains(name) && !self.of_both.contains(name) {
            return client();
        }
        let host = || Some((Place::Host, kit.request.host.describe(name)?));
        let own = || match name {
            generate::NAME => Some((Place::Generate, generate::info())),
            nested::NAME => Some((Place::Nested, nested::info())),
            _ => Some((Place::Builtin, kit.builtin.describe(name)?)),
        };
        let agent = || {
            let agent = kit.agent(name)?;
            let info = agent.info.clone();
            Some((Place::Agent(agent), info))
        };
        let server = || {
            let tool = kit.server_tool(name)?;
            let info = ActionInfo::of(ActionKind::Operation);
            let info = match kit.servers.tool(&tool.server, &tool.tool) {
                Ok(known) => info.with_parameters(Value::Object(known.input_schema.clone())),
                Err(_) => info,
            };
            Some((Place::Server(tool), info))
        };
        host().or_else(own).or_else(agent).or_else(client).or_else(server)
    }

    /// Where a call goes.
    fn place(&self, call: &ActionCall) -> Option<Place> {
        match call.runtime {
            // What replaces a tool of a client may run here; else it may have been announced since.
            Some(Runtime::Frontend) if self.of_clients.contains(&call.name) => Some(Place::Client),
            Some(Runtime::Frontend) => Some(self.known(&call.name).unwrap_or(Place::Client)),
            wanted => {
                let place = self.known(&call.name)?;
                let is_elsewhere = wanted.is_some() && matches!(place, Place::Client);
                (!is_elsewhere).then_some(place)
            }
        }
    }

    async fn act(&self, place: Place, mut call: ActionCall) -> Result<Value, ActionFailure> {
        let step = call.id.clone();
        let kit = &self.kit;
        if !matches!(place, Place::Client) {
            self.permitted(&call).await?;
        }
        let (result, trust) = match place {
            Place::Host => (kit.request.host.call(call).await, Trust::Tool),
            Place::Builtin => {
                let trust = of_builtin(&call.name).least(self.origins.of_call(&call));
                (kit.builtin.call(call).await, trust)
            }
            Place::Client => {
                (client::call(kit.request.frontend.as_ref(), &self.run, call).await, Trust::Tool)
            }
            Place::Server(tool) => (self.call_server(&tool, call).await, Trust::Tool),
            Place::Nested => nested::run(self, call).await,
            Place::Agent(agent) => {
                let given = self.origins.given(&mut call);
                self.run_agent(&agent, call, given).await
            }
            Place::Generate => {
                let given = self.origins.given(&mut call);
                match generate::work(kit, (self.run.clone(), call.id, call.attempt), given) {
                    Ok(work) => program::run(kit, work).await,
                    Err(failure) => (Err(failure), Trust::Program),
                }
            }
        };
        if self.origins.are_followed() {
            self.origins.note(&step, trust);
        }
        result
    }

    /// Whether nothing is to be done around a call.
    fn is_plain(&self) -> bool {
        !self.origins.are_followed() && self.kit.request.permission.is_none()
    }

    /// Asks the user, where something sensitive is done. A client asks by itself.
    async fn permitted(&self, call: &ActionCall) -> Result<(), ActionFailure> {
        let Some(permission) = &self.kit.request.permission else { return Ok(()) };
        let says = call.frontend.as_deref();
        let action = Action {
            name: &call.name,
            parameters: &call.parameters,
            prompt: says.and_then(|says| says.user_prompt.as_deref()),
        };
        permission.ask(action).await.map_err(|failure| ActionFailure {
            details: failure.details,
            ..ActionFailure::new(failure.code, failure.message)
        })
    }

    async fn run_agent(
        &self,
        agent: &Agent,
        call: ActionCall,
        given: Vec<(String, contexture_script::runtime::Given)>,
    ) -> Came {
        let request = RunRequest {
            program: agent.program.clone(),
            agent: agent.agent.clone(),
            function: agent.function.clone(),
            ..self.kit.run_request(&self.run, &call.id)
        };
        let work = Work {
            flow: self.run.clone(),
            step: call.id,
            attempt: call.attempt,
            request,
            input: input_of(agent, given),
        };
        program::run(&self.kit, work).await
    }

    async fn call_server(&self, tool: &Tool, call: ActionCall) -> Result<Value, ActionFailure> {
        let Tool { server, tool } = tool;
        let called = self.kit.servers.call(server, tool, Value::Object(call.parameters)).await;
        called.map_err(|error| ActionFailure {
            details: error.details(),
            ..ActionFailure::new(error.code(), error.to_string())
        })
    }
}

impl Actions for Catalog {
    fn describe(&self, name: &str) -> Option<ActionInfo> {
        let (place, info) = self.find(name)?;
        let mut places = self.places.write().unwrap_or_else(PoisonError::into_inner);
        places.insert(name.to_owned(), place);
        Some(info)
    }

    fn names(&self) -> Vec<String> {
        let mut names = self.kit.names();
        names.extend([generate::NAME.to_owned(), nested::NAME.to_owned()]);
        if let Some(frontend) = &self.kit.request.frontend {
            names.extend(frontend.definitions().into_iter().map(|tool| tool.tool_id));
        }
        names.sort();
        names.dedup();
        names
    }

    fn call(&self, call: ActionCall) -> BoxFuture<'_, Result<Value, ActionFailure>> {
        let Some(place) = self.place(&call) else {
            return Box::pin(async move { Err(action::unknown(&call)) });
        };
        match place {
            Place::Host if self.is_plain() => self.kit.request.host.call(call),
            Place::Builtin if self.is_plain() => self.kit.builtin.call(call),
            place => Box::pin(self.act(place, call)),
        }
    }
}

/// Whether it matters to an action how far what it is given may be believed.
fn is_followed(action: &str) -> bool {
    action.starts_with(super::agents::PREFIX) || action == generate::NAME || action == nested::NAME
}

/// How far what an action gives may be believed, whatever it is given.
fn of_builtin(name: &str) -> Trust {
    match name {
        "echo" | "fail" | "sleep" | "clock" | "calculator" | "PROCESS_DATA" | "ANALYZE_TREND"
        | "GENERATE_REPORT" => Trust::Program,
        name if name.starts_with("http") => Trust::Web,
        _ => Trust::Tool,
    }
}
