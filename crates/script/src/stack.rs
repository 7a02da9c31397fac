//! Stack for trees of any height.
//!
//! Decision: what walks a tree is written as plain recursion, and asks here for room before each
//! step down. A thousand nested blocks, or a sum of ten thousand terms, then need neither a large
//! stack of the thread that happens to run nor a work list in every visitor. How high a tree may
//! be is bounded by the parser.

/// What is left when new room is taken: more than any way from one step down to the next needs in
/// an unoptimised build.
const LEAST: usize = 256 << 10;

/// Room taken at a time; pages that are not touched cost nothing.
const SEGMENT: usize = 4 << 20;

/// Runs one step down a tree, in new room where the stack is nearly used up.
pub(crate) fn deeper<T>(step: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(LEAST, SEGMENT, step)
}
