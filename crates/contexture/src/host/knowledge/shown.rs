//! Packs that a `use` shows: resolved for the instruction and put among the items (AS-15).
//!
//! Decision: where a prompt has less room than the pack may take, the pack is asked again for that
//! room and not cut like any text: what stays is whole sections, the best ones (AS-18, KN-11). So
//! it is with what a reference asks of a pack.
//!
//! Decision: what does not match the instruction is left out, even if the whole pack would fit. A
//! pack with nothing to say gives no item: an empty fence tells a model nothing and could be read
//! as a fact. The record keeps what was missing.

use super::answer::{Answer, Question};
use super::record;
use super::record::Kept;
use crate::host::run_state::RunState;
use crate::models::Model;
use crate::packs::{DEFAULT_BUDGET, OnDemand, file_in_pack};
use crate::references::inside;
use contexture_context::{ContextItem, DeclaredItem, Keep, Label, TokenCounter, Trust};
use contexture_knowledge::fence;
use contexture_knowledge::pack::GUIDE_FILE;
use contexture_knowledge::resolve::Resolution;
use contexture_knowledge::section::beginning;
use contexture_script::host::{GenerateCall, HostError};
use contexture_script::knowledge::UsedPack;
use serde_json::Value;
use std::borrow::Cow;

/// A call with its packs resolved.
pub(crate) struct Shown<'c> {
    pub(crate) call: Cow<'c, GenerateCall>,
    pub(crate) packs: ShownPacks<'c>,
}

/// The packs of a call, to be asked again where the prompt has less room for them.
pub(crate) struct ShownPacks<'c> {
    run: &'c RunState,
    packs: &'c OnDemand,
    call: &'c GenerateCall,
    counter: &'static dyn TokenCounter,
    answers: Vec<Answer>,
}

/// Resolves the packs that a call shows, each once, and inserts their answers at their places.
pub(crate) fn show<'c>(
    run: &'c RunState,
    packs: &'c OnDemand,
    call: &'c GenerateCall,
    model: &Model,
) -> Result<Shown<'c>, HostError> {
    let counter = model.provider.tokenizer();
    let mut shown_packs = ShownPacks { run, packs, call, counter, answers: Vec::new() };
    if call.packs.is_empty() {
        return Ok(Shown { call: Cow::Borrowed(call), packs: shown_packs });
    }
    let mut shown = call.clone();
    let mut added = 0;
    for used in &call.packs {
        let answer = question(run, call, used).ask(packs, counter, limit(used))?;
        tell(run, call, used, &answer.found);
        if let Some(item) = item(used, &answer.found, packs.get().english()) {
            put(&mut shown, used, item, added);
            added += 1;
        }
        shown_packs.answers.push(answer);
    }
    shown.packs.clear();
    shown_packs.trace()?;
    Ok(Shown { call: Cow::Owned(shown), packs: shown_packs })
}

impl ShownPacks<'_> {
    /// Adds the answers that references asked of packs.
    pub(crate) fn add(&mut self, answers: Vec<Answer>) {
        self.answers.extend(answers);
    }

    /// Returns the answer of a pack within so many tokens, without its fence; none for other items.
    pub(crate) fn shorter(&mut self, item: &DeclaredItem, room: u64) -> Option<String> {
        let is_it = |answer: &&mut Answer| {
            item.fence.is_some() && answer.question.is_at(&item.source, item.position.as_ref())
        };
        let Some(answer) = self.answers.iter_mut().find(is_it) else {
            return shorter_file(item, room, self.counter);
        };
        answer.shorten(self.packs, self.counter, room).ok()?;
        Some(answer.text(self.packs.get().english()).to_owned())
    }

    /// Returns the record of the packs, as they stand in the prompt.
    pub(crate) fn kept(self, items: &[ContextItem]) -> Result<Kept, HostError> {
        self.trace()?;
        let mut kept = Kept::default();
        for Answer { question, found, budget } in self.answers {
            if question.is_own {
                let all = question.whole(self.packs, self.counter)?;
                kept.ranked.push(record::ranked(&question, &found, &all));
            }
            let is_it = |item: &&ContextItem| question.is_at(&item.source, item.position.as_ref());
            let mut records = record::records(self.packs, &found, &question.position, budget)?;
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
        let traced = self.answers.iter().map(traced_as);
        let traced = traced.collect::<Result<Vec<_>, _>>()?;
        self.run.recorder.amend_field(self.call.event, "knowledge", &traced);
        Ok(())
    }
}

