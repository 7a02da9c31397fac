//! Which calls change the outside, and so are refused in a `parallel for` (AS-10).
//!
//! The checker finds them before a program runs; the same table is asked once more where the call
//! is made. What the table does not know may do anything.

use crate::capability::{self, Effect};

/// Whether any method of a tool changes something outside the run.
pub(super) fn may_change_outside(uri: &str) -> bool {
    let known = capability::tool(uri);
    known.is_ok_and(|known| known.methods.iter().any(|method| method.effect == Effect::Write))
}

/// Whether a method of a tool or memory changes something outside the run.
pub(super) fn changes_outside(uri: &str, memory: bool, method: &str) -> bool {
    let known = if memory { capability::memory(uri) } else { capability::tool(uri) };
    let method = known.ok().and_then(|known| known.method(method));
    method.is_none_or(|method| method.effect == Effect::Write)
}
