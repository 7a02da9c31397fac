//! From what a reference gave to the items of a prompt.

use super::asked::Asked;
use crate::host::errors::of_prompt;
use crate::packs::OnDemand;
use crate::references::fence_of;
use contexture_context::build::build_item;
use contexture_context::{
    Budget, ContextItem, DeclaredItem, ItemQuestion, Keep, Measure, TokenCounter, Trust,
};
use contexture_reference::{Content, FOLDER, PlanEntry, Resource};
use contexture_script::host::HostError;
use contexture_script::reference::Question;

/// Returns the items of a loaded reference, one for each resource, and how many of them have no
/// room in the budget of the `use`, which they share.
pub(super) fn items_of(
    packs: &OnDemand,
    asked: &Asked,
    entry: &PlanEntry,
    counter: &dyn TokenCounter,
) -> Result<(Vec<DeclaredItem>, usize), HostError> {
    let resources = entry.loaded.iter().flat_map(|loaded| &loaded.resources);
    let (texts, listed): (Vec<&Resource>, Vec<&Resource>) =
        resources.partition(|resource| resource.text().is_some());
    let mut items: Vec<DeclaredItem> = texts
        .into_iter()
        .map(|resource| {
            let text = resource.text().unwrap_or_default();
            let item = declared(asked, &resource.reference, text, resource.trust);
            DeclaredItem { fence: fence_of(packs, &resource.reference, resource.trust), ..item }
        })
        .collect();
    if !listed.is_empty() {
        let trust = listed.iter().fold(Trust::Program, |all, one| all.least(one.trust));
        let lines: Vec<String> = listed.into_iter().map(line).collect();
        items.push(declared(asked, &entry.reference, &lines.join("\n"), trust));
    }
    // What a question selects of them shares the budget.
    let is_asked = items.iter().any(|item| item.question.is_some());
    let left_out = if is_asked { 0 } else { share(&mut items, counter)? };
    Ok((items, left_out))
}

fn declared(asked: &Asked, source: &str, text: &str, trust: Trust) -> DeclaredItem {
    let used = asked.used.as_ref();
    DeclaredItem {
        label: used.and_then(|used| used.label.clone()),
        source: source.to_owned(),
        position: Some(asked.position.clone()),
        value: text.into(),
        budget: used.and_then(|used| used.budget),
        keep: used.map_or(Keep::Head, |used| used.keep),
        priority: used.map_or(0, |used| used.priority),
        question: used.and_then(|used| {
            let Question { text, most, .. } = used.question.as_ref()?;
            Some(ItemQuestion { text: text.clone(), most: *most })
        }),
        origin: trust.into(),
        fence: None,
    }
}

/// Returns the line of a match of a pattern that is named and not loaded.
fn line(resource: &Resource) -> String {
    match &resource.content {
        Content::Listed { .. } if resource.media_type == FOLDER => {
            format!("{} (a folder)", resource.reference)
        }
        content => {
            let bytes = match content {
                Content::Listed { bytes } => *bytes,
                Content::Bytes(bytes) => bytes.len() as u64,
            };
            format!("{} ({bytes} bytes, no text)", resource.reference)
        }
    }
}

/// Gives the items of one `use` their shares of its budget: the first as much as it takes, the next
/// what is left; with `keep tail` from the last on.
pub(crate) fn share(
    items: &mut [DeclaredItem],
    counter: &dyn TokenCounter,
) -> Result<usize, HostError> {
    let Some(budget) = items.first().and_then(|item| item.budget) else { return Ok(0) };
    if items.len() < 2 {
        return Ok(0);
    }
    let mut left = budget.limit;
    let mut left_out = 0;
    let mut order: Vec<&mut DeclaredItem> = items.iter_mut().collect();
    if budget.keep == Keep::Tail {
        order.reverse();
    }
    for item in order {
        item.budget = Some(Budget { limit: left, ..budget });
        let built = build_item(0, item, counter).map_err(of_prompt)?;
        left = left.saturating_sub(taken(&built, budget.measure));
        left_out += usize::from(built.left_out());
    }
    Ok(left_out)
}

/// Counts the items of one `use` that its budget holds whole.
pub(crate) fn whole(
    items: &[DeclaredItem],
    counter: &dyn TokenCounter,
) -> Result<usize, HostError> {
    let Some(budget) = items.first().and_then(|item| item.budget) else { return Ok(items.len()) };
    let (mut left, mut whole) = (budget.limit, 0);
    let mut order: Vec<&DeclaredItem> = items.iter().collect();
    if budget.keep == Keep::Tail {
        order.reverse();
    }
    for item in order {
        if left == 0 {
            break;
        }
        let item = DeclaredItem { budget: Some(Budget { limit: left, ..budget }), ..item.clone() };
        let built = build_item(0, &item, counter).map_err(of_prompt)?;
        left = left.saturating_sub(taken(&built, budget.measure));
        whole += usize::from(!built.clipped);
    }
    Ok(whole)
}

pub(crate) fn taken(item: &ContextItem, measure: Measure) -> u64 {
    match measure {
        Measure::Tokens => item.tokens,
        Measure::Chars => item.text.chars().count() as u64,
    }
}
