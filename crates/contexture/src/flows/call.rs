//! Calls of actions: to where they are, with what is to be done around them.

use super::agents::Agent;
use super::catalog::{Catalog, Place};
use super::discreet::Discreet;
use super::kit::{Kit, Tool};
use super::program::{self, Came, Work};
use super::request::FailedStep;
use super::takes::input_of;
use super::{client, generate, nested};
use crate::host::source_of;
use crate::permission::{
    Action, ActionStep, name_of_frontend_tool, name_of_server_tool, origin_of_server,
};
use crate::policy;
use crate::run::RunRequest;
use contexture_actions::Endpoint;
use contexture_context::{Label, Trust};
use contexture_core::policy::{Decision, Effect, Influence, Validation, Verdict, origin};
use contexture_flow::action::{
    ActionCall, ActionFailure, ActionInfo, ActionKind, Actions as _, unknown,
};
use contexture_flow::journal::{Event, Kept};
use contexture_script::runtime::Given;
use contexture_store::masker::Masker;
use serde_json::Value;
use std::sync::Arc;

impl Catalog {
    /// Calls an action, and notes the label of its result.
    pub(super) async fn act(
        &self,
        place: Place,
        mut call: ActionCall,
    ) -> Result<Value, ActionFailure> {
        let step = call.id.clone();
        let kit = &self.kit;
        self.permitted(&place, &call).await?;
        let (place, named) = match place {
            Place::Named(named) => (named.place.clone(), Some(named)),
            place => (place, None),
        };
        let is_client = matches!(place, Place::Client | Place::Service);
        let is_address = named.as_ref().is_some_and(|named| named.endpoint().is_some());
        let is_inner =
            is_address || matches!(place, Place::Server(_) | Place::Agent(_) | Place::Generate);
        // What a step is given stands in the set under the name that it calls.
        let given = self.origins.of_call(&call);
        let mut inputs = Vec::new();
        if matches!(place, Place::Agent(_) | Place::Generate) {
            inputs = self.origins.given(&mut call);
        }
        let called = match &named {
            Some(named) => named.call(kit, call).await,
            None => Ok(call),
        };
        let (result, label) = match called {
            Ok(call) => self.reach(place, call, (given, inputs)).await,
            Err(failure) => (Err(failure), Label::default()),
        };
        let result = match &named {
            Some(named) => result.and_then(|value| named.result(value)),
            None => result,
        };
        if self.origins.are_followed() {
            self.origins.note(&step, label);
        }
        match kit.request.conceal.as_ref().filter(|_| !is_client) {
            Some(conceal) => result.map_err(|failure| {
                let step = FailedStep { id: &step, is_inner };
                conceal(step, failure)
            }),
            None => result,
        }
    }

    /// Calls an action where it is.
    async fn reach(
        &self,
        place: Place,
        call: ActionCall,
        (given, inputs): (Label, Vec<(String, Given)>),
    ) -> Came {
        let (step, kit) = (call.id.clone(), &self.kit);
        match place {
            Place::Host => {
                let label = self.of_host(&call, given);
                (kit.request.host.call(call).await, label)
            }
            Place::Builtin => {
                let label = given.kept(&step, "").join(&self.brought(&call));
                (kit.builtin.call(call).await, label)
            }
            Place::Client => {
                // What a page gave is known to it.
                let label = Label::of(name_of_frontend_tool(&call.name), Trust::Tool).join(&given);
                let asking =
                    client::call(kit.request.run.frontend.as_ref(), (&self.run, false), call);
                (asking.await, label)
            }
            Place::Service => {
                let label = given.kept(&step, "").join(&source(&step, Trust::Tool));
                let label = validated(kit.policy.validation(&call.name, None), label);
                let asking =
                    client::call(kit.request.run.frontend.as_ref(), (&self.run, true), call);
                (asking.await, label)
            }
            Place::Server(tool) => {
                let name = name_of_server_tool(&tool.server, &tool.tool);
                let label = given.kept(&step, "").join(&source(&step, Trust::Tool));
                let label = validated(kit.policy.validation(&name, None), label);
                (self.call_server(&tool, call).await, label)
            }
            Place::Nested => nested::run(self, call).await,
            Place::Agent(agent) => self.run_agent(&agent, call, inputs).await,
            Place::Generate => {
                match generate::work(kit, (self.run.clone(), call.id, call.attempt), inputs) {
                    Ok(work) => ran(kit, work).await,
                    Err(failure) => (Err(failure), Label::default()),
                }
            }
            // A target is not a name itself.
            Place::Named(_) => (Err(unknown(&call)), Label::default()),
        }
    }

