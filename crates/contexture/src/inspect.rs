//! Inspection of kept runs: the prompt of each model call, and the differences of two runs.
//!
//! Everything is read from manifests; a text is looked up by its digest only where it is shown.

mod diff;
mod export;
mod kept;
mod listed;

pub use diff::{CallDiff, Change, ItemDiff, LayerDiff, diff};
pub use export::export;
pub use kept::{Call, InspectError, Kept, SentMessage, SentRequest, attempts};
pub use listed::{listed, outcome};
