//! Routing of a message (CP-5): to an agent, a prompt template or an instruction set.
//!
//! Decision: rules are tried first, in order, since they are cheap and readable; a router
//! agent is asked only when none matches. The first served agent handles the rest. A
//! template is an agent whose program is generated, so that it has the same budgets, records and
//! streams as any other.

use super::agents::{Agent, Agents};
use super::codes;
use super::flows::intent_set::IntentSet;
use super::intent_template;
use crate::fault::Fault;
use contexture::Project;
use contexture::config::{Intent, Serve};
use serde_json::Value;
use std::sync::Arc;

#[derive(Clone, Default)]
pub(crate) struct Intents {
    all: Vec<(Intent, Target)>,
    router: Option<Agent>,
}

#[derive(Clone)]
pub(crate) enum Target {
    Agent(Agent),
    /// An instruction set; its results are the answer.
    Set(Arc<IntentSet>),
    /// A model service, by its clientId.
    Service(String),
}

/// The routing of a message.
#[derive(Clone)]
pub(crate) struct Picked {
    pub(crate) target: Target,
    pub(crate) intent: Option<String>,
}

impl Intents {
    /// Finds and checks what the settings name.
    ///
    /// # Errors
    /// A [`Fault`] when an agent is not served, a template or an instruction set can't be used, an
    /// intent has no rule and no router could name it, or two intents have the same name.
    pub(crate) fn open(
        project: &Project,
        settings: &Serve,
        agents: &Agents,
    ) -> Result<Self, Fault> {
        let router = settings.router.as_deref();
        let router = router.map(|name| served(agents, name, "`serve.router`")).transpose()?;
        let mut all: Vec<(Intent, Target)> = Vec::new();
        for intent in &settings.intents {
            let name = &intent.name;
            let wrong = |message: String, help: &str| {
                Err(Fault::of(codes::BAD_INTENT, message).with_help(help))
            };
            if all.iter().any(|(known, _)| known.name == *name) {
                return wrong(
                    format!("two intents are named `{name}`"),
                    "give each a name of its own",
                );
            }
            if intent.contains.is_empty() && intent.matches.is_none() && router.is_none() {
                return wrong(
                    format!("nothing leads to the intent `{name}`"),
                    "give it `contains` or `matches`, or name a `router` agent",
                );
            }
            let target = target(project, agents, intent)?;
            all.push((intent.clone(), target));
        }
        Ok(Self { all, router })
    }

    /// Returns the first intent with a matching rule.
    pub(crate) fn by_rule(&self, text: &str) -> Option<Picked> {
        let lower = text.to_lowercase();
        let fits = |intent: &Intent| {
            intent.contains.iter().any(|word| lower.contains(&word.to_lowercase()))
                || intent.matches.as_ref().is_some_and(|pattern| pattern.fits(text))
        };
        self.all.iter().find(|(intent, _)| fits(intent)).map(picked)
    }

    /// Returns the router for messages without a matching rule.
    pub(crate) fn router(&self) -> Option<&Agent> {
        self.router.as_ref().filter(|_| !self.all.is_empty())
    }

    /// Returns the intent that a router names: with a text, or an object with `intent`.
    pub(crate) fn by_name(&self, value: &Value) -> Option<Picked> {
        let name = value.as_str().or_else(|| value.get("intent")?.as_str())?.trim();
        self.all.iter().find(|(intent, _)| intent.name == name).map(picked)
    }
}

fn picked((intent, target): &(Intent, Target)) -> Picked {
    Picked { target: target.clone(), intent: Some(intent.name.clone()) }
}

fn served(agents: &Agents, name: &str, what: &str) -> Result<Agent, Fault> {
    agents.named(name).cloned().ok_or_else(|| {
        let help = agents.suggestion(name);
        let message = format!("{what} names the agent `{name}`, which is not served");
        let fault = Fault::of(codes::BAD_INTENT, message);
        fault.with_help(help.unwrap_or_else(|| "name its file after `serve`".to_owned()))
    })
}

fn target(project: &Project, agents: &Agents, intent: &Intent) -> Result<Target, Fault> {
    let name = &intent.name;
    let wrong =
        |message: String, help: &str| Err(Fault::of(codes::BAD_INTENT, message).with_help(help));
    let of_template = !intent.vars.is_empty() || intent.answer.is_some();
    if of_template && intent.template.is_none() {
        return wrong(
            format!("the intent `{name}` has `vars` or `answer`, and no `template`"),
            "they are the values and the answer of a template",
        );
    }
    match (&intent.agent, &intent.template, &intent.instructions) {
        (Some(agent), None, None) => {
            served(agents, agent, &format!("the intent `{name}`")).map(Target::Agent)
        }
        (None, Some(file), None) => {
            intent_template::agent(project, intent, file).map(Target::Agent)
        }
        (None, None, Some(file)) => {
            IntentSet::read(project, agents, name, file).map(|set| Target::Set(Arc::new(set)))
        }
        (None, None, None) => wrong(
            format!("nobody answers the intent `{name}`"),
            "give it an `agent`, a `template` or `instructions`",
        ),
        _ => wrong(
            format!("more than one would answer the intent `{name}`"),
            "give it one of `agent`, `template` and `instructions`",
        ),
    }
}