    /// Returns the label of what an action of the application gives: as low as what it is given, unless
    /// it validates that.
    fn of_host(&self, call: &ActionCall, given: Label) -> Label {
        let extensions = &self.kit.project.extensions;
        let (trust, validates) = extensions.facts_of_action(&call.name);
        let label = given.kept(&call.id, "").join(&source(&call.id, trust));
        validated(self.kit.policy.validation(&call.name, validates), label)
    }

    /// Reports whether nothing is to be done around a call.
    pub(super) fn is_plain(&self) -> bool {
        !self.origins.are_followed()
            && self.kit.request.run.permission.is_none()
            && self.kit.policy.classes.is_empty()
            && self.kit.policy.tools.is_empty()
    }

    /// Returns the name that the rule for a built-in action is set under: its own, else that of the tool
    /// that does the same, such as `http.post`.
    fn ruled(
        &self,
        name: String,
        call: &ActionCall,
        address: Option<&Endpoint>,
        influence: &mut Influence,
    ) -> String {
        let method = call.parameters.get("method").and_then(Value::as_str).unwrap_or("POST");
        let method = address.map_or(method, Endpoint::method);
        let tool = match name.as_str() {
            "http_send" => format!("http.{}", method.to_ascii_lowercase()),
            own => own.replacen('_', ".", 1),
        };
        let rules = &self.kit.policy.tools;
        if rules.contains_key(&name) || !rules.contains_key(&tool) {
            return name;
        }
        // Who chose the method decided which tool it is.
        if let Some((_, chosen)) = influence.arguments.iter().find(|(name, _)| name == "method") {
            influence.decision = std::mem::take(&mut influence.decision).join(chosen);
        }
        tool
    }

    /// Returns the label of what a built-in action brings in; its source is the file or the address that
    /// it reads, else the step.
    fn brought(&self, call: &ActionCall) -> Label {
        let given = |field: &str| call.parameters.get(field).and_then(Value::as_str);
        let path = given("path").filter(|_| call.name.starts_with("file_"));
        let url = given("url").map(|url| Masker::default().text(url).into_owned());
        let trust = self.of_builtin(&call.name);
        if path.is_none() && url.is_none() {
            return source(&call.id, trust);
        }
        source(&source_of(&call.id, "", (path, url.as_deref())), trust).kept(&call.id, "")
    }

    /// Returns the trust level of a built-in action's result, whatever its parameters.
    fn of_builtin(&self, name: &str) -> Trust {
        match name {
            "echo" | "fail" | "sleep" | "clock" | "calculator" => Trust::Program,
            name if name.starts_with("http") => Trust::Web,
            name if name.starts_with("file_") => self.kit.policy.of_workspace(Trust::Tool),
            _ => Trust::Tool,
        }
    }

    /// Waits until a call is allowed. A client that asks by itself needs no second question.
    async fn permitted(&self, place: &Place, call: &ActionCall) -> Result<(), ActionFailure> {
        let run = &self.kit.request.run;
        let named = match place {
            Place::Named(named) => Some(named),
            _ => None,
        };
        let place = place.target();
        let own = named.map_or(&call.name, |named| &named.target);
        // Of several names the one under which permissions are set.
        let target = match place {
            Place::Agent(agent) => agent.name.clone(),
            Place::Server(Tool { server, tool }) => name_of_server_tool(server, tool),
            Place::Client => name_of_frontend_tool(own),
            _ => own.clone(),
        };
        let mut influence = self.origins.influence(call);
        let rules = &self.kit.policy.tools;
        let address = named.and_then(|named| named.endpoint());
        let is_by_name = named.is_some_and(|named| {
            rules.contains_key(&call.name) || named.is_asked && matches!(place, Place::Client)
        });
        let name = match place {
            _ if is_by_name => call.name.clone(),
            Place::Builtin => {
                if let Some(endpoint) = address {
                    influence = endpoint_influence(endpoint, &influence);
                }
                self.ruled(target.clone(), call, address, &mut influence)
            }
            _ => target.clone(),
        };
        let url = call.parameters.get("url").and_then(Value::as_str);
        let origin = match place {
            _ if address.is_some() => named.and_then(|named| named.origin.clone()),
            Place::Server(Tool { server, .. }) => Some(origin_of_server(server)),
            _ => url.filter(|_| own.starts_with("http_")).and_then(origin),
        };
        let info = match (named, address) {
            (Some(named), Some(_)) => named.info.clone(),
            _ => self.sink(place, own),
        };
        let effect = Effect {
            name: &name,
            class: info.class(),
            influence: &influence,
            origin: origin.as_deref(),
            demands: Some(&info.demands),
        };
        let offered = || client::offered(run.frontend.as_ref(), own);
        let asks_itself = matches!(place, Place::Client)
            && !is_by_name
            && offered().is_some_and(|tool| tool.asks_user);
        if asks_itself {
            let decision = self.kit.policy.decide(&effect);
            if decision.verdict != Verdict::Deny {
                let record = policy::record_of_client(&name, &decision);
                self.note_decision(&call.id, &decision, record);
                return Ok(());
            }
        }
        let says = call.frontend.as_deref();
        let prompt = says.and_then(|says| says.user_prompt.as_deref());
        let step = Some(ActionStep { run: &self.run, id: &call.id, attempt: call.attempt });
        let parameters = &call.parameters;
        let target = address.map_or(target, |endpoint| format!("http.{}", endpoint.method()));
        let shown = named.map_or(&name, |_| &call.name);
        let asked = Action {
            name: shown,
            target: &target,
            parameters,
            policy: None,
            prompt,
            step,
            call: None,
        };
        let asking = policy::permitted(&self.kit.policy, run.permission.as_ref(), &effect, asked);
        let (decision, answer) = asking.await;
        let record = policy::record(&name, &decision, answer.as_ref().copied());
        self.note_decision(&call.id, &decision, record);
        answer.map_err(|refusal| ActionFailure {
            details: refusal.details,
            // The client was late, and so is the step.
            is_late: refusal.code == crate::frontend::TIMEOUT,
            ..ActionFailure::new(refusal.code, refusal.message)
        })
    }

