//! Loading: what is hot and, by the policy, what is default. A dry run leaves the network alone.

use super::asked::Asked;
use super::planned::Planned;
use crate::host::errors::of_load;
use crate::host::run_state::RunState;
use contexture_context::Trust;
use contexture_reference::syntax::{Reference, Semantics};
use contexture_reference::{
    LoadError, Loaded, Loader, Plan, PlanEntry, PlanOptions, Policy, Resource, State,
};
use contexture_script::host::HostError;
use std::pin::Pin;

/// Loads the references of a call as far as their prefixes and the policy ask for it at once. Those
/// that are default are all loaded under the policy `budget`: which of them have room is seen
/// later.
pub(super) async fn load(
    run: &RunState,
    loader: &Loader,
    asked: Vec<Asked>,
    policy: Policy,
) -> Result<Vec<Planned>, HostError> {
    let mut real = Vec::with_capacity(asked.len());
    let mut planned = Vec::with_capacity(asked.len());
    for (index, asked) in asked.into_iter().enumerate() {
        let entry = if run.dry_run { stand_in(loader, &asked, policy) } else { None };
        if entry.is_none() {
            real.push(index);
        }
        let is_placeholder = entry.as_ref().is_some_and(|entry| entry.state == State::Loaded);
        let entry = entry.unwrap_or_else(|| unloaded(&asked));
        planned.push(Planned { asked, entry, items: Vec::new(), answer: None, is_placeholder });
    }
    let place = planned.first().map(|one| one.asked.place.clone()).unwrap_or_default();
    let is_offline = run.dry_run;
    let options = PlanOptions { policy, place, is_offline, ..PlanOptions::default() };
    let references: Vec<Reference<'_>> = real
        .iter()
        .filter_map(|index| planned.get(*index))
        .map(|one| one.asked.reference.as_ref())
        .collect();
    let loading = plan(loader, &references, &options);
    let planning = run.unless_cancelled(loading).await?;
    let Plan { entries } = planning.map_err(|error| of_load(&error))?;
    for (index, entry) in real.into_iter().zip(entries) {
        if let Some(planned) = planned.get_mut(index) {
            planned.entry = entry;
        }
    }
    Ok(planned)
}

/// Returns the plan, as a future that is known to be `Send` whatever lifetimes it holds.
fn plan<'a>(
    loader: &'a Loader,
    references: &'a [Reference<'a>],
    options: &'a PlanOptions,
) -> Pin<Box<dyn Future<Output = Result<Plan, LoadError>> + Send + 'a>> {
    Box::pin(loader.plan_of(references, options))
}

/// Returns the stand-in for a reference that a dry run does not follow into the network: its name,
/// where a run would load it now.
fn stand_in(loader: &Loader, asked: &Asked, policy: Policy) -> Option<PlanEntry> {
    let reference = asked.reference.as_ref();
    let route = loader.route(&reference, &asked.place).ok()?;
    if !loader.connects(&route) {
        return None;
    }
    let mut entry = unloaded(asked);
    entry.semantics = route.semantics;
    let now = match route.semantics {
        Semantics::Hot => true,
        Semantics::Default => policy == Policy::Budget,
        Semantics::Lazy => false,
    };
    if now {
        let name = reference.public();
        let text = format!("⟨{name}⟩");
        let resource = Resource::of_text(name, "text/plain", text, Trust::Web);
        entry.state = State::Loaded;
        "a dry run loads nothing from the network".clone_into(&mut entry.reason);
        entry.loaded = Some(Loaded { resources: vec![resource], ..Loaded::default() });
    }
    Some(entry)
}

fn unloaded(asked: &Asked) -> PlanEntry {
    let reference = asked.reference.as_ref();
    PlanEntry {
        reference: reference.public(),
        source: Some(asked.reference.clone()),
        semantics: reference.semantics(),
        state: State::Pending,
        tokens: None,
        reason: "loaded when asked for".to_owned(),
        span: None,
        inner: None,
        loaded: None,
        error: None,
    }
}
