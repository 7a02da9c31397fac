//! Bars for the progress of a run and the times of its steps.

use std::time::Duration;

/// Returns a bar of `columns` columns that is filled to `done` of `total`.
pub(super) fn progress(done: usize, total: usize, columns: usize) -> String {
    let full = share(done as u128, total as u128, columns);
    format!("{}{}", "█".repeat(full), "░".repeat(columns.saturating_sub(full)))
}

/// Returns a bar of `columns` columns for the part of `whole` in which a step ran.
pub(super) fn span(began: Duration, took: Duration, whole: Duration, columns: usize) -> String {
    let whole = whole.as_micros();
    let first = share(began.as_micros(), whole, columns).min(columns.saturating_sub(1));
    let left = columns.saturating_sub(first);
    let wide = share(took.as_micros(), whole, columns).min(left);
    let bar = match wide {
        0 => "▏".repeat(left.min(1)),
        wide => "█".repeat(wide),
    };
    let behind = left.saturating_sub(wide.max(1));
    format!("{}{bar}{}", " ".repeat(first), " ".repeat(behind))
}

fn share(part: u128, whole: u128, columns: usize) -> usize {
    let columns = columns as u128;
    let taken = part.saturating_mul(columns).checked_div(whole).unwrap_or(columns);
    usize::try_from(taken.min(columns)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fl_12_bar_shows_share_of_ended_steps() {
        assert_eq!(progress(0, 4, 8), "░░░░░░░░");
        assert_eq!(progress(1, 4, 8), "██░░░░░░");
        assert_eq!(progress(4, 4, 8), "████████");
        assert_eq!(progress(0, 0, 4), "████");
        assert_eq!(progress(usize::MAX, usize::MAX, 2), "██");
    }

    #[test]
    fn fl_12_step_bar_shows_when_it_ran() {
        let of = |began, took, whole| {
            span(
                Duration::from_millis(began),
                Duration::from_millis(took),
                Duration::from_millis(whole),
                8,
            )
        };
        assert_eq!(of(0, 100, 100), "████████");
        assert_eq!(of(50, 25, 100), "    ██  ");
        assert_eq!(of(50, 1, 100), "    ▏   ");
        assert_eq!(of(100, 0, 100), "       ▏");
        assert_eq!(of(90, 100, 100), "       █");
        assert_eq!(of(0, 0, 0), "       █");
        assert_eq!(span(Duration::MAX, Duration::MAX, Duration::MAX, 0), "");
    }
}