    /// Records a decision in the journal of the run, before the effect.
    fn note_decision(&self, step: &str, decision: &Decision, record: Value) {
        let Some(journal) = &self.kit.journal else { return };
        if !policy::is_recorded(decision) {
            return;
        }
        let journal = Discreet::of(Arc::clone(journal) as _, &self.kit.request.run.private);
        // If it is lost, the end of the step is lost as well: a journal has no holes.
        let kept = Kept::call(drop);
        journal.record(&self.run, &Event::Decided { id: step, decision: &record }, kept);
    }

    /// Returns what the target of a call says of what it does.
    fn sink(&self, place: &Place, name: &str) -> ActionInfo {
        let kit = &self.kit;
        let said = match place {
            // What a program does is decided when it does it.
            Place::Agent(_) | Place::Generate | Place::Nested => {
                Some(ActionInfo::of(ActionKind::Query))
            }
            Place::Server(Tool { server, tool }) => {
                Some(ActionInfo::default().with_class(kit.servers.class(server, tool)))
            }
            Place::Client => {
                client::offered(kit.request.run.frontend.as_ref(), name).map(client::info)
            }
            Place::Service => {
                client::served(kit.request.run.frontend.as_ref(), name).map(client::info_of_service)
            }
            Place::Host => kit.request.host.describe(name),
            Place::Builtin => kit.builtin.describe(name),
            Place::Named(named) => Some(named.info.clone()),
        };
        said.unwrap_or_default()
    }

    async fn run_agent(
        &self,
        agent: &Agent,
        call: ActionCall,
        given: Vec<(String, Given)>,
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
            input: input_of(&agent.takes, given),
        };
        ran(&self.kit, work).await
    }

    async fn call_server(&self, tool: &Tool, call: ActionCall) -> Result<Value, ActionFailure> {
        let Tool { server, tool } = tool;
        let (given, key) = (Value::Object(call.parameters), Some(&*call.key));
        let called = self.kit.servers.call_under(server, tool, given, key).await;
        called.map_err(|error| ActionFailure {
            details: error.details(),
            ..ActionFailure::new(error.code(), error.to_string())
        })
    }
}

/// Returns the influence on a request to an address: parameters are its body, or a part of its URL.
fn endpoint_influence(endpoint: &Endpoint, influence: &Influence) -> Influence {
    let labels = influence.arguments.iter().map(|(_, label)| label);
    let given = labels.fold(Label::default(), |all, label| all.join(label));
    let name = if endpoint.reads() { "url" } else { "body" };
    Influence { decision: influence.decision.clone(), arguments: vec![(name.to_owned(), given)] }
}

/// Runs a program for a step; its result went through the step.
async fn ran(kit: &Arc<Kit>, work: Work) -> Came {
    let step = work.step.clone();
    let (result, label) = program::run(kit, work).await;
    (result, label.kept(&step, ""))
}

fn validated(validation: Option<Validation>, label: Label) -> Label {
    match validation {
        Some(validation) => validation.up(label),
        None => label,
    }
}

/// Returns the label of what a step brings in; its own words need no source.
fn source(step: &str, trust: Trust) -> Label {
    if trust > Trust::Model { Label::of(step, trust) } else { trust.into() }
}
