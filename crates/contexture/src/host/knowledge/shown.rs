//! Packs that a `use` shows: resolved for the instruction and put among the items (AS-15).
//!
//! Decision: where a prompt has less room than the pack may take, the pack is asked again for that
//! room and not cut like any text: what stays is whole sections, the best ones (AS-18, KN-11).
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
use contexture_context::{Budget, ContextItem, DeclaredItem, Measure, TokenCounter, Trust};
use contexture_knowledge::fence;
use contexture_knowledge::resolve::{Resolution, Task};
use contexture_script::host::{GenerateCall, HostError};
use contexture_script::knowledge::UsedPack;
use serde_json::Value;
use std::borrow::Cow;

/// A call with its packs resolved.
pub(in crate::host) struct Shown<'c> {
    pub(in crate::host) call: Cow<'c, GenerateCall>,
    pub(in crate::host) packs: ShownPacks<'c>,
}

/// The packs of a call, to be asked again where the prompt has less room for them.
pub(in crate::host) struct ShownPacks<'c> {
    host: &'c LiveHost,
    call: &'c GenerateCall,
    counter: &'static dyn TokenCounter,
    answers: Vec<Answer<'c>>,
}

/// What a pack said, last.
struct Answer<'c> {
    used: &'c UsedPack,
    found: Resolution,
    budget: u64,
}

/// Resolves the packs that a call shows, each once, and puts what they say at their places.
pub(in crate::host) fn show<'c>(
    host: &'c LiveHost,
    call: &'c GenerateCall,
    model: &Model,
) -> Result<Shown<'c>, HostError> {
    let counter = tokenizer_for(model.provider.model());
    let mut packs = ShownPacks { host, call, counter, answers: Vec::new() };
    if call.packs.is_empty() {
        return Ok(Shown { call: Cow::Borrowed(call), packs });
    }
    let mut shown = call.clone();
    let mut added = 0;
    for used in &call.packs {
        let budget = limit(used);
        let found = resolve(host, call, used, counter, budget)?;
        tell(host, call, used, &found);
        if let Some(item) = item(used, &found, host.packs().get().english()) {
            put(&mut shown, used, item, added);
            added += 1;
        }
        packs.answers.push(Answer { used, found, budget });
    }
    shown.packs.clear();
    packs.trace()?;
    Ok(Shown { call: Cow::Owned(shown), packs })
}

impl ShownPacks<'_> {
    /// What a pack says within so many tokens, without its fence; none for an item of no pack.
    pub(in crate::host) fn shorter(&mut self, item: &DeclaredItem, room: u64) -> Option<String> {
        let (host, call, counter) = (self.host, self.call, self.counter);
        let answer = self.answers.iter_mut().find(|answer| is_of(item, answer.used))?;
        let budget = answer.budget.min(room);
        let found = resolve(host, call, answer.used, counter, budget).ok()?;
        let text = inside(&found, host.packs().get().english()).unwrap_or_default().to_owned();
        (answer.found, answer.budget) = (found, budget);
        Some(text)
    }

    /// What is kept of the packs, as they stand in the prompt.
    pub(in crate::host) fn kept(self, items: &[ContextItem]) -> Result<Kept, HostError> {
        self.trace()?;
        let mut kept = Kept::default();
        for Answer { used, found, budget } in self.answers {
            let position = &used.position;
            let is_it = |item: &&ContextItem| item.position.as_ref() == Some(position);
            let mut records = record::records(self.host, &found, position, budget)?;
            if items.iter().find(is_it).is_some_and(ContextItem::left_out) {
                for record in &mut records {
                    (record.tokens, record.files) = (0, Vec::new());
                    record.warnings.push("the prompt has no room for it".to_owned());
                }
            } else {
                kept.found.push(found);
            }
            kept.records.extend(records);
        }
        Ok(kept)
    }

    fn trace(&self) -> Result<(), HostError> {
        if self.answers.is_empty() {
            return Ok(());
        }
        let traced = self.answers.iter().map(|answer| traced_as(answer.used, &answer.found));
        let traced = traced.collect::<Result<Vec<_>, _>>()?;
        self.host.recorder.amend_field(self.call.event, "knowledge", &traced);
        Ok(())
    }
}

/// Whether an item is what a pack said for this `use`.
fn is_of(item: &DeclaredItem, used: &UsedPack) -> bool {
    item.fence.is_some()
        && item.position.as_ref() == Some(&used.position)
        && item.source == source(used)
}

fn source(used: &UsedPack) -> String {
    format!("knowledge://{}", used.import.pack)
}

/// The tokens that a pack may take: those of its `use`, else the default ones. How much room the
/// prompt has for it is seen when all is laid out, so that what it costs the pack is recorded.
fn limit(used: &UsedPack) -> u64 {
    used.budget.map_or(DEFAULT_BUDGET, |budget| budget.limit)
}

fn resolve(
    host: &LiveHost,
    call: &GenerateCall,
    used: &UsedPack,
    counter: &'static dyn TokenCounter,
    budget: u64,
) -> Result<Resolution, HostError> {
    let name = used.import.pack.as_str();
    host.packs().allowed(name).map_err(host_error)?;
    let of = |tokens: u64| {
        let task = Task::new(call.instruction.as_str(), tokens);
        host.packs().get().resolve_with(&[name], &task, counter).map_err(host_error)
    };
    match used.budget {
        Some(Budget { limit, measure: Measure::Chars, .. }) => within_characters(limit, budget, of),
        _ => of(budget),
    }
}

/// Sections are packed by tokens: for a budget of characters, as many tokens as stay within it.
fn within_characters(
    limit: u64,
    budget: u64,
    resolve: impl Fn(u64) -> Result<Resolution, HostError>,
) -> Result<Resolution, HostError> {
    let mut tokens = limit.min(budget);
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
        source: source(used),
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
