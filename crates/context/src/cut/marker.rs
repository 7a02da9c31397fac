//! The marker that says what was cut.

use super::total::Total;
use crate::Measure;

/// `… [clipped: 1234 of 5678 tokens]`: 1234 of 5678 were taken away; `~` before estimates.
pub(super) fn marker(removed: Total, of: Total, measure: Measure) -> String {
    let about = |total: Total| if total.exact { "" } else { "~" };
    let unit = match measure {
        Measure::Tokens => "tokens",
        Measure::Chars => "chars",
    };
    let (removed_sign, of_sign) = (about(removed), about(of));
    format!(
        "… [clipped: {removed_sign}{} of {of_sign}{} {unit}]",
        removed.count, of.count
    )
}
