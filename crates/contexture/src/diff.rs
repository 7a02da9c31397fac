//! Changes of texts, line by line.

use similar::TextDiff;
use std::time::Duration;

/// The time that a comparison may take; a longer one becomes coarser.
const DEADLINE: Duration = Duration::from_millis(500);

/// Returns the change of a text in the unified form; nothing where both are the same.
#[must_use]
pub fn unified((from, to): (&str, &str), before: &str, after: &str) -> String {
    let found = TextDiff::configure().timeout(DEADLINE).diff_lines(before, after);
    found.unified_diff().header(from, to).to_string()
}
