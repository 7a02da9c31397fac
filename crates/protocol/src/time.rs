//! Timestamps: ISO 8601, kept as written (CP-1).
//!
//! Decision: the calendar is `chrono`'s, and all other crates take their times and the arithmetic on
//! them from here. The text is
//! taken apart by us, since no library reads all these forms and tells a leap second.

mod calendar;

pub use calendar::{CALENDAR_UNITS, CalendarParts, CalendarUnit, OutOfCalendar};

use crate::node::Node;
use crate::read::{Read, wrong};
use crate::record::{inline_schema, text};
use crate::report::{Place, Report};
use chrono::{DateTime, NaiveDate, NaiveTime, SecondsFormat};
use std::borrow::Cow;

/// A moment that can be compared with another: seconds since 1970 in UTC and nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Moment {
    /// Seconds since 1970-01-01T00:00:00Z.
    pub seconds: i64,
    /// Nanoseconds of the second; digits beyond them do not count.
    pub nanos: u32,
}

/// A date and time as written.
///
/// It accepts the calendar forms of ISO 8601, extended (`2025-12-01T12:34:56.789Z`) and basic
/// (`20251201T123456Z`), with seconds and fractions or without, with an offset or `Z` or neither
/// (then UTC), and a date alone (then midnight UTC).
///
/// ```
/// use contexture_protocol::Timestamp;
/// let written: Timestamp = "2025-12-01T13:00:00+01:00".parse()?;
/// let same: Timestamp = "2025-12-01T12:00:00.000Z".parse()?;
/// assert_eq!(written.moment(), same.moment());
/// assert_eq!(written.as_str(), "2025-12-01T13:00:00+01:00");
/// # Ok::<_, contexture_protocol::BadTimestamp>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Timestamp {
    written: String,
    moment: Moment,
}

/// A text that is not a date and time.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected {EXPECTED}, found \"{0}\"")]
pub struct BadTimestamp(pub String);

/// The description of a timestamp.
pub(crate) const EXPECTED: &str = "an ISO 8601 date and time such as 2025-12-01T12:34:56.789Z";

impl Timestamp {
    /// Returns the text as written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.written
    }

    /// Returns the moment.
    #[must_use]
    pub fn moment(&self) -> Moment {
        self.moment
    }

    /// Converts milliseconds since 1970 to UTC with milliseconds, the form of the server's times
    /// (CP-1).
    #[must_use]
    pub fn from_unix_millis(millis: u64) -> Self {
        // There is no form for years beyond 9999.
        let millis = i64::try_from(millis).unwrap_or(i64::MAX).min(253_402_300_799_999);
        let time = DateTime::from_timestamp_millis(millis).unwrap_or_default();
        let written = time.to_rfc3339_opts(SecondsFormat::Millis, true);
        let moment = Moment { seconds: time.timestamp(), nanos: time.timestamp_subsec_nanos() };
        Self { written, moment }
    }

    fn of(written: String) -> Result<Self, String> {
        match moment(&written) {
            Some(moment) => Ok(Self { written, moment }),
            None => Err(written),
        }
    }
}

impl std::str::FromStr for Timestamp {
    type Err = BadTimestamp;

    fn from_str(text: &str) -> Result<Self, BadTimestamp> {
        Self::of(text.to_owned()).map_err(BadTimestamp)
    }
}

impl Read for Timestamp {
    fn expected() -> Cow<'static, str> {
        EXPECTED.into()
    }

    fn read(value: Node<'_>, at: &Place<'_>, report: &mut Report<'_>) -> Option<Self> {
        match value {
            Node::String(text) => match Self::of(text.into_owned()) {
                Ok(timestamp) => Some(timestamp),
                Err(text) => wrong(&Node::String(text.into()), at, report),
            },
            other => wrong(&other, at, report),
        }
    }
}

text!(Timestamp);
inline_schema!(Timestamp, pattern());
crate::shape::shapes!(Timestamp => "string (ISO 8601)");

/// The form alone: a pattern does not know the days of a month.
fn pattern() -> schemars::Schema {
    let date = "([0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{8})";
    let time = "[0-9]{2}(:?[0-9]{2}(:?[0-9]{2}([.,][0-9]+)?)?)?";
    let offset = "([Zz]|[+-][0-9]{2}(:?[0-9]{2})?)?";
    schemars::json_schema!({
        "description": EXPECTED,
        "type": "string",
        "pattern": format!("^{date}([Tt]{time}{offset})?$"),
    })
}

