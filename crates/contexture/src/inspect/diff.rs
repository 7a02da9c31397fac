//! The differences of two runs, call by call and item by item.

use super::kept::Kept;
use super::view::{item_span, layer_span};
use contexture_context::Manifest;
use contexture_context::manifest::{ItemRecord, Layer, Span};
use serde::Serialize;

/// The change of a part from one run to the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// Only the second run has it.
    Added,
    /// Only the first run has it.
    Gone,
    /// The values differ.
    Changed,
    /// The value is the same, but it was cut differently.
    CutDifferently,
    /// No change.
    Same,
}

/// The differences of a model call.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CallDiff {
    /// Its change; [`Change::Changed`] when its prompt or its model differs. In a recheck, which asks
    /// whether prompts are the same, the model alone is not a change (IN-10).
    pub change: Change,
    /// Its number in the first run.
    pub left: Option<u64>,
    /// Its number in the second run.
    pub right: Option<u64>,
    /// The place in the program, as `file:line:column`.
    pub site: String,
    /// The models, when they differ.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub models: Option<(String, String)>,
    /// Tokens of the prompt in both runs.
    pub tokens: (u64, u64),
    /// False for a run in which another tokenizer than the model's own counted them.
    pub exact: (bool, bool),
    /// The layers that differ.
    pub layers: Vec<LayerDiff>,
    /// All items, in the order of the second run, with those that are gone where they stood.
    pub items: Vec<ItemDiff>,
}

/// The difference of a layer (identity, instruction, contract).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LayerDiff {
    /// Its name.
    pub name: String,
    /// Its change.
    pub change: Change,
    /// Its places in the prompts of both runs.
    pub spans: (Option<Span>, Option<Span>),
    /// Its text in the first run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left: Option<String>,
    /// Its text in the second run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub right: Option<String>,
}

/// The difference of an item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ItemDiff {
    /// Its change.
    pub change: Change,
    /// Its label.
    pub label: Option<String>,
    /// Its source expression.
    pub source: String,
    /// Tokens in both runs; 0 where it is missing.
    pub tokens: (u64, u64),
    /// Tokens before any cut, in both runs.
    pub tokens_before: (u64, u64),
    /// Its places in the prompts of both runs.
    pub spans: (Option<Span>, Option<Span>),
    /// Its text in the first run, where it differs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left: Option<String>,
    /// Its text in the second run, where it differs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub right: Option<String>,
}

/// Compares two runs. Calls belong together when they come from the same place of the program, in
/// the order in which they were made there.
#[must_use]
pub fn diff(left: Kept<'_>, right: Kept<'_>) -> Vec<CallDiff> {
    paired((left, right), belongs, |manifest| manifest.items.clone(), true)
}

/// Compares two runs of which calls belong together by their order within their function, wherever
/// its lines have moved (IN-10).
pub(crate) fn diff_of_functions(left: Kept<'_>, right: Kept<'_>) -> Vec<CallDiff> {
    let belongs = |a: &Manifest, b: &Manifest| {
        (&a.site.agent, &a.site.function) == (&b.site.agent, &b.site.function)
    };
    paired((left, right), belongs, prompt_items, false)
}

/// Reports whether two prompts are the same, whichever models they are for (IN-10).
pub(crate) fn is_same_prompt(left: &Manifest, right: &Manifest) -> bool {
    let layers = align(&left.layers, &right.layers, |a, b| a.name == b.name);
    let (before, after) = (prompt_items(left), prompt_items(right));
    !layers.iter().any(layer_differs)
        && align(&before, &after, same_item)
            .into_iter()
            .all(|pair| item_change(pair) == Change::Same)
}

/// Returns the items of a prompt without the results that its model got from tools later.
fn prompt_items(manifest: &Manifest) -> Vec<ItemRecord> {
    let is_result = |item: &&ItemRecord| {
        item.position.as_ref() == Some(&manifest.site.position)
            && manifest.tools.iter().any(|tool| Some(&tool.function) == item.label.as_ref())
    };
    manifest.items.iter().filter(|item| !is_result(item)).cloned().collect()
}

