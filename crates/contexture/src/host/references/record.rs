//! The plan of a call as the trace keeps it.

use contexture_reference::PlanEntry;
use serde_json::{Value, json};

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