/// The unparsed rest of a text.
struct Rest<'t>(&'t [u8]);

impl Rest<'_> {
    /// Takes exactly so many digits.
    fn number(&mut self, digits: usize) -> Option<i64> {
        let (taken, rest) = self.0.split_at_checked(digits)?;
        self.0 = rest;
        taken.iter().try_fold(0, |number, byte| {
            byte.is_ascii_digit().then(|| number * 10 + i64::from(byte - b'0'))
        })
    }

    /// Takes one of these bytes, if it comes next.
    fn one_of(&mut self, bytes: &[u8]) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        let is_taken = bytes.contains(first);
        if is_taken {
            self.0 = rest;
        }
        is_taken.then_some(*first)
    }

    /// Reports whether a digit or this separator comes next.
    fn goes_on(&self, separator: u8) -> bool {
        self.0.first().is_some_and(|byte| byte.is_ascii_digit() || *byte == separator)
    }
}

fn moment(text: &str) -> Option<Moment> {
    let mut rest = Rest(text.as_bytes());
    let midnight = date(&mut rest)?.and_time(NaiveTime::MIN).and_utc();
    let mut moment = Moment { seconds: midnight.timestamp(), nanos: 0 };
    if rest.one_of(b"Tt").is_some() {
        let (seconds, nanos) = clock(&mut rest)?;
        moment = Moment { seconds: moment.seconds + seconds - offset(&mut rest)?, nanos };
    }
    rest.0.is_empty().then_some(moment)
}

/// Parses `YYYY-MM-DD` or `YYYYMMDD`.
fn date(rest: &mut Rest<'_>) -> Option<NaiveDate> {
    let year = i32::try_from(rest.number(4)?).ok()?;
    let is_extended = rest.one_of(b"-").is_some();
    let month = u32::try_from(rest.number(2)?).ok()?;
    if rest.one_of(b"-").is_some() != is_extended {
        return None;
    }
    NaiveDate::from_ymd_opt(year, month, u32::try_from(rest.number(2)?).ok()?)
}

/// Parses the seconds of the day and nanoseconds. Minutes and seconds may be omitted.
fn clock(rest: &mut Rest<'_>) -> Option<(i64, u32)> {
    let hour = rest.number(2)?;
    let (mut minute, mut second, mut nanos) = (0, 0, 0);
    if rest.goes_on(b':') {
        let is_extended = rest.one_of(b":").is_some();
        minute = rest.number(2)?;
        if rest.goes_on(b':') {
            if rest.one_of(b":").is_some() != is_extended {
                return None;
            }
            second = rest.number(2)?;
            nanos = fraction(rest)?;
        }
    }
    let is_end = hour == 24 && minute == 0 && second == 0 && nanos == 0;
    // A leap second is the second 60.
    let is_time = (hour < 24 || is_end) && minute < 60 && second <= 60;
    is_time.then_some((hour * 3_600 + minute * 60 + second, nanos))
}

fn fraction(rest: &mut Rest<'_>) -> Option<u32> {
    if rest.one_of(b".,").is_none() {
        return Some(0);
    }
    let mut nanos = rest.number(1)? * 100_000_000;
    let mut unit = 10_000_000;
    while rest.goes_on(b'0') {
        nanos += rest.number(1)? * unit;
        unit /= 10;
    }
    u32::try_from(nanos).ok()
}

/// Parses the seconds ahead of UTC; 0 without an offset.
fn offset(rest: &mut Rest<'_>) -> Option<i64> {
    if rest.0.is_empty() || rest.one_of(b"Zz").is_some() {
        return Some(0);
    }
    let sign = if rest.one_of(b"+-")? == b'-' { -1 } else { 1 };
    let hours = rest.number(2)?;
    rest.one_of(b":");
    let minutes = if rest.0.is_empty() { 0 } else { rest.number(2)? };
    (hours < 24 && minutes < 60).then_some(sign * (hours * 3_600 + minutes * 60))
}

#[cfg(test)]
mod tests;
