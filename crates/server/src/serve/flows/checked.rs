//! The check of a set before anything runs (FL-6, CP-19).

use super::clients::Clients;
use super::earlier::Before;
use super::faults;
use super::job::{Checked, Job};
use crate::serve::sensitive;
use contexture::config::NamedTool;
use contexture::context::Trust;
use contexture::flows::{self, Conceal, FlowError, FlowRequest};
use contexture::permission::Permission;
use contexture::run::RunRequest;
use contexture::store::contexts::Key;
use contexture::store::masker::Masker;
use contexture::turn::Contexts;
use contexture_flow::Set;
use contexture_flow::action::ActionFailure;
use contexture_flow::check::Report;
use contexture_flow::run::Limits;
use contexture_protocol::{Refusal, SenderType};
use serde_json::json;
use std::sync::Arc;

/// The limits of results, which are sent in one message of at most 16 MiB.
const LIMITS: Limits = Limits {
    result_bytes: 4 << 20,
    results_bytes: 10 << 20,
    result_depth: 80,
    parameter_bytes: 16 << 20,
};

impl Job {
    /// Checks the set. It reads files where agents are named.
    ///
    /// # Errors
    /// The refusal with all of its faults.
    pub(super) fn checked(
        &self,
        set: &Set,
        clients: Clients,
        earlier: Before,
    ) -> Result<Checked, Refusal> {
        let clients = Arc::new(clients);
        let allow = self.allowed(set, &clients);
        let denied = match &allow {
            Some(allow) => faults::denied(&self.message, set, allow),
            None => Vec::new(),
        };
        let request = self.request(set, &clients, earlier);
        let warnings = match flows::checked(&self.app.project, request.clone()) {
            Ok((_, warnings)) if denied.is_empty() => warnings,
            Ok((_, warnings)) => return Err(faults::refusal(warnings, denied)),
            Err(FlowError::Refused(report)) => return Err(faults::refusal(report, denied)),
            Err(_) if !denied.is_empty() => {
                return Err(faults::refusal(Report::default(), denied));
            }
            Err(error) => return Err(self.unready(&error)),
        };
        // A message of a model service has the trust of a model.
        let is_model = self.message.sender.kind == SenderType::Model;
        let trust = if is_model { Trust::Model } else { request.trust };
        Ok(Checked { request: FlowRequest { allow, trust, ..request }, clients, warnings })
    }

    /// Returns the actions that the set may use; `None` for all, in a set of the app itself.
    fn allowed(&self, set: &Set, clients: &Clients) -> Option<Vec<String>> {
        if self.intent.is_some() {
            return None;
        }
        let mut allow = self.app.flows.allowed.patterns(set.kind);
        // A client that announces the name of an action of the server does not allow it.
        let own = |name: &String| !self.app.flows.allowed.is_own(name);
        let others = clients.tools.iter().chain(&clients.services);
        allow.extend(others.filter(|name| own(name)).cloned());
        Some(allow)
    }

    fn request(&self, set: &Set, clients: &Arc<Clients>, earlier: Before) -> FlowRequest {
        let app = &self.app;
        // A nested set may name agents that are not known yet.
        let tools = &app.project.config.serve.tools;
        let is_agent = |action: &str| {
            action.starts_with("agent:")
                || action == "RUN_INSTRUCTIONS"
                || tools.get(action).is_some_and(NamedTool::is_agent)
        };
        let has = |is_meant: &dyn Fn(&str) -> bool| {
            set.steps.iter().any(|step| {
                let alternative = step.recovery.as_ref().and_then(|one| one.alternative.as_ref());
                is_meant(&step.action) || alternative.is_some_and(|other| is_meant(other.target()))
            })
        };
        let has_agents = has(&is_agent);
        let is_traced = has_agents || has(&|action| action == "generate");
        let run = RunRequest {
            frontend: Some(Arc::clone(clients) as Arc<_>),
            permission: Some(Arc::clone(clients) as Arc<dyn Permission>),
            contexts: Some(Contexts {
                store: Arc::clone(&app.store),
                owner: self.owner.to_string(),
            }),
            ledger: self.ledger.clone(),
            context: Some(self.context.clone()),
            // The answers of a set are not recorded.
            record: None,
            ..app.turn_request.clone()
        };
        FlowRequest {
            run,
            document: self.message.to_json().into_bytes(),
            name: self.answers().to_owned(),
            // Programs are read only where one of them may be meant.
            programs: if has_agents { app.agents.programs() } else { Vec::new() },
            owner: self.owner.to_string(),
            earlier: earlier.outcomes,
            labels: earlier.labels,
            // Its answer is told to models later, as their own word.
            is_labelled: self.intent.is_some(),
            limits: flows::Limits { run: LIMITS, ..flows::Limits::default() },
            conceal: Some(self.conceal()),
            private_in_traces: if is_traced { self.private() } else { Vec::new() },
            ..FlowRequest::default()
        }
    }

    /// Returns the function that logs why a step failed: the client learns that it did.
    fn conceal(&self) -> Conceal {
        let (app, context) = (Arc::clone(&self.app), self.context.clone());
        let (message, private) = (self.answers().to_owned(), Masker::of_values(self.private()));
        let is_intent = self.intent.is_some();
        Arc::new(move |step, failure| {
            let of = |name: &str| failure.details.as_ref()?.get(name);
            // What is wrong with the client's own parameters is for the client.
            let is_of_parameters = !step.is_inner || of("violations").is_some();
            if is_of_parameters && !is_intent {
                return failure;
            }
            let run = of("run").cloned();
            let status = of("details").and_then(|details| details.get("status"));
            let mut fields = json!({
                "step": step.id, "contextId": context, "messageId": message, "code": failure.code,
                "reason": failure.message, "status": status, "run": run,
            });
            private.value(&mut fields);
            app.log.info("step_failed", fields);
            let details = run.map(|run| json!({ "run": run }));
            ActionFailure { message: faults::FAILED.to_owned(), details, ..failure }
        })
    }

    /// Refuses a set whose faults are elsewhere; the reason goes to the log.
    pub(super) fn unready(&self, error: &FlowError) -> Refusal {
        let fields = json!({
            "error": error.to_string(), "code": error.code(), "contextId": self.context,
            "messageId": self.answers(),
        });
        self.app.log.info("set", fields);
        faults::unready(error)
    }

    /// Returns the sensitive texts of the context and of the message, which traces mask (CP-19).
    fn private(&self) -> Vec<String> {
        let serve = &self.app.project.config.serve;
        if serve.sensitive.is_empty() {
            return Vec::new();
        }
        let store = &self.app.store;
        let key = Key { owner: &self.owner, context: &self.context };
        // A context that does not exist yet has no messages.
        let state = store.state(key).map(|state| state.value).unwrap_or_default();
        let before = match serve.history {
            0 => Vec::new(),
            most => store.last(key, most).unwrap_or_default(),
        };
        sensitive::texts(&serve.sensitive, &state, &before, &self.message)
    }
}
