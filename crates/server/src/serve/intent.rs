//! Which agent answers a message (CP-5).
//!
//! Decision: rules are tried first, in their order, since they cost nothing and can be read; a router
//! agent is asked only when none fits. What nothing fits goes to the first agent that is served.

use super::agents::{Agent, Agents};
use super::codes;
use crate::fault::Fault;
use contexture::config::{Intent, Serve};
use serde_json::Value;

/// The intents of a server.
#[derive(Debug, Clone, Default)]
pub(crate) struct Intents {
    all: Vec<(Intent, Agent)>,
    router: Option<Agent>,
}

/// What was picked for a message.
#[derive(Debug, Clone)]
pub(crate) struct Picked {
    pub(crate) agent: Agent,
    /// The name of the intent, if it is one.
    pub(crate) intent: Option<String>,
}

impl Intents {
    /// Finds the agents that the settings name.
    ///
    /// # Errors
    /// A [`Fault`] when an agent is not served, an intent has no rule and no router could name it, or
    /// two intents have the same name.
    pub(crate) fn open(settings: &Serve, agents: &Agents) -> Result<Self, Fault> {
        let find = |name: &str, what: &str| {
            agents.named(name).cloned().ok_or_else(|| {
                let help = agents.suggestion(name);
                let message = format!("{what} names the agent `{name}`, which is not served");
                let fault = Fault::of(codes::BAD_INTENT, message);
                fault.with_help(help.unwrap_or_else(|| "name its file after `serve`".to_owned()))
            })
        };
        let router =
            settings.router.as_deref().map(|name| find(name, "`serve.router`")).transpose()?;
        let mut all: Vec<(Intent, Agent)> = Vec::new();
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
            let agent = find(&intent.agent, &format!("the intent `{name}`"))?;
            all.push((intent.clone(), agent));
        }
        Ok(Self { all, router })
    }

    /// The first intent whose rule fits.
    pub(crate) fn by_rule(&self, text: &str) -> Option<Picked> {
        let lower = text.to_lowercase();
        let fits = |intent: &Intent| {
            intent.contains.iter().any(|word| lower.contains(&word.to_lowercase()))
                || intent.matches.as_ref().is_some_and(|pattern| pattern.fits(text))
        };
        self.all.iter().find(|(intent, _)| fits(intent)).map(picked)
    }

    /// Who is to be asked when no rule fits.
    pub(crate) fn router(&self) -> Option<&Agent> {
        self.router.as_ref().filter(|_| !self.all.is_empty())
    }

    /// The intent that a router's value names: a text, or an object with `intent`.
    pub(crate) fn by_name(&self, value: &Value) -> Option<Picked> {
        let name = value.as_str().or_else(|| value.get("intent")?.as_str())?.trim();
        self.all.iter().find(|(intent, _)| intent.name == name).map(picked)
    }
}

fn picked((intent, agent): &(Intent, Agent)) -> Picked {
    Picked { agent: agent.clone(), intent: Some(intent.name.clone()) }
}
