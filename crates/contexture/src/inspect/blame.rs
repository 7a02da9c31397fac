//! Where two runs part (IN-8): the first part of a prompt that differs, and the first cut that was
//! decided differently.

use super::diff::{CallDiff, Change, ItemDiff};
use serde::Serialize;

/// The place where two runs part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Blame {
    /// The call of the first run.
    pub left: Option<u64>,
    /// The call of the second run.
    pub right: Option<u64>,
    /// The place in the program, as `file:line:column`.
    pub site: String,
    /// The first part of the prompt that differs.
    pub first: Cause,
    /// The first item of that call, or of a later one, whose value is the same and whose cut is not.
    pub decision: Option<Cause>,
}

/// A part of a prompt that differs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Cause {
    /// `call`, `model`, `layer` or `item`.
    pub kind: &'static str,
    /// Its name: the site of a call, the models, the name of a layer, the label of an item.
    pub name: String,
    /// Its change.
    pub change: Change,
    /// The tokens of an item in both runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<(u64, u64)>,
}

/// Finds where two runs part; `None` when all prompts are identical.
#[must_use]
pub fn blame(calls: &[CallDiff]) -> Option<Blame> {
    let start = calls.iter().position(|call| call.change != Change::Same)?;
    let rest = calls.get(start..)?;
    let call = rest.first()?;
    let decided = |item: &&ItemDiff| item.change == Change::CutDifferently;
    let decision = rest.iter().flat_map(|call| &call.items).find(decided).map(of_item);
    let (left, right, site) = (call.left, call.right, call.site.clone());
    Some(Blame { left, right, site, first: first(call), decision })
}

/// Returns the first part of a call that differs, in the order in which a prompt is made: the call
/// itself, its layers, its items, its model.
fn first(call: &CallDiff) -> Cause {
    let of = |kind, name, change| Cause { kind, name, change, tokens: None };
    if call.change != Change::Changed {
        return of("call", call.site.clone(), call.change);
    }
    if let Some(layer) = call.layers.first() {
        return of("layer", layer.name.clone(), layer.change);
    }
    if let Some(item) = call.items.iter().find(|item| item.change != Change::Same) {
        return of_item(item);
    }
    let models = call.models.as_ref().map(|(left, right)| format!("{left} → {right}"));
    of("model", models.unwrap_or_default(), Change::Changed)
}

fn of_item(item: &ItemDiff) -> Cause {
    let name = item.label.clone().unwrap_or_else(|| item.source.clone());
    Cause { kind: "item", name, change: item.change, tokens: Some(item.tokens) }
}
