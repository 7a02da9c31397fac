//! Calendar arithmetic on times as they are written (TY-6).
//!
//! Decision: a time keeps the offset from UTC and the fraction that it is written with, and there are
//! no named zones: their rules change, so that a result would depend on when it is computed.

use super::{Rest, Timestamp, clock, date, offset};
use chrono::{Datelike, Months, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, Timelike};

/// A unit of the calendar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CalendarUnit {
    /// Seconds.
    Second,
    /// Minutes.
    Minute,
    /// Hours.
    Hour,
    /// Days of 24 hours.
    Day,
    /// Weeks of seven days.
    Week,
    /// Months: the same day of another month, or its last one.
    Month,
    /// Twelve months.
    Year,
}

/// The words of the units, in order.
pub const CALENDAR_UNITS: [&str; 7] = ["second", "minute", "hour", "day", "week", "month", "year"];

impl CalendarUnit {
    /// Returns the unit of a word, in singular or plural.
    #[must_use]
    pub fn of_word(word: &str) -> Option<Self> {
        Some(match word.strip_suffix('s').unwrap_or(word) {
            "second" => Self::Second,
            "minute" => Self::Minute,
            "hour" => Self::Hour,
            "day" => Self::Day,
            "week" => Self::Week,
            "month" => Self::Month,
            "year" => Self::Year,
            _ => return None,
        })
    }
}

/// How long a unit is.
enum Length {
    Seconds(i64),
    Months(i64),
}

impl CalendarUnit {
    const fn length(self) -> Length {
        match self {
            Self::Second => Length::Seconds(1),
            Self::Minute => Length::Seconds(60),
            Self::Hour => Length::Seconds(3_600),
            Self::Day => Length::Seconds(86_400),
            Self::Week => Length::Seconds(7 * 86_400),
            Self::Month => Length::Months(1),
            Self::Year => Length::Months(12),
        }
    }
}

/// A result whose year is not one of 0 to 9999, the years that the form of a time can write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the year of the result is not one of 0 to 9999")]
pub struct OutOfCalendar;

/// What a calendar and a clock show at a time, in its own offset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CalendarParts {
    /// The year.
    pub year: i32,
    /// The month, from 1.
    pub month: u32,
    /// The day of the month, from 1.
    pub day: u32,
    /// The day of the week, from 1 for Monday to 7 for Sunday.
    pub weekday: u32,
    /// The hour, 0 for a date alone.
    pub hour: u32,
    /// The minute.
    pub minute: u32,
    /// The second, without its fraction.
    pub second: u32,
}

/// A time, taken apart as it is written.
struct Written<'t> {
    /// What calendar and clock show; a leap second and the hour 24 are those of the next minute.
    local: NaiveDateTime,
    /// Whether there is a time of day.
    has_clock: bool,
    /// The fraction of the second with its point, and the offset.
    fraction: &'t str,
    offset: &'t str,
}

impl Timestamp {
    /// Returns the time so many units later, or earlier. It is written as this one is: with the same
    /// offset and fraction, and as a date alone if this is one and the unit has whole days.
    ///
    /// ```
    /// use contexture_protocol::{CalendarUnit, Timestamp};
    /// let last: Timestamp = "2024-01-31T09:30:00.5+01:00".parse()?;
    /// let next = last.plus(1, CalendarUnit::Month)?;
    /// assert_eq!(next.as_str(), "2024-02-29T09:30:00.5+01:00");
    /// # Ok::<_, Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`OutOfCalendar`] when the year of the result is not one of 0 to 9999.
    pub fn plus(&self, amount: i64, unit: CalendarUnit) -> Result<Self, OutOfCalendar> {
        let written = self.taken_apart().ok_or(OutOfCalendar)?;
        let local = shifted(written.local, amount, unit).ok_or(OutOfCalendar)?;
        if !(0..=9_999).contains(&local.year()) {
            return Err(OutOfCalendar);
        }
        let has_clock = written.has_clock || local.time() != NaiveTime::MIN;
        let text = if has_clock {
            let (fraction, offset) = (written.fraction, written.offset);
            // A date alone is a day of UTC.
            let offset = if written.has_clock { offset } else { "Z" };
            format!("{}{fraction}{offset}", local.format("%Y-%m-%dT%H:%M:%S"))
        } else {
            local.format("%Y-%m-%d").to_string()
        };
        Self::of(text).map_err(|_| OutOfCalendar)
    }

