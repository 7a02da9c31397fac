//! The context that references bring into a prompt: resources that a `use` shows, and references in
//! the text that the program wrote (REF-6 to REF-10).
//!
//! Decision: a prompt is gathered in three rounds. What is hot is loaded, or the call fails. What
//! is default is loaded while there is room, in the order of the prompt, so that the same program
//! gives the same prompt. The rest stays pending: it is listed in one item and offered to the model
//! as a tool. The text of the program stays as it was written, and what was loaded is never
//! searched.

mod asked;
pub(super) mod items;
mod load;
mod planned;
pub(super) mod room;

use super::errors::of_load;
use super::knowledge::{Answer, Kept, of_question, of_reference};
use super::prompt::label_of_item;
use super::ranked::Selections;
use super::run_state::RunState;
use crate::models::Model;
use crate::packs;
use crate::written::OnDemand;
use asked::{Asked, asked};
use contexture_context::{DeclaredItem, Keep, TokenCounter, Trust};
use contexture_reference::syntax::ReferenceBuf;
use contexture_reference::tool::Offers;
use contexture_reference::{Place, PlanEntry, Policy, State, syntax::Semantics};
use contexture_script::host::{GenerateCall, HostError};
use items::items_of;
use load::load;
use planned::{Planned, entry};
use room::Tools;
use serde_json::json;
use std::borrow::Cow;

/// The label of the item that lists what is pending.
const PENDING_LABEL: &str = "resources";

/// The context of one call.
pub(super) struct Gathered<'c> {
    /// The call; without credentials that its author wrote into references.
    pub(super) call: Cow<'c, GenerateCall>,
    /// The resources that the model may load.
    pub(super) offers: Offers,
    /// The record of the packs among what was loaded.
    pub(super) packs: Kept,
    /// The answers of packs to questions.
    pub(super) answers: Vec<Answer>,
}

/// Loads what a call refers to and puts it among its items.
pub(super) async fn gather<'c>(
    run: &RunState,
    on_demand: &OnDemand,
    call: &'c GenerateCall,
    (model, tools, ranked): (&Model, Tools<'_>, &mut Selections),
) -> Result<Gathered<'c>, HostError> {
    let asked = asked(call)?;
    if asked.is_empty() {
        let (offers, packs, answers) = (Offers::default(), Kept::default(), Vec::new());
        return Ok(Gathered { call: Cow::Borrowed(call), offers, packs, answers });
    }
    let mut call = call.clone();
    for one in &asked {
        hide_user_info(&mut call, one);
    }
    let (references, packs) = (on_demand.get(), on_demand.packs());
    let place = asked.first().map(|one| one.place.clone()).unwrap_or_default();
    let options = references.plan_options(place);
    let counter = model.provider.tokenizer();
    let mut planned = load(run, references.loader(), asked, options.policy).await?;
    run.recorder.add_secrets(on_demand.secrets());
    for one in &mut planned {
        let (mut items, left_out) = items_of(packs, &one.asked, &one.entry, counter)?;
        for item in &mut items {
            item.origin.trust = run.policy.of_workspace(item.origin.trust);
        }
        one.items = items;
        note(run, &call, one, left_out);
        answer(run, packs, &call, one, counter)?;
        select(run, &call, one, (counter, ranked))?;
    }
    let most = options.budget.unwrap_or(u64::MAX);
    room::fit(&call, &mut planned, (counter, tools), most)?;
    let entries = planned.iter().map(|one| entry(&one.entry)).collect::<Vec<_>>();
    run.recorder.amend(call.event, json!({ "references": entries }));
    failed(run, &call, &planned)?;
    let offers = offers(&planned, options.policy);
    let (packs, answers) = kept(packs, &mut planned)?;
    put(&mut call, planned);
    if !offers.is_empty() {
        call.items.push(listing(&call, &offers, tools.loads));
    }
    Ok(Gathered { call: Cow::Owned(call), offers, packs, answers })
}

