//! Why something is in the prompt of a model call, or is not (IN-9): from the record.

use super::kept::{Call, InspectError, Kept};
use super::outline::Outline;
use contexture_context::item::{CutReason, CutRecord, Position};
use contexture_context::manifest::{ItemRecord, RankedRecord};
use contexture_context::{Manifest, TraceKind};
use serde::Serialize;
use serde_json::Value;

/// The codes of what a policy or a person did not allow.
const DENIALS: [&str; 3] = ["POLICY_DENIED", "PATH_PROTECTED", "pack_not_allowed"];

/// The events that can be denied.
const DENIABLE: [TraceKind; 5] =
    [TraceKind::Tool, TraceKind::Memory, TraceKind::Knowledge, TraceKind::File, TraceKind::Error];

/// What became of a thing on its way into a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Verdict {
    /// It is in the prompt, whole.
    Present,
    /// A part of it is.
    Cut,
    /// It gave way wholly to a budget.
    GaveWay,
    /// A question selected other texts.
    NotSelected,
    /// A `use` elsewhere names it.
    OutOfScope,
    /// It was not allowed.
    Denied,
    /// Nothing in the run names it.
    NotDeclared,
}

/// The answer, with what decided.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WhyNot {
    /// What became of it.
    pub verdict: Verdict,
    /// What decided: a budget, a question, a declaration, the code of an error.
    pub by: Option<String>,
    /// The line of its declaration.
    pub line: Option<u32>,
    /// One sentence.
    pub detail: String,
}

impl WhyNot {
    fn new(verdict: Verdict, by: Option<String>, at: Option<&Position>, detail: String) -> Self {
        Self { verdict, by, line: at.map(|at| at.line), detail }
    }
}

/// Tells why a label, a source, a file, a pack or a text is in the prompt of a model call or is not.
///
/// # Errors
/// [`InspectError`] when there is no such call or the run can't be read.
pub fn why_not(
    kept: Kept<'_>,
    outline: &Outline,
    number: u64,
    asked: &str,
) -> Result<WhyNot, InspectError> {
    let call = kept.call(number)?;
    let found = of_items(&call.manifest, asked)
        .or_else(|| of_ranked(&call.manifest, asked))
        .or_else(|| of_packs(&call.manifest, asked))
        .or_else(|| of_expanded(&call.manifest, asked));
    if let Some(found) = found {
        return Ok(found);
    }
    if let Some(found) = of_text(kept, &call, asked)? {
        return Ok(found);
    }
    of_run(kept, outline, &call, asked)
}

fn of_items(manifest: &Manifest, asked: &str) -> Option<WhyNot> {
    let is_asked = |item: &&ItemRecord| {
        item.label.as_deref() == Some(asked)
            || names(&item.source, asked)
            || item.sources.iter().any(|source| names(&source.to_string(), asked))
    };
    let items: Vec<&ItemRecord> = manifest.items.iter().filter(is_asked).collect();
    // One that is there decides over one that gave way.
    let shown = |item: &&&ItemRecord| !item.cuts.iter().any(CutRecord::left_nothing);
    let item = items.iter().find(shown).or(items.first())?;
    let at = item.position.as_ref();
    let (tokens, before) = (item.tokens, item.tokens_before);
    let Some(cut) = item.cuts.iter().max_by_key(|cut| (cut.left_nothing(), cut.removed)) else {
        let detail = format!("`{}` is in the prompt, whole: {tokens} tokens", item.source);
        return Some(WhyNot::new(Verdict::Present, None, at, detail));
    };
    let by = budget_of(manifest, cut);
    if cut.left_nothing() {
        let displaced = displacers(manifest, item);
        let detail = format!("`{}` gave way to {by}: 0 of {before} tokens{displaced}", item.source);
        return Some(WhyNot::new(Verdict::GaveWay, Some(by), at, detail));
    }
    let detail = format!("`{}` is cut by {by}: {tokens} of {before} tokens", item.source);
    Some(WhyNot::new(Verdict::Cut, Some(by), at, detail))
}