fn paired(
    (left, right): (Kept<'_>, Kept<'_>),
    belongs: impl Fn(&Manifest, &Manifest) -> bool,
    items: fn(&Manifest) -> Vec<ItemRecord>,
    of_models: bool,
) -> Vec<CallDiff> {
    let manifests = |kept: Kept<'_>| -> Vec<Manifest> {
        let shown = |manifest: Manifest| Manifest { items: items(&manifest), ..manifest };
        kept.calls().into_iter().map(|call| shown(call.manifest)).collect()
    };
    let (lefts, rights) = (manifests(left), manifests(right));
    let pairs = align(&lefts, &rights, belongs);
    pairs.into_iter().map(|pair| call_diff(left, right, pair, of_models)).collect()
}

/// Reports whether two calls have the same place in the program; when lines have moved, the same
/// function and instruction.
fn belongs(left: &Manifest, right: &Manifest) -> bool {
    let instruction = |one: &Manifest| {
        one.layers.iter().find(|layer| layer.name == "instruction").map(|one| one.digest.clone())
    };
    let (a, b) = (&left.site, &right.site);
    a == b
        || (a.position.file == b.position.file
            && a.agent == b.agent
            && a.function == b.function
            && instruction(left) == instruction(right))
}

fn call_diff(
    left: Kept<'_>,
    right: Kept<'_>,
    pair: Pair<'_, Manifest>,
    of_models: bool,
) -> CallDiff {
    let (a, b) = pair;
    let site = b.or(a).map(|one| one.site.to_string()).unwrap_or_default();
    let items_of = |one: Option<&'_ Manifest>| one.map_or(Vec::new(), |one| one.items.clone());
    let (items_a, items_b) = (items_of(a), items_of(b));
    let items: Vec<ItemDiff> = align(&items_a, &items_b, same_item)
        .into_iter()
        .map(|pair| {
            let place =
                |(call, item): (Option<&Manifest>, Option<&ItemRecord>)| item_span(call?, item?);
            let spans = (place((a, pair.0)), place((b, pair.1)));
            item_diff(left, right, pair, spans)
        })
        .collect();
    let layers = layer_diffs(left, right, a, b);
    let models = a.zip(b).filter(|(a, b)| a.model.uri != b.model.uri);
    let models = models.map(|(a, b)| (a.model.uri.clone(), b.model.uri.clone()));
    let same = layers.is_empty()
        && !(of_models && models.is_some())
        && items.iter().all(|one| one.change == Change::Same);
    let change = match (a, b) {
        (None, _) => Change::Added,
        (_, None) => Change::Gone,
        _ if same => Change::Same,
        _ => Change::Changed,
    };
    CallDiff {
        change,
        left: a.map(|one| one.call),
        right: b.map(|one| one.call),
        site,
        models,
        tokens: (a.map_or(0, |one| one.tokens), b.map_or(0, |one| one.tokens)),
        exact: (is_exact(a), is_exact(b)),
        layers,
        items,
    }
}

/// Reports whether the model's own tokenizer counted, which is also true of a call that is missing.
fn is_exact(call: Option<&Manifest>) -> bool {
    call.is_none_or(|one| one.model.tokenizer_exact)
}

fn same_item(left: &ItemRecord, right: &ItemRecord) -> bool {
    left.source == right.source && left.label == right.label
}

fn item_change((a, b): Pair<'_, ItemRecord>) -> Change {
    match (a, b) {
        (None, _) => Change::Added,
        (_, None) => Change::Gone,
        (Some(a), Some(b)) if a.value != b.value => Change::Changed,
        (Some(a), Some(b)) if a.text != b.text || a.cuts != b.cuts => Change::CutDifferently,
        _ => Change::Same,
    }
}

fn layer_differs(pair: &Pair<'_, Layer>) -> bool {
    match pair {
        // A layer that only moved is the same.
        (Some(a), Some(b)) => a.digest != b.digest,
        _ => true,
    }
}

