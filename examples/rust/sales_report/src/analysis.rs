//! `ANALYZE_TREND`: what the days of a period say.

use crate::date::Date;
use crate::day::Day;
use crate::distribution::{self, Distribution};
use crate::parameters::{invalid, text, words};
use crate::read::required_days;
use crate::trend::{self, Revenue};
use contexture::flow::action::{ActionCall, ActionFailure};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

const REVENUE: &str = "daily_revenue";
const DISTRIBUTION: &str = "product_distribution";

pub(crate) const METRICS: &[&str] = &[REVENUE, DISTRIBUTION];

/// What was found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Analysis {
    /// The range that was asked for.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) time_range: Option<String>,
    /// What was looked at; nothing without data.
    pub(crate) period: Option<Period>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) daily_revenue: Option<Revenue>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) product_distribution: Option<Distribution>,
}

/// The days from one to another, both included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Period {
    pub(crate) from: Date,
    pub(crate) to: Date,
    pub(crate) days: i64,
    pub(crate) days_with_sales: i64,
}

/// So many days back from the last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Range {
    written: String,
    days: i64,
}

impl Range {
    pub(crate) const PATTERN: &'static str = "^[1-9][0-9]{0,4}[dw]$";

    pub(crate) fn parse(written: &str) -> Result<Self, ActionFailure> {
        let bad = || {
            let shown: String = written.chars().take(40).collect();
            invalid(format!(
                "`timeRange`: expected days or weeks such as 30d or 4w, found {shown:?}"
            ))
        };
        let (number, unit) = match (written.strip_suffix('d'), written.strip_suffix('w')) {
            (Some(number), _) => (number, 1),
            (None, Some(number)) => (number, 7),
            (None, None) => return Err(bad()),
        };
        let is_number = number.len() <= 5 && number.bytes().all(|byte| byte.is_ascii_digit());
        let number: i64 = if is_number { number.parse().unwrap_or(0) } else { 0 };
        if number == 0 {
            return Err(bad());
        }
        Ok(Self { written: written.to_owned(), days: number * unit })
    }
}

pub(crate) fn action(call: &ActionCall) -> Result<Value, ActionFailure> {
    let metrics = words(call, "metrics").unwrap_or_default();
    let range = text(call, "timeRange").map(Range::parse).transpose()?;
    let days = required_days(call, "data")?;
    let (period, days) = within(&days, range.as_ref());
    let mut analysis = Analysis::of_period(range, period);
    if metrics.contains(&REVENUE) {
        analysis.daily_revenue = Some(trend::revenue(days, period)?);
    }
    if metrics.contains(&DISTRIBUTION) {
        analysis.product_distribution = Some(distribution::products(days, period)?);
    }
    Ok(json!({ "analysis": analysis }))
}

impl Analysis {
    pub(crate) fn of_period(range: Option<Range>, period: Option<Period>) -> Self {
        Self {
            time_range: range.map(|range| range.written),
            period,
            daily_revenue: None,
            product_distribution: None,
        }
    }
}

/// The days of a range, counted back from the last day there is.
pub(crate) fn within<'a>(days: &'a [Day], range: Option<&Range>) -> (Option<Period>, &'a [Day]) {
    let (Some(first), Some(last)) = (days.first(), days.last()) else { return (None, days) };
    let from = range.map_or(first.date, |range| last.date.plus(1 - range.days)).max(first.date);
    let days = between(days, from, last.date);
    let period = Period {
        from,
        to: last.date,
        days: last.date.since(from) + 1,
        days_with_sales: i64::try_from(days.len()).unwrap_or(i64::MAX),
    };
    (Some(period), days)
}

/// The days from one date to another; they are in order.
pub(crate) fn between(days: &[Day], from: Date, to: Date) -> &[Day] {
    let start = days.partition_point(|day| day.date < from);
    let end = days.partition_point(|day| day.date <= to);
    days.get(start..end).unwrap_or_default()
}
