//! The steps of an expansion, by what became of a reference.

use super::found::Found;
use crate::plan::{PlanEntry, State};
use crate::syntax::Semantics;
use contexture_context::{Digest, Trust};
use contexture_core::reference::{ExpansionState, ExpansionStep, LoadError, Loaded, Place};

/// The place of a step: where its relative paths start, and how deep it stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct At<'a> {
    pub(super) place: &'a Place,
    pub(super) depth: usize,
}

/// Returns a step without a result.
fn bare(reference: &str, is_hot: bool, at: At<'_>) -> ExpansionStep {
    ExpansionStep {
        reference: reference.to_owned(),
        source: None,
        place: at.place.clone(),
        depth: at.depth,
        is_hot,
        state: ExpansionState::Pending,
        reason: String::new(),
        tokens: None,
        digest: None,
        trust: None,
        error: None,
    }
}

/// Returns the step of an entry of a plan.
pub(super) fn of_entry(entry: &PlanEntry, at: At<'_>) -> ExpansionStep {
    let step = ExpansionStep {
        source: entry.source.as_ref().map(|source| source.as_str().to_owned()),
        tokens: entry.tokens,
        reason: entry.reason.clone(),
        ..bare(&entry.reference, entry.semantics == Semantics::Hot, at)
    };
    if let Some(error) = entry.error.as_ref().or_else(|| entry.hot_failure()) {
        let is_hot = step.is_hot || entry.hot_failure().is_some();
        return ExpansionStep { is_hot, ..failed(step, error.clone()) };
    }
    match (entry.state, &entry.loaded) {
        (State::Loaded, Some(loaded)) => of_loaded(step, loaded),
        _ => step,
    }
}

/// Returns the step of what was loaded.
fn of_loaded(step: ExpansionStep, loaded: &Loaded) -> ExpansionStep {
    let trust = loaded.resources.iter().map(|one| one.trust).reduce(Trust::least);
    let digest = match loaded.resources.as_slice() {
        [one] => one.digest(),
        _ => None,
    };
    ExpansionStep { state: ExpansionState::Loaded, trust, digest, ..step }
}

/// Returns the step of a document that a person named.
pub(super) fn of_named(name: &str, text: &str, tokens: u64, place: &Place) -> ExpansionStep {
    ExpansionStep {
        state: ExpansionState::Loaded,
        tokens: Some(tokens),
        digest: Some(Digest::of_bytes(text.as_bytes())),
        trust: Some(Trust::Resource),
        reason: "named by the command".to_owned(),
        ..bare(name, true, At { place, depth: 0 })
    }
}

/// Returns the step of something that was not tried.
pub(super) fn of_found(found: &Found, at: At<'_>) -> ExpansionStep {
    let is_hot = found.semantics == Semantics::Hot;
    match &found.reference {
        Ok(reference) => ExpansionStep {
            source: Some(reference.as_str().to_owned()),
            ..bare(&reference.as_ref().public(), is_hot, at)
        },
        Err(error) => failed(bare(&error.reference, is_hot, at), error.clone()),
    }
}

/// Returns a step that failed.
pub(super) fn failed(step: ExpansionStep, error: LoadError) -> ExpansionStep {
    let reason = error.message.clone();
    ExpansionStep { state: ExpansionState::Failed, reason, error: Some(error), ..step }
}

/// Returns a step that lies beyond a limit.
pub(super) fn limited(step: ExpansionStep, error: LoadError) -> ExpansionStep {
    ExpansionStep { state: ExpansionState::Limit, ..failed(step, error) }
}