fn item_diff(
    left: Kept<'_>,
    right: Kept<'_>,
    (a, b): Pair<'_, ItemRecord>,
    spans: (Option<Span>, Option<Span>),
) -> ItemDiff {
    let change = item_change((a, b));
    let shown = |kept: Kept<'_>, one: Option<&ItemRecord>| {
        one.filter(|_| change != Change::Same).and_then(|one| kept.text(&one.text).ok())
    };
    let one = b.or(a);
    ItemDiff {
        change,
        label: one.and_then(|one| one.label.clone()),
        source: one.map(|one| one.source.clone()).unwrap_or_default(),
        tokens: (a.map_or(0, |one| one.tokens), b.map_or(0, |one| one.tokens)),
        tokens_before: (a.map_or(0, |one| one.tokens_before), b.map_or(0, |one| one.tokens_before)),
        spans,
        left: shown(left, a),
        right: shown(right, b),
    }
}

fn layer_diffs(
    left: Kept<'_>,
    right: Kept<'_>,
    a: Option<&Manifest>,
    b: Option<&Manifest>,
) -> Vec<LayerDiff> {
    let none = Vec::new();
    let (Some(a), Some(b)) = (a, b) else { return none };
    let pairs = align(&a.layers, &b.layers, |a, b| a.name == b.name);
    let diffs = pairs.into_iter().filter(layer_differs).map(|(one, other)| LayerDiff {
        name: other.or(one).map(|one| one.name.clone()).unwrap_or_default(),
        change: match (one, other) {
            (None, _) => Change::Added,
            (_, None) => Change::Gone,
            _ => Change::Changed,
        },
        spans: (
            one.and_then(|one| layer_span(left, a, one)),
            other.and_then(|other| layer_span(right, b, other)),
        ),
        left: one.and_then(|one| left.text(&one.digest).ok()),
        right: other.and_then(|other| right.text(&other.digest).ok()),
    });
    diffs.collect()
}

type Pair<'a, T> = (Option<&'a T>, Option<&'a T>);

/// Pairs two lists: each of the second with the first unpaired of the first that it belongs to;
/// those that are left over keep their place.
fn align<'a, T>(
    left: &'a [T],
    right: &'a [T],
    belongs: impl Fn(&T, &T) -> bool,
) -> Vec<Pair<'a, T>> {
    let mut partner: Vec<Option<usize>> = vec![None; left.len()];
    let mut matches: Vec<Option<usize>> = Vec::with_capacity(right.len());
    for (at, b) in right.iter().enumerate() {
        let found =
            left.iter().zip(&partner).position(|(a, taken)| taken.is_none() && belongs(a, b));
        if let Some(slot) = found.and_then(|index| partner.get_mut(index)) {
            *slot = Some(at);
        }
        matches.push(found);
    }
    let mut out = Vec::new();
    let mut next = 0;
    for (b, found) in right.iter().zip(matches) {
        if let Some(found) = found {
            while next <= found {
                if partner.get(next).is_some_and(Option::is_none) {
                    out.push((left.get(next), None));
                }
                next += 1;
            }
        }
        out.push((found.and_then(|index| left.get(index)), Some(b)));
    }
    let rest = left.iter().zip(&partner).skip(next).filter(|(_, taken)| taken.is_none());
    out.extend(rest.map(|(a, _)| (Some(a), None)));
    out
}

#[cfg(test)]
mod tests {
    use super::align;

    #[test]
    fn as_29_lists_are_paired_in_order_and_what_is_left_over_stays_in_place() {
        let left = ["a", "b", "c", "a"];
        let right = ["x", "a", "c", "a"];
        let pairs = align(&left, &right, |a, b| a == b);
        let shown: Vec<String> = pairs
            .iter()
            .map(|(a, b)| format!("{}-{}", a.unwrap_or(&""), b.unwrap_or(&"")))
            .collect();
        assert_eq!(shown, ["-x", "a-a", "b-", "c-c", "a-a"]);
    }
}
