//! Days of the calendar.

use jiff::fmt::temporal::Pieces;
use jiff::{SignedDuration, civil};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::fmt;

/// A day of the calendar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Date(civil::Date);

/// The form that a date is read from.
pub(crate) const EXPECTED: &str = "a date such as 2025-11-30, with or without a time";

impl Date {
    /// Reads `2025-11-30`, also with a time behind a `T` or a blank; the day is the one written,
    /// whatever its zone.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (date, time) = text.split_at_checked("2025-11-30".len())?;
        let date = date.parse().ok()?;
        let has_time = time.len() >= "T08:00".len() && Pieces::parse(text).is_ok();
        (time.is_empty() || has_time).then_some(Self(date))
    }

    /// Returns the day that is some days later, or earlier.
    pub(crate) fn plus(self, days: i64) -> Self {
        let distance = SignedDuration::from_secs(days.saturating_mul(24 * 60 * 60));
        Self(self.0.saturating_add(distance))
    }

    /// Returns how many days it lies after another one.
    pub(crate) fn since(self, other: Self) -> i64 {
        self.0.duration_since(other.0).as_hours() / 24
    }

    /// Reports whether it is a Saturday or a Sunday.
    pub(crate) fn is_weekend(self) -> bool {
        matches!(self.0.weekday(), civil::Weekday::Saturday | civil::Weekday::Sunday)
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
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
    fn fl_3_date_with_or_without_time_is_read() {
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
    }

    #[test]
    fn fl_3_date_that_does_not_exist_is_refused() {
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
    fn fl_3_weekends_are_saturdays_and_sundays() {
        let weekend = |text: &str| Date::parse(text).unwrap().is_weekend();
        assert!(weekend("2025-11-29") && weekend("2025-11-30") && weekend("1969-12-28"));
        assert!(!weekend("2025-11-28") && !weekend("2025-12-01") && !weekend("1970-01-01"));
    }

    proptest! {
        #[test]
        fn fl_3_dates_count_without_gaps(days in -719_000_i64..2_932_000) {
            let epoch = Date::parse("1970-01-01").unwrap();
            let date = epoch.plus(days);
            prop_assert_eq!(Date::parse(&date.to_string()), Some(date));
            prop_assert_eq!(date.since(epoch), days);
            prop_assert!(date.to_string() < date.plus(1).to_string());
        }

        #[test]
        fn fl_3_dates_never_panic(text in "\\PC{0,30}|[0-9:.TZ +\\-]{0,30}", days in any::<i64>()) {
            if let Some(date) = Date::parse(&text) {
                let _ = (date.plus(days), date.since(date.plus(days)));
            }
        }
    }
}