/// Reports whether a source is what was asked for: the same text, or a path that ends with it.
fn names(source: &str, asked: &str) -> bool {
    source == asked
        || source
            .strip_suffix(asked)
            .is_some_and(|before| !asked.is_empty() && before.ends_with(['/', ':']))
}

fn budget_of(manifest: &Manifest, cut: &CutRecord) -> String {
    match cut.reason {
        CutReason::ItemBudget => format!("its own budget, `max {}`", cut.budget),
        CutReason::PromptBudget => match manifest.max_input {
            Some(most) => format!("the budget of the prompt, `max_input: {most}`"),
            None => "the budget of the prompt, the window of the model".to_owned(),
        },
        CutReason::PlanData => "the rule that a plan sees no data".to_owned(),
        _ => "a rule that this version does not know".to_owned(),
    }
}

/// Names the items that stayed although they rank no higher.
fn displacers(manifest: &Manifest, gone: &ItemRecord) -> String {
    let mut stayed: Vec<&ItemRecord> = manifest
        .items
        .iter()
        .filter(|item| item.tokens > 0 && item.index != gone.index)
        .filter(|item| item.priority >= gone.priority)
        .collect();
    stayed.sort_by_key(|item| std::cmp::Reverse(item.tokens));
    let name = |item: &&ItemRecord| {
        let name = item.label.as_deref().unwrap_or(&item.source);
        format!("`{name}` ({} tokens, priority {})", item.tokens, item.priority)
    };
    let names: Vec<String> = stayed.iter().take(3).map(name).collect();
    if names.is_empty() {
        return String::new();
    }
    format!("; its priority is {}, kept were {}", gone.priority, names.join(", "))
}

fn of_ranked(manifest: &Manifest, asked: &str) -> Option<WhyNot> {
    let selected = |record: &RankedRecord| {
        let passage = record.passages.iter().find(|one| names(&one.text, asked))?;
        let detail = format!(
            "a question selected lines {} to {} of it, with the score {:.3}",
            passage.first_line, passage.last_line, passage.score
        );
        Some(WhyNot::new(Verdict::Present, Some(by(record)), Some(&record.position), detail))
    };
    let left_out = |record: &RankedRecord| {
        let passage = record.left_out.best.iter().find(|one| names(&one.text, asked))?;
        let least = record.passages.last().map_or(0.0, |one| one.score);
        let detail = format!(
            "its best passage has the score {:.3}, the last one that was selected {least:.3}, \
             and the budget is {}",
            passage.score, record.budget
        );
        Some(WhyNot::new(Verdict::NotSelected, Some(by(record)), Some(&record.position), detail))
    };
    let mut records = manifest.ranked.iter();
    records.clone().find_map(selected).or_else(|| records.find_map(left_out))
}

fn by(record: &RankedRecord) -> String {
    format!("the question {:?} of `{}`", record.question, record.source)
}

fn of_packs(manifest: &Manifest, asked: &str) -> Option<WhyNot> {
    for pack in &manifest.packs {
        let file = pack.files.iter().find(|file| names(&file.path, asked));
        if pack.name != asked && file.is_none() {
            continue;
        }
        let at = Some(&pack.position);
        if pack.tokens == 0 {
            let detail = format!("nothing in the pack `{}` matches the instruction", pack.name);
            return Some(WhyNot::new(
                Verdict::NotSelected,
                Some("the pack's resolver".to_owned()),
                at,
                detail,
            ));
        }
        let what = file.map_or_else(|| "the pack".to_owned(), |file| format!("`{}`", file.path));
        let detail = format!(
            "{what} is in the prompt; the pack has {} of {} tokens",
            pack.tokens, pack.budget
        );
        return Some(WhyNot::new(Verdict::Present, None, at, detail));
    }
    None
}

fn of_expanded(manifest: &Manifest, asked: &str) -> Option<WhyNot> {
    for document in &manifest.expanded {
        let Some(inside) = document.references.iter().find(|one| names(&one.reference, asked))
        else {
            continue;
        };
        let verdict =
            if inside.state == "loaded" { Verdict::Present } else { Verdict::NotSelected };
        let by = Some(format!("the expansion of `{}`", document.source));
        let detail = format!("it is {}: {}", inside.state, inside.reason);
        return Some(WhyNot::new(verdict, by, Some(&document.position), detail));
    }
    None
}

