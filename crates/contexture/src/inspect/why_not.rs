//! Why something is in the prompt of a model call, or is not (IN-9): from the record.

use super::kept::{Call, InspectError, Kept};
use super::outline::Outline;
use super::view::{is_later, placed};
use contexture_context::budget::Keep;
use contexture_context::item::{CutReason, CutRecord, Position};
use contexture_context::manifest::{ItemRecord, RankedRecord};
use contexture_context::{Manifest, TraceKind};
use contexture_store::runs::json_text;
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
/// [`InspectError`] when nothing is asked for, there is no such call or the run can't be read.
pub fn why_not(
    kept: Kept<'_>,
    outline: &Outline,
    number: u64,
    asked: &str,
) -> Result<WhyNot, InspectError> {
    if asked.trim().is_empty() {
        return Err(InspectError::NothingAsked);
    }
    let call = kept.call(number)?;
    let manifest = &call.manifest;
    let is_asked = |item: &ItemRecord| {
        item.label.as_deref() == Some(asked)
            || names(&item.source, asked)
            || item.sources.iter().any(|source| names(&source.to_string(), asked))
    };
    let found = of_items(manifest, &is_asked)
        .or_else(|| of_ranked(manifest, asked))
        .or_else(|| of_packs(manifest, asked))
        .or_else(|| of_expanded(manifest, asked));
    if let Some(found) = found {
        return Ok(found);
    }
    let imported = imported(kept, outline, asked)?;
    let is_imported =
        |item: &ItemRecord| imported.iter().any(|name| is_part_of(&item.source, name));
    if let Some(found) = of_items(manifest, &is_imported) {
        return Ok(found);
    }
    if let Some(found) = of_text(kept, &call, asked)? {
        return Ok(found);
    }
    of_run(kept, outline, &call, (asked, &imported))
}

/// Tells of the items that are meant: one that is there decides over one that gave way.
fn of_items(manifest: &Manifest, is_asked: &dyn Fn(&ItemRecord) -> bool) -> Option<WhyNot> {
    let mut items = manifest.items.iter().filter(|item| is_asked(item));
    let shown = |item: &&ItemRecord| !item.cuts.iter().any(CutRecord::left_nothing);
    let item = items.clone().find(shown).or_else(|| items.next())?;
    let (at, tokens) = (item.position.as_ref(), item.tokens);
    let told = of_cut(manifest, item, &format!("`{}`", item.source));
    Some(told.unwrap_or_else(|| {
        let place = match is_later(manifest, item) {
            true => "came after the prompt, from a tool that the model called",
            false => "is in the prompt",
        };
        let detail = format!("`{}` {place}, whole: {}", item.source, counted(tokens));
        WhyNot::new(Verdict::Present, None, at, detail)
    }))
}

/// Tells what cut an item, which is named so; `None` for one that is whole.
fn of_cut(manifest: &Manifest, item: &ItemRecord, name: &str) -> Option<WhyNot> {
    let cut = item.cuts.iter().max_by_key(|cut| (cut.left_nothing(), cut.removed))?;
    let (at, by) = (item.position.as_ref(), budget_of(manifest, cut));
    let (tokens, before) = (item.tokens, counted(item.tokens_before));
    let (verdict, detail) = if cut.left_nothing() {
        let displaced = displacers(manifest, item);
        (Verdict::GaveWay, format!("{name} gave way to {by}: 0 of {before}{displaced}"))
    } else {
        (Verdict::Cut, format!("{name} is cut by {by}: {tokens} of {before}"))
    };
    Some(WhyNot::new(verdict, Some(by), at, detail))
}

/// Reports whether a source is what was asked for: the same text, or a path that ends with it.
fn names(source: &str, asked: &str) -> bool {
    let path = asked.strip_prefix("./").unwrap_or(asked);
    source == asked
        || source == path
        || source
            .strip_suffix(path)
            .is_some_and(|before| !path.is_empty() && before.ends_with(['/', ':']))
}

