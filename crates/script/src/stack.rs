//! Stack space for trees of any height.
//!
//! Decision: a walk over a tree is plain recursion and asks here for stack space before each step
//! down. A thousand nested blocks, or a sum of ten thousand terms, then need neither a large stack
//! of the current thread nor a work list in every visitor. The parser bounds the height of a tree.

/// The remaining space below which a new segment is allocated: more than any path from one step
/// down to the next needs in an unoptimised build.
const LEAST: usize = 256 << 10;

/// The size of a segment; pages that are not touched cost nothing.
const SEGMENT: usize = 4 << 20;

/// Runs one step down a tree, in a new segment when the stack is nearly used up.
pub(crate) fn deeper<T>(step: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(LEAST, SEGMENT, step)
}
