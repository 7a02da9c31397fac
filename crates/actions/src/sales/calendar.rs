//! Dates of the calendar.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::fmt;

/// A day, counted from 1970-01-01.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Date(i64);

/// What a date is read from.
pub(super) const EXPECTED: &str = "a date such as 2025-11-30, with or without a time";

impl Date {
    /// Reads `2025-11-30`, also with a time behind a `T` or a blank; the day is the one written,
    /// whatever its zone.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (date, time) = text.split_at_checked(10)?;
        if !(time.is_empty() || is_time(time)) {
            return None;
        }
        let mut parts = date.split('-');
        let mut part = |length: usize| digits(parts.next()?, length);
        let (year, month, day) = (part(4)?, part(2)?, part(2)?);
        let fits = (1..=12).contains(&month) && (1..=days_of(year, month)).contains(&day);
        fits.then(|| Self(days_before(year) + days_in_year(year, month) + day - 1))
    }

    /// Some days later, or earlier.
    pub(super) fn plus(self, days: i64) -> Self {
        Self(self.0.saturating_add(days))
    }

    /// How many days it lies after another one.
    pub(super) fn since(self, other: Self) -> i64 {
        self.0 - other.0
    }

    /// Whether it is a Saturday or a Sunday.
    pub(super) fn is_weekend(self) -> bool {
        // 1970-01-01 was a Thursday.
        matches!(self.0.rem_euclid(7), 2 | 3)
    }
}

fn digits(text: &str, length: usize) -> Option<i64> {
    let is_number = text.len() == length && text.bytes().all(|byte| byte.is_ascii_digit());
    if is_number { text.parse().ok() } else { None }
}

/// ` 12:34`, `T12:34:56`, `T12:34:56.789+01:00`.
fn is_time(text: &str) -> bool {
    let Some(rest) = text.strip_prefix(['T', ' ']) else { return false };
    let rest = rest.trim_end_matches('Z');
    let (clock, zone) = match rest.find(['+', '-']).and_then(|at| rest.split_at_checked(at)) {
        Some((clock, zone)) => (clock, zone.get(1..).unwrap_or_default()),
        None => (rest, ""),
    };
    let (clock, fraction) = clock.split_once('.').unwrap_or((clock, "0"));
    let parts: Vec<_> = clock.split(':').map(|part| digits(part, 2)).collect();
    let in_bounds =
        parts.iter().zip([23, 59, 60]).all(|(part, most)| part.is_some_and(|n| n <= most));
    let zone: String = zone.chars().filter(|character| *character != ':').collect();
    (2..=3).contains(&parts.len())
        && in_bounds
        && digits(fraction, fraction.len().max(1)).is_some()
        && matches!(zone.len(), 0 | 2 | 4)
        && zone.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

fn days_of(year: i64, month: i64) -> i64 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days from 1970 to the start of a year.
fn days_before(year: i64) -> i64 {
    let leaps = |year: i64| year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    (year - 1970) * 365 + leaps(year - 1) - leaps(1969)
}

/// Days from the start of a year to the start of a month.
fn days_in_year(year: i64, month: i64) -> i64 {
    (1..month).map(|month| days_of(year, month)).sum()
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A guess that is a few years off at most.
        let mut year = 1970 + self.0.div_euclid(365);
        while days_before(year) > self.0 {
            year -= 1;
        }
        while days_before(year + 1) <= self.0 {
            year += 1;
        }
        let mut day = self.0 - days_before(year);
        let mut month = 1;
        while day >= days_of(year, month) {
            day -= days_of(year, month);
            month += 1;
        }
        write!(f, "{year:04}-{month:02}-{:02}", day + 1)
    }
}

impl Serialize for Date {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Date {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| de::Error::custom(format!("expected {EXPECTED}")))
    }
}

#[cfg(test)]
mod tests {
    use super::Date;
    use proptest::prelude::*;

    #[test]
    fn fl_3_dates_are_checked() {
        for text in [
            "1970-01-01",
            "2024-02-29",
            "2000-02-29",
            "9999-12-31",
            "0001-01-01",
            "2025-11-30T23:59:59.999+08:00",
            "2025-11-30 08:00",
            "2025-11-30T08:00:00Z",
        ] {
            assert_eq!(Some(&*Date::parse(text).unwrap().to_string()), text.get(..10), "{text}");
        }
        for text in [
            "",
            "2025-02-29",
            "1900-02-29",
            "2025-13-01",
            "2025-00-01",
            "2025-11-31",
            "2025-11-00",
            "25-11-01",
            "2025/11/01",
            "2025-1-1",
            "01-11-2025",
            "2025-11-30x",
            "2025-11-30 25:00",
            "2025-11-30T08",
            "2025-11-30T08:00+1",
            "+025-11-30",
            "二〇二五年十一月",
        ] {
            assert_eq!(Date::parse(text), None, "{text}");
        }
    }

    #[test]
    fn fl_3_weekends_are_known() {
        let weekend = |text: &str| Date::parse(text).unwrap().is_weekend();
        assert!(weekend("2025-11-29") && weekend("2025-11-30") && weekend("1969-12-28"));
        assert!(!weekend("2025-11-28") && !weekend("2025-12-01") && !weekend("1970-01-01"));
    }

    proptest! {
        #[test]
        fn fl_3_dates_are_counted_without_gaps(days in -719_000_i64..2_932_000) {
            let date = Date(days);
            prop_assert_eq!(Date::parse(&date.to_string()), Some(date));
            prop_assert!(date.to_string() < date.plus(1).to_string());
        }

        #[test]
        fn fl_3_dates_never_panic(text in "\\PC{0,30}|[0-9:.TZ +\\-]{0,30}") {
            let _ = Date::parse(&text);
        }
    }
}