    /// Returns how many whole units later another time is, negative if it is earlier: the number
    /// nearest to zero that is not enough to pass it. Months are counted in the offset of this one.
    #[must_use]
    pub fn units_until(&self, other: &Self, unit: CalendarUnit) -> i64 {
        let (from, to) = (self.moment, other.moment);
        let seconds = to.seconds - from.seconds;
        match unit.length() {
            Length::Seconds(length) => {
                // A fraction that the last second lacks.
                let lacks = match seconds.signum() {
                    1 if to.nanos < from.nanos => -1,
                    -1 if to.nanos > from.nanos => 1,
                    _ => 0,
                };
                (seconds + lacks) / length
            }
            Length::Months(length) => self.months_until(other).unwrap_or_default() / length,
        }
    }

    fn months_until(&self, other: &Self) -> Option<i64> {
        let from = self.taken_apart()?.local;
        let passed = other.moment.seconds.checked_sub(self.moment.seconds)?;
        let to = from.checked_add_signed(TimeDelta::try_seconds(passed)?)?;
        let months = i64::from(to.year() - from.year()) * 12 + i64::from(to.month())
            - i64::from(from.month());
        let (from_nanos, to_nanos) = (self.moment.nanos, other.moment.nanos);
        let is_later = (to, to_nanos) >= (from, from_nanos);
        let reached = (shifted(from, months, CalendarUnit::Month)?, from_nanos);
        let passes = if is_later { reached > (to, to_nanos) } else { reached < (to, to_nanos) };
        Some(months - i64::from(passes) * if is_later { 1 } else { -1 })
    }

    /// Returns what a calendar and a clock show.
    #[must_use]
    pub fn parts(&self) -> CalendarParts {
        let local = self.taken_apart().map_or(NaiveDateTime::MIN, |written| written.local);
        CalendarParts {
            year: local.year(),
            month: local.month(),
            day: local.day(),
            weekday: local.weekday().number_from_monday(),
            hour: local.hour(),
            minute: local.minute(),
            second: local.second(),
        }
    }

    fn taken_apart(&self) -> Option<Written<'_>> {
        taken_apart(&self.written)
    }
}

fn taken_apart(text: &str) -> Option<Written<'_>> {
    let mut rest = Rest(text.as_bytes());
    let day: NaiveDate = date(&mut rest)?;
    let midnight = day.and_time(NaiveTime::MIN);
    if rest.one_of(b"Tt").is_none() {
        return Some(Written { local: midnight, has_clock: false, fraction: "", offset: "" });
    }
    let (seconds, _) = clock(&mut rest)?;
    let local = midnight.checked_add_signed(TimeDelta::try_seconds(seconds)?)?;
    let begins = text.len() - rest.0.len();
    offset(&mut rest)?;
    let (before, offset) = text.split_at_checked(begins)?;
    let point = before.rfind(['.', ',']);
    let fraction = point.and_then(|at| before.get(at..)).unwrap_or_default();
    Some(Written { local, has_clock: true, fraction, offset })
}

/// Returns a time so many units later; none beyond the years that are counted.
fn shifted(local: NaiveDateTime, amount: i64, unit: CalendarUnit) -> Option<NaiveDateTime> {
    match unit.length() {
        Length::Seconds(length) => {
            let seconds = TimeDelta::try_seconds(amount.checked_mul(length)?)?;
            local.checked_add_signed(seconds)
        }
        Length::Months(length) => {
            let months = amount.checked_mul(length)?;
            let count = Months::new(u32::try_from(months.unsigned_abs()).ok()?);
            if months < 0 {
                local.checked_sub_months(count)
            } else {
                local.checked_add_months(count)
            }
        }
    }
}