/// Returns the beginning of a file of a pack that ends with a section, in its fence within so many
/// tokens; none for other items, for what keeps its end, and where no section fits.
pub(crate) fn shorter_file(
    item: &DeclaredItem,
    room: u64,
    counter: &dyn TokenCounter,
) -> Option<String> {
    let fence = item.fence.as_ref().filter(|fence| fence.tag() == fence::TAG)?;
    let (_, path) = file_in_pack(&item.source).filter(|_| item.keep == Keep::Head)?;
    let path = if path.is_empty() { GUIDE_FILE } else { path.as_str() };
    let fits = |text: &str| counter.count(&fence.wrap(text)) as u64 <= room;
    beginning(path, item.value.as_str()?, fits)
}

/// Returns the question of a `use` to its pack.
fn question(run: &RunState, call: &GenerateCall, used: &UsedPack) -> Question {
    let own = used.question.as_ref().map(|question| question.text.as_str());
    let asked = own.filter(|text| !text.trim().is_empty());
    if own.is_some() && asked.is_none() {
        run.warn(format!(
            "{}: the question that selects from `{}` is empty, so the instruction selects from it",
            call.site,
            source(used)
        ));
    }
    Question {
        pack: used.import.pack.clone(),
        text: asked.unwrap_or(&call.instruction).to_owned(),
        source: source(used),
        label: used.label.clone(),
        position: used.position.clone(),
        budget: used.budget,
        is_own: asked.is_some(),
    }
}

fn source(used: &UsedPack) -> String {
    format!("knowledge://{}", used.import.pack)
}

/// Returns the tokens that a pack may take: those of its `use`, else the default ones. How much
/// room the prompt has for it is seen when all is laid out, so that what it costs the pack is
/// recorded.
fn limit(used: &UsedPack) -> u64 {
    used.budget.map_or(DEFAULT_BUDGET, |budget| budget.limit)
}

/// Returns the item of a pack in its own fence; none when nothing was selected.
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
        question: None,
        origin: label_of(used),
        fence: Some(fence),
    })
}

/// Returns the label of what is selected: that of a pack, and of the question that selects from it.
fn label_of(used: &UsedPack) -> Label {
    match &used.question {
        None => Trust::Pack.into(),
        Some(question) => Label::of(source(used), Trust::Pack).join(&question.label),
    }
}

/// Inserts an item behind those that stand before its `use`, and moves what follows further back.
fn put(call: &mut GenerateCall, used: &UsedPack, item: DeclaredItem, added: usize) {
    let at = (used.before + added).min(call.items.len());
    call.items.insert(at, item);
    for resource in call.resources.iter_mut().skip(used.resources_before) {
        resource.before += 1;
    }
}

fn tell(run: &RunState, call: &GenerateCall, used: &UsedPack, found: &Resolution) {
    for warning in &found.warnings {
        run.warn(format!("{}: {warning}", call.site));
    }
    if found.sections.is_empty() {
        run.warn(format!(
            "{}: nothing in the knowledge pack `{}` fits this instruction, so the model sees nothing of it",
            call.site, used.import.pack
        ));
    }
}

/// Returns an answer for the trace: all but the text, which the prompt has.
fn traced_as(answer: &Answer) -> Result<Value, HostError> {
    let Answer { question, found, .. } = answer;
    let mut value = record::value_of(found)?;
    if let Some(fields) = value.as_object_mut() {
        fields.remove("context");
        fields.insert("pack".to_owned(), question.pack.clone().into());
        fields.insert("label".to_owned(), question.label.clone().into());
    }
    Ok(value)
}
