//! The policy of a run: the settings of the project and what the person who started it said yes to
//! (GU-6).

mod rules;

pub use rules::check_rules;

use crate::config::{Integrity, PolicySettings, ToolPolicy, WorkspaceTrust};
use crate::frontend::{CLIENT_UNAVAILABLE, FrontendFailure, PERMISSION_DENIED};
use crate::permission::{Action, Permission};
use contexture_core::policy::{
    Class, Decision, Effect, FRONTEND, Influenced, Policy, Rule, Verdict, origin,
};
use serde_json::{Value, json};
use std::sync::Arc;

/// The code of an effect that the policy refuses.
pub const POLICY_DENIED: &str = "POLICY_DENIED";

/// Returns the policy of a run.
pub(crate) fn of(settings: &PolicySettings, yes_to: &[Class]) -> Policy {
    let classes = [
        (Class::Write, settings.write),
        (Class::Send, settings.send),
        (Class::Execute, settings.execute),
    ];
    let classes = classes.into_iter().filter_map(|(class, verdict)| Some((class, verdict?)));
    let tools = settings.tools.iter().map(|(name, tool)| (name.clone(), rule(tool)));
    Policy {
        classes: classes.collect(),
        tools: tools.collect(),
        trusts_workspace: settings.workspace == WorkspaceTrust::User,
        yes_to: yes_to.to_vec(),
        ..Policy::default()
    }
}

fn rule(tool: &ToolPolicy) -> Rule {
    let (integrity, arguments) = match &tool.integrity {
        None => (None, Default::default()),
        Some(Integrity::All(trust)) => (Some(*trust), Default::default()),
        Some(Integrity::Arguments(arguments)) => (None, arguments.clone()),
    };
    let readers = tool.readers.iter().map(|name| origin(name).unwrap_or_else(|| name.clone()));
    let readers = readers.collect();
    let validates = tool.validates.clone();
    Rule { verdict: tool.default, class: tool.class, integrity, arguments, readers, validates }
}

/// The refusal of an effect.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Refusal {
    pub(crate) code: String,
    pub(crate) message: String,
    pub(crate) help: Option<String>,
    pub(crate) details: Option<Value>,
}

impl Refusal {
    fn of_policy(policy: &Policy, name: &str, decision: &Decision) -> Self {
        let is_own = policy.narrowed.get(&decision.class) == Some(&Verdict::Deny);
        Self {
            code: POLICY_DENIED.to_owned(),
            message: sentence(name, decision, is_own),
            help: Some(help(name, decision, is_own)),
            details: Some(json!({
                "effect": name,
                "class": decision.class,
                "sources": decision.influence,
            })),
        }
    }

    fn of_person(failure: FrontendFailure) -> Self {
        let help = (failure.code == PERMISSION_DENIED)
            .then(|| "catch the error with `try … else err` to go on without it".to_owned());
        Self { code: failure.code, message: failure.message, help, details: failure.details }
    }
}

/// Decides about an effect, and asks a person where the policy or the settings of permissions want
/// one; the stricter of the two wins, and one question answers both.
pub(crate) async fn permitted(
    policy: &Policy,
    permission: Option<&Arc<dyn Permission>>,
    effect: &Effect<'_>,
    action: Action<'_>,
) -> (Decision, Result<(), Refusal>) {
    let decision = policy.decide(effect);
    let refused = || Err(Refusal::of_policy(policy, effect.name, &decision));
    let asks = decision.verdict == Verdict::Ask;
    let answer = match (permission, decision.verdict) {
        (_, Verdict::Deny) | (None, Verdict::Ask) => refused(),
        (None, Verdict::Allow) => Ok(()),
        // Whether its user is asked is between a front end and its own settings.
        (Some(_), Verdict::Allow) if effect.name.starts_with(FRONTEND) => Ok(()),
        (Some(permission), Verdict::Allow | Verdict::Ask) => {
            let asked = asks.then_some(&decision);
            let action = Action { policy: asked, ..action };
            match permission.ask(action).await {
                Err(failure) if asks && failure.code == CLIENT_UNAVAILABLE => refused(),
                answer => answer.map_err(Refusal::of_person),
            }
        }
    };
    (decision, answer)
}

fn sentence(name: &str, decision: &Decision, is_own: bool) -> String {
    const SHOWN: usize = 3;
    if is_own {
        let class = decision.class;
        return format!("`{name}` is not allowed: its program says `policy {class} \"deny\"`");
    }
    if decision.influence.is_empty() {
        let class = decision.class;
        return format!("`{name}` is not allowed: [policy] refuses effects of class {class}");
    }
    let mut shown: Vec<String> = sources(&decision.influence);
    let more = shown.len().saturating_sub(SHOWN);
    shown.truncate(SHOWN);
    if more > 0 {
        shown.push(format!("{more} more"));
    }
    format!("`{name}` is not allowed: it is influenced by {}", shown.join(", "))
}

fn help(name: &str, decision: &Decision, is_own: bool) -> String {
    let class = decision.class;
    if is_own {
        return format!("remove `policy {class} \"deny\"` from the program if it may");
    }
    if decision.influence.is_empty() {
        return format!("change `{class}` under [policy] in contexture.toml");
    }
    format!(
        "run it where a person can be asked, pass `--yes-to {class}`, or set [policy.tools.\"{name}\"] in contexture.toml"
    )
}

/// Reports whether a decision is recorded: one about plain reading is not.
pub(crate) fn is_recorded(decision: &Decision) -> bool {
    decision.class != Class::Read || !decision.influence.is_empty()
}

/// Returns the line of a decision in the trace.
pub(crate) fn record(name: &str, decision: &Decision, answer: Result<(), &Refusal>) -> Value {
    let by_person = match &answer {
        Ok(()) => decision.is_yes || decision.verdict == Verdict::Ask,
        Err(refusal) => refusal.code == PERMISSION_DENIED,
    };
    let by = if by_person { "person" } else { "policy" };
    line(name, decision, (if answer.is_ok() { "allow" } else { "deny" }, by))
}

/// Returns the line of an effect about which a client asks its user itself.
pub(crate) fn record_of_client(name: &str, decision: &Decision) -> Value {
    line(name, decision, ("allow", "client"))
}

/// Returns a line with the ways from the sources, those that were let up included.
fn line(name: &str, decision: &Decision, (word, by): (&str, &str)) -> Value {
    let Decision { class, influence, let_up, .. } = decision;
    let influence: Vec<&Influenced> = influence.iter().chain(let_up).collect();
    json!({ "effect": name, "class": class, "decision": word, "by": by, "influence": influence })
}

/// Returns the sources of a decision in words, for the question to a person.
#[must_use]
pub fn sources(influence: &[Influenced]) -> Vec<String> {
    influence.iter().map(|one| format!("{one} ({})", one.trust)).collect()
}
