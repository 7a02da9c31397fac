//! The references of a call with their outcomes.

use super::asked::Asked;
use crate::host::knowledge::Answer;
use contexture_context::DeclaredItem;
use contexture_context::manifest::{ExpandedRecord, ExpandedReference};
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
    let mut object = json!({
        "reference": entry.reference,
        "semantics": entry.semantics.as_str(),
        "state": entry.state.as_str(),
        "tokens": entry.tokens,
        "reason": entry.reason,
        "inner": entry.inner.as_deref().map(self::entry),
    });
    let inside = inside(entry);
    if let (false, Some(fields)) = (inside.is_empty(), object.as_object_mut()) {
        fields.insert("expanded".to_owned(), json!(inside));
    }
    object
}

/// Returns the record of a document that was expanded (MA-1).
pub(super) fn expanded(planned: &Planned) -> Option<ExpandedRecord> {
    let references = inside(&planned.entry);
    (!references.is_empty()).then(|| ExpandedRecord {
        source: planned.entry.reference.clone(),
        position: planned.asked.position.clone(),
        references,
    })
}

fn inside(entry: &PlanEntry) -> Vec<ExpandedReference> {
    let steps = entry.loaded.iter().flat_map(|loaded| &loaded.steps);
    steps
        .map(|step| ExpandedReference {
            reference: step.reference.clone(),
            depth: step.depth,
            state: step.state.as_str().to_owned(),
            reason: step.reason.clone(),
            tokens: step.tokens,
            digest: step.digest.clone(),
            trust: step.trust,
        })
        .collect()
}
