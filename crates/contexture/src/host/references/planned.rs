//! The references of a call with what became of them.

use super::asked::Asked;
use crate::host::knowledge::Answer;
use contexture_context::DeclaredItem;
use contexture_reference::PlanEntry;
use serde_json::{Value, json};

/// A reference of a call, with what became of it.
pub(super) struct Planned {
    pub(super) asked: Asked,
    pub(super) entry: PlanEntry,
    /// The items it gives.
    pub(super) items: Vec<DeclaredItem>,
    /// What a pack said, when it is asked a question.
    pub(super) answer: Option<Answer>,
    /// Whether it stands for what a dry run did not load.
    pub(super) is_placeholder: bool,
}

/// An entry with those of its inner levels.
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
