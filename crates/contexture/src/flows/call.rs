//! Calls of actions: to where they are, with what is to be done around them.

use super::agents::Agent;
use super::catalog::{Catalog, Place};
use super::kit::{Kit, Tool};
use super::program::{self, Came, Work};
use super::request::FailedStep;
use super::takes::input_of;
use super::{client, generate, nested};
use crate::permission::{
    Action, ActionStep, name_of_frontend_tool, name_of_server_tool, origin_of_server,
};
use crate::policy;
use crate::run::RunRequest;
use contexture_context::{Label, Trust};
use contexture_core::policy::{Effect, Influence, Validation, Verdict, origin};
use contexture_flow::action::{ActionCall, ActionFailure, ActionInfo, ActionKind, Actions as _};
use contexture_script::runtime::Given;
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
        let is_client = matches!(place, Place::Client);
        let is_inner = matches!(place, Place::Server(_) | Place::Agent(_) | Place::Generate);
        let (result, label) = match place {
            Place::Host => {
                let label = self.of_host(&call);
                (kit.request.host.call(call).await, label)
            }
            Place::Builtin => {
                let given = self.origins.of_call(&call).kept(&step, "");
                let label = given.join(&source(&step, self.of_builtin(&call.name)));
                (kit.builtin.call(call).await, label)
            }
            Place::Client => {
                // What a page gave is known to it.
                let given = self.origins.of_call(&call);
                let label = Label::of(name_of_frontend_tool(&call.name), Trust::Tool).join(&given);
                (client::call(kit.request.run.frontend.as_ref(), &self.run, call).await, label)
            }
            Place::Server(tool) => {
                let name = name_of_server_tool(&tool.server, &tool.tool);
                let given = self.origins.of_call(&call).kept(&step, "");
                let label = given.join(&source(&step, Trust::Tool));
                let label = validated(kit.policy.validation(&name, None), label);
                (self.call_server(&tool, call).await, label)
            }
            Place::Nested => nested::run(self, call).await,
            Place::Agent(agent) => {
                let given = self.origins.given(&mut call);
                self.run_agent(&agent, call, given).await
            }
            Place::Generate => {
                let given = self.origins.given(&mut call);
                match generate::work(kit, (self.run.clone(), call.id, call.attempt), given) {
                    Ok(work) => ran(kit, work).await,
                    Err(failure) => (Err(failure), Label::default()),
                }
            }
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

    /// Returns the label of what an action of the application gives: as low as what it is given, unless
    /// it validates that.
    fn of_host(&self, call: &ActionCall) -> Label {
        let extensions = &self.kit.project.extensions;
        let (trust, validates) = extensions.facts_of_action(&call.name);
        let given = self.origins.of_call(call).kept(&call.id, "");
        let label = given.join(&source(&call.id, trust));
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
    fn ruled(&self, name: String, call: &ActionCall, influence: &mut Influence) -> String {
        let method = call.parameters.get("method").and_then(Value::as_str).unwrap_or("POST");
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
        // Of several names the one under which permissions are set.
        let name = match place {
            Place::Agent(agent) => agent.name.clone(),
            Place::Server(Tool { server, tool }) => name_of_server_tool(server, tool),
            Place::Client => name_of_frontend_tool(&call.name),
            _ => call.name.clone(),
        };
        let mut influence = self.origins.influence(call);
        let name = match place {
            Place::Builtin => self.ruled(name, call, &mut influence),
            _ => name,
        };
        let url = call.parameters.get("url").and_then(Value::as_str);
        let origin = match place {
            Place::Server(Tool { server, .. }) => Some(origin_of_server(server)),
            _ => url.filter(|_| call.name.starts_with("http_")).and_then(origin),
        };
        let info = self.sink(place, call);
        let effect = Effect {
            name: &name,
            class: info.class(),
            influence: &influence,
            origin: origin.as_deref(),
            demands: Some(&info.demands),
        };
        let asks_itself = match place {
            Place::Client => client::offered(run.frontend.as_ref(), &call.name)
                .is_some_and(|tool| tool.asks_user),
            _ => false,
        };
        if asks_itself && self.kit.policy.decide(&effect).verdict != Verdict::Deny {
            return Ok(());
        }
        let says = call.frontend.as_deref();
        let prompt = says.and_then(|says| says.user_prompt.as_deref());
        let step = Some(ActionStep { run: &self.run, id: &call.id, attempt: call.attempt });
        let parameters = &call.parameters;
        let asked = Action { name: &name, parameters, policy: None, prompt, step };
        let asking = policy::permitted(&self.kit.policy, run.permission.as_ref(), &effect, asked);
        let (_, answer) = asking.await;
        answer.map_err(|refusal| ActionFailure {
            details: refusal.details,
            // The client was late, and so is the step.
            is_late: refusal.code == crate::frontend::TIMEOUT,
            ..ActionFailure::new(refusal.code, refusal.message)
        })
    }

    /// Returns what the target of a call says of what it does.
    fn sink(&self, place: &Place, call: &ActionCall) -> ActionInfo {
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
                client::offered(kit.request.run.frontend.as_ref(), &call.name).map(client::info)
            }
            Place::Host => kit.request.host.describe(&call.name),
            Place::Builtin => kit.builtin.describe(&call.name),
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