/// Finds a text in the messages as they were sent.
fn of_text(kept: Kept<'_>, call: &Call<'_>, asked: &str) -> Result<Option<WhyNot>, InspectError> {
    if asked.is_empty() {
        return Ok(None);
    }
    for record in &call.manifest.messages {
        let text = kept.message(record)?.text;
        let Some(place) = text.find(asked) else { continue };
        let within = record.spans.iter().find(|span| (span.start..span.end).contains(&place));
        let item =
            within.and_then(|span| call.manifest.items.iter().find(|item| item.index == span.item));
        let at = item.and_then(|item| item.position.as_ref());
        let part = item.map_or_else(
            || "a part of the prompt that is not an item".to_owned(),
            |item| format!("`{}`", item.source),
        );
        let detail = format!("the text stands in the {} message, in {part}", record.role);
        return Ok(Some(WhyNot::new(Verdict::Present, None, at, detail)));
    }
    Ok(None)
}

/// Looks at the rest of the run: declarations of other calls, and what was denied.
fn of_run(
    kept: Kept<'_>,
    outline: &Outline,
    call: &Call<'_>,
    asked: &str,
) -> Result<WhyNot, InspectError> {
    let find = |kinds: &[TraceKind], told: &dyn Fn(&Value) -> Option<WhyNot>| {
        for id in kinds.iter().flat_map(|kind| outline.of_kind(*kind)) {
            let event = outline.event(kept.store, &kept.log.id, id);
            let event = event.map_err(|error| InspectError::Store(error.to_string()))?;
            if let Some(found) = event.and_then(|event| told(&event.data)) {
                return Ok(Some(found));
            }
        }
        Ok(None)
    };
    let place = call.manifest.site.position.line;
    if let Some(found) = find(&[TraceKind::Use], &|data| out_of_scope(data, place, asked))? {
        return Ok(found);
    }
    if let Some(found) = find(&DENIABLE, &|data| denied(data, asked))? {
        return Ok(found);
    }
    let detail = "no `use`, pack or reference of the run names it, and no message has this text";
    Ok(WhyNot::new(Verdict::NotDeclared, None, None, detail.to_owned()))
}

/// Tells of a `use` that names what was asked for.
fn out_of_scope(data: &Value, place: u32, asked: &str) -> Option<WhyNot> {
    let word = |name: &str| data.get(name).and_then(Value::as_str);
    let is_asked =
        word("label") == Some(asked) || word("source").is_some_and(|source| names(source, asked));
    let line = is_asked.then(|| line_of(data))?;
    let detail = format!(
        "a `use` declares it{}, whose scope does not reach the call in line {place}",
        line.map_or_else(String::new, |line| format!(" in line {line}"))
    );
    let by = Some("the scope of its `use`".to_owned());
    Some(WhyNot { verdict: Verdict::OutOfScope, by, line, detail })
}

/// Tells of an event that was denied, if its call or an argument of it is what was asked for.
fn denied(data: &Value, asked: &str) -> Option<WhyNot> {
    // An error that ends the run is an event of its own.
    let error = data.get("error").unwrap_or(data);
    let code = error.get("code")?.as_str().filter(|code| DENIALS.contains(code))?;
    let message = error.get("message")?.as_str()?;
    let word = |name: &str| data.get(name).and_then(Value::as_str).unwrap_or_default();
    let arguments = data.get("arguments").and_then(Value::as_object);
    let is_asked = format!("{}.{}", word("name"), word("method")) == asked
        || message.contains(&format!("`{asked}`"))
        || arguments
            .into_iter()
            .flatten()
            .any(|(_, value)| value.as_str().is_some_and(|value| names(value, asked)));
    is_asked.then(|| WhyNot {
        verdict: Verdict::Denied,
        by: Some(code.to_owned()),
        line: line_of(data),
        detail: message.to_owned(),
    })
}

fn line_of(data: &Value) -> Option<u32> {
    data.get("line").and_then(Value::as_u64).and_then(|line| u32::try_from(line).ok())
}