/// Selects from what was loaded by the question of its `use`. What a dry run did not load stays as
/// it is.
fn select(
    run: &RunState,
    call: &GenerateCall,
    one: &mut Planned,
    (counter, ranked): (&'static dyn TokenCounter, &mut Selections),
) -> Result<(), HostError> {
    let used = one.asked.used.as_ref();
    let Some(question) = used.and_then(|used| used.question.as_ref()) else { return Ok(()) };
    for item in &mut one.items {
        item.origin = label_of_item(item).join(&question.label);
        item.question = item.question.take().filter(|_| !one.is_placeholder);
    }
    let source = one.entry.reference.as_str();
    let about = (&call.site, source, call.options.plan);
    one.items = ranked.select(run, about, &one.items, counter)?;
    Ok(())
}

/// Takes the answer of a pack within the budget of its `use`: whole sections, in place of a text
/// that would be cut.
fn answer(
    run: &RunState,
    packs: &packs::OnDemand,
    call: &GenerateCall,
    one: &mut Planned,
    counter: &'static dyn TokenCounter,
) -> Result<(), HostError> {
    if one.is_placeholder {
        return Ok(());
    }
    let reference = one.asked.reference.as_ref();
    one.answer = of_question(packs, reference.as_str(), &mut one.items, counter)?;
    if one.items.is_empty() {
        for warning in one.answer.iter().flat_map(Answer::warnings) {
            run.warn(format!("{}: {warning}", call.site));
        }
    }
    Ok(())
}

/// Returns the record of the packs that are in the prompt by reference, and their answers to
/// questions.
fn kept(
    packs: &packs::OnDemand,
    planned: &mut [Planned],
) -> Result<(Kept, Vec<Answer>), HostError> {
    let (mut kept, mut answers) = (Kept::default(), Vec::new());
    kept.expanded = planned.iter().filter_map(planned::expanded).collect();
    for Planned { asked, entry, items, answer, .. } in planned {
        let Some(loaded) = &entry.loaded else { continue };
        if let Some(answer) = answer.take() {
            answers.push(answer);
        } else if !items.is_empty() {
            let reference = asked.reference.as_ref();
            kept.extend(of_reference(packs, reference.as_str(), loaded, &asked.position)?);
        }
    }
    Ok((kept, answers))
}

/// Hides the credentials in references, which no model needs (REF-23); the rest is sent as written.
fn hide_user_info(call: &mut GenerateCall, asked: &Asked) {
    for (written, shown) in &asked.secret {
        let texts = [Some(&mut call.instruction), call.role.as_mut(), call.description.as_mut()];
        for text in texts.into_iter().flatten() {
            *text = text.replace(written, shown);
        }
    }
}

/// Reports the notes of a load that did not fail.
fn note(run: &RunState, call: &GenerateCall, planned: &Planned, left_out: usize) {
    let notes = planned.entry.loaded.iter().flat_map(|loaded| &loaded.notes);
    for note in notes.filter(|note| note.severity != contexture_diagnostic::Severity::Hint) {
        run.warn(format!("{}: {}", call.site, note.message));
    }
    if left_out > 0 {
        let (all, reference) = (planned.items.len(), &planned.entry.reference);
        let name = planned.asked.used.as_ref().map_or("it", |used| used.import.name.as_str());
        run.warn(format!(
            "{}: {left_out} of the {all} resources of `{reference}` do not fit its budget; raise `max`, or select what is about a question: `use {name} max … for question`",
            call.site
        ));
    }
    if planned.is_placeholder {
        run.note_placeholder(format!("{} at {}", planned.entry.reference, call.site));
    }
}

/// Fails for a hot reference that did not load, or one that the program shows with `use`; warns of
/// any other.
fn failed(run: &RunState, call: &GenerateCall, planned: &[Planned]) -> Result<(), HostError> {
    for one in planned {
        if let Some(error) = one.entry.hot_failure() {
            return Err(of_load(error));
        }
        let Some(error) = &one.entry.error else { continue };
        if one.asked.used.is_some() {
            return Err(of_load(error));
        }
        run.warn(format!("{}: {error}", call.site));
    }
    Ok(())
}

/// Returns what the model may load: all that is pending, inside of what is loaded too. What the
/// policy `never` excludes is not offered.
fn offers(planned: &[Planned], policy: Policy) -> Offers {
    let mut offers = Offers::default();
    for Planned { asked, entry, .. } in planned {
        let nobody = policy == Policy::Never && entry.semantics == Semantics::Default;
        if entry.state == State::Pending && !nobody {
            offers.add([entry], &asked.place);
        }
        if entry.state == State::Loaded {
            offer_inner(&mut offers, entry, &asked.place);
            offer_steps(&mut offers, entry, policy);
        }
    }
    offers
}

/// Offers a lazy level inside of what is loaded: it is a handle that the model may load.
fn offer_inner(offers: &mut Offers, around: &PlanEntry, place: &Place) {
    let Some(inner) = around.inner.as_deref() else { return };
    if inner.state == State::Pending {
        let source = ReferenceBuf::parse(&inner.reference).ok();
        offers.add([&PlanEntry { source, ..inner.clone() }], place);
    } else {
        offer_inner(offers, inner, place);
    }
}

/// Offers what is pending inside a document that was expanded (MA-1).
fn offer_steps(offers: &mut Offers, around: &PlanEntry, policy: Policy) {
    for step in around.loaded.iter().flat_map(|loaded| &loaded.steps) {
        let is_plain = !step.reference.starts_with("@?") && !step.is_hot;
        if !(policy == Policy::Never && is_plain) {
            offers.add_step(step);
        }
    }
}

/// Inserts items where they belong: those of a `use` at its place, those of the text behind all
/// others.
fn put(call: &mut GenerateCall, planned: Vec<Planned>) {
    let mut own = std::mem::take(&mut call.items).into_iter();
    let mut taken = 0;
    for one in planned {
        if let Some(used) = &one.asked.used {
            call.items.extend(own.by_ref().take(used.before.saturating_sub(taken)));
            taken = used.before;
        } else {
            call.items.extend(own.by_ref());
        }
        if one.is_placeholder {
            call.on_placeholders = true;
            let name = one.items.first().map(|item| match &item.label {
                Some(label) => format!("[{label}]"),
                None => item.source.clone(),
            });
            call.placeholders.extend(name);
        }
        call.items.extend(one.items);
    }
    call.items.extend(own);
}

/// Returns the item that lists what is not loaded. It is cut last: a tool without it would be of no
/// use.
fn listing(call: &GenerateCall, offers: &Offers, calls_tools: bool) -> DeclaredItem {
    let text = if calls_tools { offers.manifest() } else { names(offers) };
    DeclaredItem {
        label: Some(PENDING_LABEL.to_owned()),
        source: contexture_reference::tool::NAME.to_owned(),
        position: Some(call.site.position.clone()),
        value: text.trim_end().into(),
        budget: None,
        keep: Keep::Head,
        priority: i64::MAX,
        question: None,
        origin: Trust::Program.into(),
        fence: None,
    }
}

/// Returns the names alone, for a model that can't load them.
fn names(offers: &Offers) -> String {
    let lines = offers.list().iter().map(|offer| format!("- {}\n", offer.reference));
    format!("Resources that are not loaded:\n{}", lines.collect::<String>())
}
