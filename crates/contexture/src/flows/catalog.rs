//! All actions of a set, found by their names and called.

use super::agents::Agent;
use super::error::FlowError;
use super::kit::{Kit, Tool};
use super::named::Named;
use super::origins::Origins;
use super::{allow, client, named, own};
use crate::run::{CheckReport, SetupError};
use contexture_context::Label;
use contexture_core::policy::Class;
use contexture_flow::Set;
use contexture_flow::action::{self, ActionCall, ActionFailure, ActionInfo, Actions, BoxFuture};
use contexture_protocol::content::Runtime;
use serde_json::Value;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, PoisonError, RwLock};

/// The actions of one set.
pub(super) struct Catalog {
    pub(super) kit: Arc<Kit>,
    pub(super) origins: Arc<Origins>,
    /// The run.
    pub(super) run: String,
    /// The number of sets that this one runs within.
    pub(super) depth: usize,
    pub(super) allow: allow::Allow,
    /// Names that the set wants from clients.
    of_clients: HashSet<String>,
    /// The names among them that it wants from this side as well.
    of_both: HashSet<String>,
    /// The places that were found, by name.
    places: RwLock<HashMap<String, Place>>,
}

/// The place of an action.
#[derive(Clone)]
pub(super) enum Place {
    /// A function of this process.
    Host,
    /// A built-in action.
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
    /// A tool that a service registered.
    Service,
    /// A name of the settings.
    Named(Arc<Named>),
}

impl Place {
    /// Returns the place of its target.
    pub(super) fn target(&self) -> &Self {
        match self {
            Self::Named(named) => &named.place,
            place => place,
        }
    }
}

impl Catalog {
    pub(super) fn new(
        kit: &Arc<Kit>,
        set: &Set,
        run: String,
        (own, allow, depth): (Label, allow::Allow, usize),
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
            origins: Arc::new(Origins::of(set, own, |action| {
                kit.request.is_labelled || is_followed(kit, action)
            })),
            run,
            depth,
            allow,
            of_clients,
            of_both,
            ..Self::without_set(kit)
        }
    }

    /// Returns the actions that any set of a request can call.
    pub(super) fn without_set(kit: &Arc<Kit>) -> Self {
        Self {
            origins: Arc::default(),
            kit: Arc::clone(kit),
            run: String::new(),
            depth: 0,
            allow: allow::Allow::default(),
            of_clients: HashSet::new(),
            of_both: HashSet::new(),
            places: RwLock::default(),
        }
    }

    /// Checks all that the check of a set can't: programs, and what was accepted of servers.
    ///
    /// # Errors
    /// [`FlowError::Program`] and [`FlowError::Setup`].
    pub(super) fn ready(&self, set: &Set) -> Result<(), FlowError> {
        let names: HashSet<&str> = allow::actions(set).collect();
        for name in names {
            match self.known(name).as_ref().map(Place::target) {
                Some(Place::Agent(agent)) => {
                    if let Some(refused) = &agent.refused {
                        return Err(FlowError::Program(CheckReport::clone(refused)));
                    }
                }
                Some(Place::Server(Tool { server, tool })) => {
                    self.kit
                        .servers
                        .tool(server, tool)
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
            client::offered(kit.request.run.frontend.as_ref(), name)
                .map(|tool| (Place::Client, client::info(tool)))
        };
        if self.of_clients.contains(name) && !self.of_both.contains(name) {
            return client();
        }
        let named = || {
            let tool = kit.project.config.serve.tools.get(name)?;
            // What is wrong with one was found at the start.
            let named = named::find(kit, kit.request.run.frontend.as_ref(), tool).ok()?;
            let info = named.info.clone();
            Some((Place::Named(Arc::new(named)), info))
        };
        let service = || {
            let tool = client::served(kit.request.run.frontend.as_ref(), name)?;
            Some((Place::Service, client::info_of_service(tool)))
        };
        let own = named().or_else(|| kit.own_place(name)).or_else(service);
        own.or_else(client).or_else(|| kit.server_place(name))
    }

    /// Returns the place that a call goes to.
    fn place(&self, call: &ActionCall) -> Option<Place> {
        match call.runtime {
            // What replaces a tool of a client may run here; else it may have been announced since.
            Some(Runtime::Frontend) if self.of_clients.contains(&call.name) => Some(Place::Client),
            Some(Runtime::Frontend) => Some(self.known(&call.name).unwrap_or(Place::Client)),
            wanted => {
                let place = self.known(&call.name)?;
                let is_elsewhere = wanted.is_some() && matches!(place.target(), Place::Client);
                (!is_elsewhere).then_some(place)
            }
        }
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
        names.extend([own::GENERATE.to_owned(), own::NESTED.to_owned()]);
        names.extend(self.kit.project.config.serve.tools.iter().map(|(name, _)| name.to_owned()));
        if let Some(frontend) = &self.kit.request.run.frontend {
            let tools = frontend.definitions().into_iter().chain(frontend.services());
            names.extend(tools.map(|tool| tool.tool_id));
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

/// Reports whether the trust level of its parameters matters to an action: to one that only reads
/// it doesn't.
fn is_followed(kit: &Kit, action: &str) -> bool {
    action.starts_with(super::agents::PREFIX)
        || action == own::GENERATE
        || action == own::NESTED
        || kit.project.config.serve.tools.get(action).is_some()
        || kit.class_of(action) != Class::Read
}
