//! The expiry of a token: a duration or a time.

use super::entry::moment;

/// Reads `30d`, `12h`, `45m`, `90s`, `2w` from now, or a moment such as `2027-01-31T00:00:00Z`. Both
/// times are milliseconds since 1970-01-01 UTC.
///
/// # Errors
/// A text with the expected values, also for a time in the past.
pub fn expiry(text: &str, now: u64) -> Result<u64, String> {
    let text = text.trim();
    let wrong = || {
        format!(
            "expected a span such as 30d or 12h, or a time such as 2027-01-31T00:00:00Z, found `{text}`"
        )
    };
    let at = match span(text) {
        Some(seconds) => seconds.checked_mul(1000).and_then(|span| now.checked_add(span)),
        None => moment(text),
    };
    // Further away, times have no four digits for their year.
    let at = at.filter(|at| *at < 253_402_300_800_000).ok_or_else(wrong)?;
    if at <= now { Err(format!("`{text}` is over already")) } else { Ok(at) }
}

fn span(text: &str) -> Option<u64> {
    let unit = text.chars().next_back()?;
    let seconds = match unit {
        's' => 1,
        'm' => 60,
        'h' => 60 * 60,
        'd' => 24 * 60 * 60,
        'w' => 7 * 24 * 60 * 60,
        _ => return None,
    };
    let number = text.strip_suffix(unit)?;
    if !number.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    number.parse::<u64>().ok()?.checked_mul(seconds)
}