/// Reports whether an expression is a name or a part of its value, such as `faq.title`.
fn is_part_of(source: &str, name: &str) -> bool {
    source.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

/// Returns the names by which the program imports a file.
fn imported(kept: Kept<'_>, outline: &Outline, asked: &str) -> Result<Vec<String>, InspectError> {
    let mut found = Vec::new();
    for id in outline.of_kind(TraceKind::File) {
        let Some(data) = data_of(kept, outline, id)? else { continue };
        let word = |name: &str| data.get(name).and_then(Value::as_str);
        if let (Some(name), Some(path)) = (word("name"), word("path"))
            && names(path, asked)
        {
            found.push(name.to_owned());
        }
    }
    Ok(found)
}

fn data_of(kept: Kept<'_>, outline: &Outline, id: u64) -> Result<Option<Value>, InspectError> {
    let event = outline.event(kept.store, &kept.log.id, id);
    let event = event.map_err(|error| InspectError::Store(error.to_string()))?;
    Ok(event.map(|event| event.data))
}

fn counted(tokens: u64) -> String {
    if tokens == 1 { "1 token".to_owned() } else { format!("{tokens} tokens") }
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
        .filter(|item| item.tokens > 0 && item.index != gone.index && !is_later(manifest, item))
        .filter(|item| item.priority >= gone.priority)
        .collect();
    stayed.sort_by_key(|item| std::cmp::Reverse(item.tokens));
    let name = |item: &&ItemRecord| {
        let name = item.label.as_deref().unwrap_or(&item.source);
        format!("`{name}` ({}, priority {})", counted(item.tokens), item.priority)
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
        let most = record.most.map(|most| format!(", of its best {most}"));
        let detail = format!(
            "its best passage has the score {:.3}, the last one that was selected {least:.3}, \
             and the budget is {}{}",
            passage.score,
            record.budget,
            most.unwrap_or_default()
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
            "{what} is in the prompt; the pack has {} of {}",
            pack.tokens,
            counted(pack.budget)
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

/// Finds a text in the items as they were sent, then in what was cut of them, then in the other parts
/// of the messages.
fn of_text(kept: Kept<'_>, call: &Call<'_>, asked: &str) -> Result<Option<WhyNot>, InspectError> {
    let items = &call.manifest.items;
    let manifest = placed(kept, &call.manifest);
    let mut outside = None;
    for record in &manifest.messages {
        let text = kept.message(record)?.text;
        for (place, _) in text.match_indices(asked) {
            let span = record.spans.iter().find(|span| (span.start..span.end).contains(&place));
            let item = span.and_then(|span| items.iter().find(|item| item.index == span.item));
            let Some(item) = item else {
                outside = outside.or(Some(&record.role));
                continue;
            };
            let (at, role) = (item.position.as_ref(), &record.role);
            let detail = format!("the text stands in the {role} message, in `{}`", item.source);
            return Ok(Some(WhyNot::new(Verdict::Present, None, at, detail)));
        }
    }
    Ok(of_cut_text(kept, &call.manifest, asked).or_else(|| {
        let role = outside?;
        let detail = format!(
            "the text stands in the {role} message, in a part of the prompt that is not an item"
        );
        Some(WhyNot::new(Verdict::Present, None, None, detail))
    }))
}

/// Finds a text in the whole values of items that were cut: one of which a part is there decides over
/// one that gave way.
fn of_cut_text(kept: Kept<'_>, manifest: &Manifest, asked: &str) -> Option<WhyNot> {
    let written = json_text(asked);
    let has_text = |item: &&ItemRecord| {
        !item.cuts.is_empty() && kept.text(&item.value).is_ok_and(|value| value.contains(&written))
    };
    let mut items = manifest.items.iter().filter(has_text);
    let shown = |item: &&ItemRecord| !item.cuts.iter().any(CutRecord::left_nothing);
    let item = items.clone().find(shown).or_else(|| items.next())?;
    let name = format!("the text stands in the whole value of `{}`, which", item.source);
    let mut told = of_cut(manifest, item, &name)?;
    if told.verdict == Verdict::Cut {
        let cut = item.cuts.iter().max_by_key(|cut| cut.removed)?;
        told.detail.push_str(&match (cut.kept, cut.budget.keep) {
            (Some(kept), _) => format!(" are kept, {} of {} values", kept.kept, kept.of),
            (None, Keep::Head) => " are kept, the beginning".to_owned(),
            (None, Keep::Tail) => " are kept, the end".to_owned(),
            (None, Keep::Middle) => " are kept, the middle".to_owned(),
        });
    }
    Some(told)
}

/// Looks at the rest of the run: declarations of other calls, and what was denied.
fn of_run(
    kept: Kept<'_>,
    outline: &Outline,
    call: &Call<'_>,
    (asked, imported): (&str, &[String]),
) -> Result<WhyNot, InspectError> {
    for id in outline.of_kind(TraceKind::Use) {
        let Some(data) = data_of(kept, outline, id)? else { continue };
        if let Some(found) = of_use(&data, call, (asked, imported)) {
            return Ok(found);
        }
    }
    for id in DENIABLE.iter().flat_map(|kind| outline.of_kind(*kind)) {
        let data = data_of(kept, outline, id)?;
        if let Some(found) = data.and_then(|data| denied(&data, asked)) {
            return Ok(found);
        }
    }
    let detail = match imported.first() {
        Some(name) => {
            format!("the program imports it as `{name}`, which no `use` of the run shows")
        }
        None => "no `use`, pack or reference of the run names it, and no message has this text"
            .to_owned(),
    };
    Ok(WhyNot::new(Verdict::NotDeclared, None, None, detail))
}

/// Tells of a `use` that names what was asked for: by what it shows in this prompt, if its scope
/// reaches the call.
fn of_use(data: &Value, call: &Call<'_>, (asked, imported): (&str, &[String])) -> Option<WhyNot> {
    let word = |name: &str| data.get(name).and_then(Value::as_str);
    let is_asked = word("label") == Some(asked)
        || word("source").is_some_and(|source| {
            names(source, asked) || imported.iter().any(|name| is_part_of(source, name))
        });
    let line = is_asked.then(|| line_of(data))?;
    let manifest = &call.manifest;
    let is_here = |at: &Position| Some(at.line) == line && word("file") == Some(&*at.file);
    let of_item = |item: &ItemRecord| item.position.as_ref().is_some_and(is_here);
    let pack = || manifest.packs.iter().find(|pack| is_here(&pack.position));
    let found = of_items(manifest, &of_item)
        .or_else(|| of_packs(manifest, &pack()?.name))
        .or_else(|| nothing_selected(manifest.ranked.iter().find(|one| is_here(&one.position))?));
    if found.is_some() {
        return found;
    }
    let place = manifest.site.position.line;
    let detail = format!(
        "a `use` declares it{}, whose scope does not reach the call in line {place}",
        line.map_or_else(String::new, |line| format!(" in line {line}"))
    );
    let by = Some("the scope of its `use`".to_owned());
    Some(WhyNot { verdict: Verdict::OutOfScope, by, line, detail })
}

fn nothing_selected(record: &RankedRecord) -> Option<WhyNot> {
    record.passages.is_empty().then(|| {
        let detail = format!("the question selected nothing of `{}`", record.source);
        WhyNot::new(Verdict::NotSelected, Some(by(record)), Some(&record.position), detail)
    })
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
