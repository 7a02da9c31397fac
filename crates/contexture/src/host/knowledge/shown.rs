//! Packs that a `use` shows: resolved for the instruction and put among the items (AS-15).
//!
//! Decision: what does not match the instruction is left out, even if the whole pack would fit. A
//! pack with nothing to say gives no item: an empty fence tells a model nothing and could be read as
//! a fact. The record keeps what was missing.

use super::record::Kept;
use super::{host_error, record, value_of};
use crate::host::LiveHost;
use crate::models::Model;
use crate::packs::DEFAULT_BUDGET;
use crate::references::inside;
use contexture_context::tokens::tokenizer_for;
use contexture_context::{Budget, DeclaredItem, Measure, TokenCounter, Trust};
use contexture_knowledge::fence;
use contexture_knowledge::resolve::{Resolution, Task};
use contexture_script::host::{GenerateCall, HostError};
use contexture_script::knowledge::UsedPack;
use serde_json::Value;
use std::borrow::Cow;

/// A call with its packs resolved.
pub(in crate::host) struct Shown<'c> {
    pub(in crate::host) call: Cow<'c, GenerateCall>,
    pub(in crate::host) kept: Kept,
}

/// Resolves the packs that a call shows, each once, and puts what they say at their places.
pub(in crate::host) fn show<'c>(
    host: &LiveHost,
    call: &'c GenerateCall,
    model: &Model,
) -> Result<Shown<'c>, HostError> {
    let kept = Kept::default();
    if call.packs.is_empty() {
        return Ok(Shown { call: Cow::Borrowed(call), kept });
    }
    let mut shown = Shown { call: Cow::Owned(call.clone()), kept };
    let counter = tokenizer_for(model.provider.model());
    let mut traced = Vec::new();
    let mut added = 0;
    for used in &call.packs {
        let found = resolve(host, call, used, counter)?;
        traced.push(traced_as(used, &found)?);
        tell(host, call, used, &found);
        let position = used.position.clone();
        shown.kept.records.extend(record::records(host, &found, &position, limit(call, used))?);
        if let Some(item) = item(used, &found, host.packs().get().english()) {
            put(shown.call.to_mut(), used, item, added);
            added += 1;
        }
        shown.kept.found.push(found);
    }
    shown.call.to_mut().packs.clear();
    host.recorder.amend_field(call.event, "knowledge", &traced);
    Ok(shown)
}

/// The tokens that a pack may take: those of its `use`, else the default ones, and never more than
/// the whole prompt.
fn limit(call: &GenerateCall, used: &UsedPack) -> u64 {
    let own = used.budget.map_or(DEFAULT_BUDGET, |budget| budget.limit);
    call.options.max_input.map_or(own, |most| own.min(most))
}

fn resolve(
    host: &LiveHost,
    call: &GenerateCall,
    used: &UsedPack,
    counter: &'static dyn TokenCounter,
) -> Result<Resolution, HostError> {
    let name = used.import.pack.as_str();
    host.packs().allowed(name).map_err(host_error)?;
    let of = |tokens: u64| {
        let task = Task::new(call.instruction.as_str(), tokens);
        host.packs().get().resolve_with(&[name], &task, counter).map_err(host_error)
    };
    match used.budget {
        Some(Budget { limit, measure: Measure::Chars, .. }) => within_characters(limit, of),
        _ => of(limit(call, used)),
    }
}

/// Sections are packed by tokens: for a budget of characters, as many tokens as stay within it.
fn within_characters(
    limit: u64,
    resolve: impl Fn(u64) -> Result<Resolution, HostError>,
) -> Result<Resolution, HostError> {
    let mut tokens = limit;
    loop {
        let found = resolve(tokens)?;
        let characters = found.context.chars().count() as u64;
        if characters <= limit || tokens <= 1 {
            return Ok(found);
        }
        // Tokens that are in proportion, and fewer than before in any case.
        let fair = found.tokens.saturating_mul(limit) / characters.max(1);
        tokens = fair.min(found.tokens.saturating_sub(1)).min(tokens - 1).max(1);
    }
}

/// The item of a pack in its own fence; none when nothing was selected.
fn item(used: &UsedPack, found: &Resolution, english: bool) -> Option<DeclaredItem> {
    let pack = found.uses.first()?;
    let fence = fence::knowledge(&pack.item, pack.grounding, english);
    let inside = inside(found, english)?;
    Some(DeclaredItem {
        label: used.label.clone(),
        source: format!("knowledge://{}", used.import.pack),
        position: Some(used.position.clone()),
        value: Value::from(inside),
        budget: used.budget,
        keep: used.keep,
        priority: used.priority,
        trust: Trust::Pack,
        fence: Some(fence),
    })
}

/// Puts an item behind those that stand before its `use`, and what comes behind it further back.
fn put(call: &mut GenerateCall, used: &UsedPack, item: DeclaredItem, added: usize) {
    let at = (used.before + added).min(call.items.len());
    call.items.insert(at, item);
    for resource in call.resources.iter_mut().skip(used.resources_before) {
        resource.before += 1;
    }
}

fn tell(host: &LiveHost, call: &GenerateCall, used: &UsedPack, found: &Resolution) {
    for warning in &found.warnings {
        host.warn(format!("{}: {warning}", call.site));
    }
    if found.sections.is_empty() {
        host.warn(format!(
            "{}: nothing in the knowledge pack `{}` fits this instruction, so the model sees nothing of it",
            call.site, used.import.pack
        ));
    }
}

/// What the trace keeps: all but the text, which the prompt has.
fn traced_as(used: &UsedPack, found: &Resolution) -> Result<Value, HostError> {
    let mut value = value_of(found)?;
    if let Some(fields) = value.as_object_mut() {
        fields.remove("context");
        fields.insert("pack".to_owned(), used.import.pack.clone().into());
        fields.insert("label".to_owned(), used.label.clone().into());
    }
    Ok(value)
}
