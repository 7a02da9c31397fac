//! The marker of a cut.

use super::total::Total;
use crate::budget::Measure;

/// Formats `… [clipped: 1234 of 5678 tokens]`: 1234 of 5678 were removed. Estimates are marked.
pub(super) fn marker(removed: Total, of: Total, measure: Measure) -> String {
    let unit = match measure {
        Measure::Tokens => "tokens",
        Measure::Chars => "chars",
    };
    let note = if of.exact { "" } else { " (estimated)" };
    format!("… [clipped: {} of {} {unit}]{note}", removed.count, of.count)
}
