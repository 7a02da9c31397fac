//! Values of options that several commands take.

use contexture::ports::profile::Money;
use contexture::reference::text;
use std::time::Duration;

/// Reads a positive integer.
pub(crate) fn whole_number(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) | Err(_) => Err("expected an integer of at least 1".to_owned()),
        Ok(number) => Ok(number),
    }
}

/// Reads a number of tokens: `500` or `2k`.
pub(crate) fn tokens(text: &str) -> Result<u64, String> {
    text::budget(text).ok_or_else(|| format!("`{text}` is not a token budget; write `500` or `2k`"))
}

/// Reads a span of time: `30d`, `12h` or `45m`.
pub(crate) fn span(text: &str) -> Result<Duration, String> {
    let units = [("w", 604_800), ("d", 86_400), ("h", 3_600), ("m", 60), ("s", 1)];
    let found = units.into_iter().find_map(|(unit, seconds)| {
        let number: u64 = text.strip_suffix(unit)?.parse().ok()?;
        number.checked_mul(seconds).map(Duration::from_secs)
    });
    found.ok_or_else(|| "expected a duration such as 30d, 12h or 45m".to_owned())
}

/// Reads an amount of dollars: `0.50`.
pub(crate) fn dollars(text: &str) -> Result<Money, String> {
    let amount = text.trim().parse().ok().and_then(Money::of_dollars);
    amount.ok_or_else(|| format!("`{text}` is not an amount of dollars; write `0.50`"))
}
