//! The references of a call with their outcomes.

use super::asked::Asked;
use crate::host::knowledge::Answer;
use contexture_context::DeclaredItem;
use contexture_reference::PlanEntry;
use serde_json::{Value, json};

/// A reference of a call, with its outcome.
pub(super) struct Planned {
    pub(super) asked: Asked,
    pub(super) entry: PlanEntry,
    /// The items it gives.
    pub(super) items: Vec<DeclaredItem>,
    /// The answer of a pack, when it is asked a question.
    pub(super) answer: Option<Answer>,
    /// True if it stands for what a dry run did not load.
    pub(super) is_placeholder: bool,
}

/// Returns an entry with those of its inner levels.
pub(super) fn entry(entry: &PlanEntry) -> Value {
    json!({
        "reference": entry.reference,
        "semantics": entry.semantics.as_str(),
        "state": entry.state.as_str(),
        "tokens": entry.tokens,
        "reason": entry.reason,
        "inner": entry.inner.as_deref().map(self::entry),
    })
}
