//! Which calls change the outside, and so are refused in a `parallel for` (AS-10).
//!
//! The checker finds them before a program runs; the same table is asked once more where the call
//! is made. What the table does not know may do anything.

use crate::capability::{self, Effect};
use crate::runtime::code::Door;

/// Whether any method of a tool changes something outside the run.
pub(super) fn may_change_outside(uri: &str) -> bool {
    let known = capability::tool(uri);
    // What a server does is not known here, whatever it says of itself.
    known.is_ok_and(|known| {
        known == capability::SERVER
            || known.methods.iter().any(|method| method.effect == Effect::Write)
    })
}

/// Whether a method of a tool, memory or pack changes something outside the run.
pub(super) fn changes_outside(uri: &str, door: Door, method: &str) -> bool {
    let known = match door {
        Door::Tool => capability::tool(uri).ok(),
        Door::Memory => capability::memory(uri).ok(),
        Door::Knowledge => Some(capability::KNOWLEDGE),
    };
    let method = known.and_then(|known| known.method(method));
    method.is_none_or(|method| method.effect == Effect::Write)
}
