//! `sh://find` and `sh://grep`, in this process: nothing is started.
//!
//! Decision: results are in the order of their paths, so that a `max` always keeps the same ones.
//! Paths in `.gitignore` files of the workspace are skipped, and so are `.git` and its like, unless
//! the call names a path inside them; what the policy does not let be read is skipped always.

mod filter;
mod find;
mod grep;
mod ignored;
mod pattern;
#[cfg(test)]
mod tests;
mod walk;

pub(crate) use find::find;
pub(crate) use grep::grep;

const DEFAULT_MOST: u64 = 1_000;

/// Returns how many results a call may give.
fn most(asked: Option<u64>) -> usize {
    usize::try_from(asked.unwrap_or(DEFAULT_MOST)).unwrap_or(usize::MAX)
}
