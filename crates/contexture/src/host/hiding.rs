//! Secrets in what a model would see: they are warned of, and masked unless the project allows them
//! (GU-10).
//!
//! Decision: what is masked is the value of an item, before it is fitted, so that budgets, digests
//! and records are those of the text that is sent.

use super::run_state::RunState;
use contexture_context::DeclaredItem;
use contexture_context::manifest::{MaskedRecord, Site};
use contexture_script::host::GenerateCall;
use contexture_store::masker::Hidden;
use serde_json::Value;
use std::borrow::Cow;
use std::sync::Arc;

/// Masks the secrets in all parts of a call, and of templates' parts that have fences of their own;
/// returns what was masked. A call without secrets is not copied.
pub(super) fn in_call(
    run: &RunState,
    call: &mut Cow<'_, GenerateCall>,
    fenced: &mut [Arc<str>],
) -> Vec<MaskedRecord> {
    for text in fenced {
        if let Cow::Owned(shown) = run.shown_to_model(text) {
            *text = shown.into();
        }
    }
    if !holds_secret(run, call) {
        return Vec::new();
    }
    let call = call.to_mut();
    let mut masked = Vec::new();
    let site = call.site.clone();
    for (index, item) in call.items.iter_mut().enumerate() {
        masked.extend(in_item(run, &site, item, index));
    }
    let mut part = |name: &str, text: &mut String| {
        let mut value = Value::String(std::mem::take(text));
        let found = run.hide(&mut value);
        if let Value::String(shown) = value {
            *text = shown;
        }
        masked.extend(told(run, &site, name, None, found));
    };
    part("the instruction", &mut call.instruction);
    for (name, text) in [("the role", &mut call.role), ("the description", &mut call.description)] {
        if let Some(text) = text {
            part(name, text);
        }
    }
    masked
}

/// Reports whether a part of a call holds what a model may not see.
fn holds_secret(run: &RunState, call: &GenerateCall) -> bool {
    let masker = run.recorder.masker();
    let hides = |text: &String| masker.hides(text);
    let in_item = |item: &DeclaredItem| {
        hides(&item.source)
            || item.label.as_ref().is_some_and(hides)
            || masker.hides_in(&item.value)
    };
    hides(&call.instruction)
        || call.role.iter().chain(&call.description).any(hides)
        || call.items.iter().any(in_item)
}

/// Masks the secrets of an item; returns what was masked.
pub(super) fn in_item(
    run: &RunState,
    site: &Site,
    item: &mut DeclaredItem,
    index: usize,
) -> Vec<MaskedRecord> {
    for text in std::iter::once(&mut item.source).chain(&mut item.label) {
        if let Cow::Owned(shown) = run.shown_to_model(text) {
            *text = shown;
        }
    }
    let found = run.hide(&mut item.value);
    told(run, site, &item.source.clone(), Some(index), found)
}

/// Warns of what was found in a part of a prompt, and returns the record of what was masked.
fn told(
    run: &RunState,
    site: &Site,
    part: &str,
    item: Option<usize>,
    found: Vec<Hidden>,
) -> Vec<MaskedRecord> {
    let done = if run.shows_secrets() {
        "is shown to the model, as `[policy] secrets` allows"
    } else {
        "is masked before the model; `secrets = \"allow\"` under [policy] in contexture.toml shows it"
    };
    for Hidden { what, line } in &found {
        let name = if item.is_some() { format!("`{part}`") } else { part.to_owned() };
        run.warn(format!(
            "{site}: {name} seems to hold a secret ({what}, line {line}), which {done}"
        ));
    }
    if run.shows_secrets() {
        return Vec::new();
    }
    let record = |Hidden { what, line }| MaskedRecord {
        part: part.to_owned(),
        item,
        what: what.to_owned(),
        line,
    };
    found.into_iter().map(record).collect()
}
