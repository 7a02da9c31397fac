//! The figures of a report, brought together and compared.

use crate::analysis::{Analysis, Period, Range, between, within};
use crate::day::Day;
use crate::decimal::Decimal;
use crate::parameters::invalid;
use crate::read::days;
use crate::{distribution, trend};
use contexture::flow::action::{ActionCall, ActionFailure};
use serde_json::Value;

/// What a report tells.
pub(crate) struct Figures {
    pub(crate) analysis: Analysis,
    /// How many sales there were in the period, if the raw data is there.
    pub(crate) sales: Option<u64>,
}

impl Figures {
    /// The analysis, completed from the data where it lacks something, and compared with the data.
    pub(crate) fn of(call: &ActionCall) -> Result<Self, ActionFailure> {
        let raw = days(call, "rawData")?;
        let processed = days(call, "processedData")?;
        let given = given(call)?;
        let Some(all) = processed.as_ref().or(raw.as_ref()) else {
            let analysis = given.ok_or_else(nothing)?;
            return Ok(Self { analysis, sales: None });
        };
        let analysis = completed(given, all)?;
        for (name, days) in [("rawData", &raw), ("processedData", &processed)] {
            if let Some(days) = days {
                compare(name, days, &analysis)?;
            }
        }
        let sales = raw.map(|days| sales(&days, analysis.period));
        Ok(Self { analysis, sales })
    }
}

fn given(call: &ActionCall) -> Result<Option<Analysis>, ActionFailure> {
    let Some(value) = call.parameters.get("analysis").filter(|value| !value.is_null()) else {
        return Ok(None);
    };
    let wrong = |what: &str| {
        invalid(format!(
            "`analysis`: expected what ANALYZE_TREND gives: {what}; leave it out to have it computed from the data"
        ))
    };
    let analysis: Analysis =
        serde_json::from_value(value.clone()).map_err(|error| wrong(&error.to_string()))?;
    if analysis.period.is_some_and(|period| !is_sound(period)) {
        return Err(wrong(
            "`period.days` are not the days from `from` to `to`, or fewer than `days_with_sales`",
        ));
    }
    Ok(Some(analysis))
}

fn is_sound(period: Period) -> bool {
    period.days >= 1
        && period.days == period.to.since(period.from) + 1
        && (0..=period.days).contains(&period.days_with_sales)
}

fn nothing() -> ActionFailure {
    invalid("expected `rawData`, `processedData` or `analysis`, found none of them")
}

/// The analysis with both metrics, as far as the data has what they need.
fn completed(given: Option<Analysis>, all: &[Day]) -> Result<Analysis, ActionFailure> {
    let mut analysis = given.unwrap_or_else(|| Analysis::of_period(None, within(all, None).0));
    let range = analysis.time_range.as_deref().map(Range::parse).transpose()?;
    let (period, days) = match analysis.period {
        Some(period) => (Some(period), between(all, period.from, period.to)),
        None => within(all, range.as_ref()),
    };
    if analysis.daily_revenue.is_none() && trend::is_known(days) {
        analysis.daily_revenue = Some(trend::revenue(days, period)?);
    }
    if analysis.product_distribution.is_none() && distribution::is_known(days) {
        analysis.product_distribution = Some(distribution::products(days, period)?);
    }
    analysis.period = period;
    Ok(analysis)
}

/// Refuses figures that are not those of the data: a report must not tell a wrong total.
fn compare(name: &str, days: &[Day], analysis: &Analysis) -> Result<(), ActionFailure> {
    let (Some(revenue), Some(period)) = (&analysis.daily_revenue, analysis.period) else {
        return Ok(());
    };
    let mut total = Decimal::ZERO;
    for day in between(days, period.from, period.to) {
        let Some(sum) = day.revenue.and_then(|revenue| total.plus(revenue)) else { return Ok(()) };
        total = sum;
    }
    // As JSON numbers: beyond fifteen digits that is all an analysis can keep.
    if total.to_json() == revenue.total.to_json() {
        return Ok(());
    }
    let (from, to) = (period.from, period.to);
    Err(invalid(format!(
        "`{name}` adds up to {} from {from} to {to}, and `analysis` says {}: give the data that the analysis was made of, or leave out `analysis`",
        total.amount(),
        revenue.total.amount()
    )))
}

fn sales(days: &[Day], period: Option<Period>) -> u64 {
    let within = period.map_or(days, |period| between(days, period.from, period.to));
    within.iter().fold(0, |sales, day| sales.saturating_add(day.sales))
}

/// A product as a text has it.
pub(crate) fn name(id: &Value) -> String {
    id.as_str().map_or_else(|| id.to_string(), str::to_owned)
}
