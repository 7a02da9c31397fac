//! The budget of an option: `500`, `2k`, `1.5k`, `8k chars`.

use contexture::context::Budget;

/// Reads a budget.
pub(super) fn parse(text: &str) -> Result<Budget, String> {
    let fault = || format!("`{text}` is not a budget; write `500`, `2k` or `8k chars`");
    let (amount, unit) = split(text.trim());
    let limit = amount_of(amount).filter(|limit| *limit > 0).ok_or_else(fault)?;
    match unit {
        "" | "token" | "tokens" => Ok(Budget::tokens(limit)),
        "char" | "chars" => Ok(Budget::chars(limit)),
        _ => Err(fault()),
    }
}

fn split(text: &str) -> (&str, &str) {
    let end = text.find(char::is_whitespace).unwrap_or(text.len());
    let (amount, unit) = text.split_at_checked(end).unwrap_or((text, ""));
    (amount, unit.trim())
}

/// Reads an amount: `1.5k` is 1500. A fraction of a unit is not an amount.
fn amount_of(text: &str) -> Option<u64> {
    let Some(thousands) = text.strip_suffix(['k', 'K']) else { return digits(text) };
    let (whole, fraction) = thousands.split_once('.').unwrap_or((thousands, "0"));
    if fraction.len() > 3 {
        return None;
    }
    let padded = format!("{fraction:0<3}");
    digits(whole)?.checked_mul(1000)?.checked_add(digits(&padded)?)
}

/// Reads digits only: no sign, no blank.
fn digits(text: &str) -> Option<u64> {
    let plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    plain.then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use contexture::context::Measure;

    #[test]
    fn as_16_budgets_are_written_as_in_programs() {
        assert_eq!(parse("500").unwrap(), Budget::tokens(500));
        assert_eq!(parse("2k").unwrap(), Budget::tokens(2000));
        assert_eq!(parse("1.5k").unwrap(), Budget::tokens(1500));
        assert_eq!(parse(" 8k  chars ").unwrap(), Budget::chars(8000));
        assert_eq!(parse("10 tokens").unwrap().measure, Measure::Tokens);
    }

    #[test]
    fn as_16_invalid_budget_is_refused() {
        for text in [
            "",
            "0",
            "0k",
            "-1",
            "+5",
            "k",
            "2kk",
            "1.2345k",
            "1.",
            "8k bytes",
            "9e3",
            "1 2",
            "99999999999999999999",
            "99999999999999999k",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
