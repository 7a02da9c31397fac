//! The trend of daily revenue.

use crate::analysis::Period;
use crate::date::Date;
use crate::day::{Day, TooManyDigits, sum};
use crate::decimal::Decimal;
use crate::parameters::invalid;
use crate::read::overflow;
use crate::rounded;
use contexture::flow::action::ActionFailure;
use serde::{Deserialize, Serialize};

/// Below this part of the average, what the line of best fit rises over the whole period is flat.
const FLAT: f64 = 0.01;

/// What daily revenue does over a period.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Revenue {
    /// All of it, exact.
    pub(crate) total: Decimal,
    /// By day of the period.
    pub(crate) average: f64,
    pub(crate) highest: Option<Best>,
    pub(crate) lowest: Option<Best>,
    /// How much more each day is, by the line of best fit (least squares).
    pub(crate) slope: f64,
    pub(crate) direction: Direction,
    /// The second half of the period against the first; the middle day of an odd number is in
    /// neither.
    pub(crate) change_percent: Option<f64>,
    /// By weekday and by day of a weekend.
    pub(crate) weekday_average: Option<f64>,
    pub(crate) weekend_average: Option<f64>,
    /// A day of a weekend against a weekday.
    pub(crate) weekend_change_percent: Option<f64>,
}

/// A day that stands out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Best {
    pub(crate) date: Date,
    pub(crate) revenue: Decimal,
}

/// Where it goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Direction {
    Up,
    Down,
    Flat,
}

/// The trend of days with revenue.
pub(crate) fn revenue(days: &[Day], period: Option<Period>) -> Result<Revenue, ActionFailure> {
    let Some(period) = period else { return Ok(nothing()) };
    let mut series = Vec::with_capacity(days.len());
    for day in days {
        let revenue = day.revenue.ok_or_else(|| unknown(day))?;
        series.push(Best { date: day.date, revenue });
    }
    computed(&series, period).map_err(|fault| overflow("data", fault))
}

/// Whether the revenue of every day is known.
pub(crate) fn is_known(days: &[Day]) -> bool {
    days.iter().all(|day| day.revenue.is_some())
}

fn unknown(day: &Day) -> ActionFailure {
    let date = day.date;
    invalid(format!(
        "daily_revenue: expected `daily_revenue` of every day, and {date} has none: process the data with calculate_daily_revenue, or give rows with `quantity` and `price`"
    ))
}

fn nothing() -> Revenue {
    Revenue {
        total: Decimal::ZERO,
        average: 0.0,
        highest: None,
        lowest: None,
        slope: 0.0,
        direction: Direction::Flat,
        change_percent: None,
        weekday_average: None,
        weekend_average: None,
        weekend_change_percent: None,
    }
}

fn computed(series: &[Best], period: Period) -> Result<Revenue, TooManyDigits> {
    let total = total(series.iter())?;
    let average = total.float() / float(period.days);
    let slope = slope(series, period)?;
    let (first, second) = halves(series, period)?;
    let weekends = weekends(period);
    let on_weekends = self::total(series.iter().filter(|day| day.date.is_weekend()))?;
    let on_weekdays = self::total(series.iter().filter(|day| !day.date.is_weekend()))?;
    let by = |total: Decimal, days: i64| (days > 0).then(|| total.float() / float(days));
    let weekday = by(on_weekdays, period.days - weekends);
    let weekend = by(on_weekends, weekends);
    Ok(Revenue {
        total,
        average: rounded(average),
        highest: extreme(series, period, |one, other| one > other),
        lowest: extreme(series, period, |one, other| one < other),
        slope: rounded(slope),
        direction: direction(slope, average, period),
        change_percent: change(first.float(), second.float()),
        weekday_average: weekday.map(rounded),
        weekend_average: weekend.map(rounded),
        weekend_change_percent: weekday.zip(weekend).and_then(|(from, to)| change(from, to)),
    })
}

fn total<'a>(series: impl Iterator<Item = &'a Best>) -> Result<Decimal, TooManyDigits> {
    let mut total = Decimal::ZERO;
    for day in series {
        total = total.plus(day.revenue).ok_or(TooManyDigits)?;
    }
    Ok(total)
}

/// The slope of the line of best fit. Its sum is exact, so that what does not change has none; days
/// without sales add nothing to it.
fn slope(series: &[Best], period: Period) -> Result<f64, TooManyDigits> {
    if period.days < 2 {
        return Ok(0.0);
    }
    let mut weighted = Some(Decimal::ZERO);
    for day in series {
        // Twice the distance from the middle, which is whole.
        let distance = 2 * day.date.since(period.from) - (period.days - 1);
        let part = day.revenue.times(Decimal::whole(distance)).ok_or(TooManyDigits)?;
        weighted = sum(weighted, Some(part))?;
    }
    let days = float(period.days);
    Ok(6.0 * weighted.unwrap_or_default().float() / (days * (days * days - 1.0)))
}

fn direction(slope: f64, average: f64, period: Period) -> Direction {
    let rise = slope * float(period.days - 1);
    if rise == 0.0 || rise.abs() < FLAT * average.abs() {
        Direction::Flat
    } else if rise > 0.0 {
        Direction::Up
    } else {
        Direction::Down
    }
}

/// The sums of the first and the second half of a period.
fn halves(series: &[Best], period: Period) -> Result<(Decimal, Decimal), TooManyDigits> {
    let first = series.iter().filter(|day| period.half(day.date) == Some(Half::First));
    let second = series.iter().filter(|day| period.half(day.date) == Some(Half::Second));
    Ok((total(first)?, total(second)?))
}

/// A half of a period.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Half {
    First,
    Second,
}

impl Period {
    /// In which half a date lies.
    pub(crate) fn half(&self, date: Date) -> Option<Half> {
        let (number, half) = (date.since(self.from), self.days / 2);
        if number < half {
            Some(Half::First)
        } else {
            (number >= self.days - half).then_some(Half::Second)
        }
    }
}

/// How much more something has become, in percent; nothing where it began with nothing.
pub(crate) fn change(from: f64, to: f64) -> Option<f64> {
    let percent = (to - from) / from.abs() * 100.0;
    percent.is_finite().then(|| rounded(percent))
}

/// The first day that is the best; a day without sales has 0.
fn extreme(series: &[Best], period: Period, is_better: fn(f64, f64) -> bool) -> Option<Best> {
    let mut best = first_without(series, period);
    for day in series {
        let better = best.is_none_or(|best| {
            let (one, other) = (day.revenue.float(), best.revenue.float());
            is_better(one, other) || (one == other && day.date < best.date)
        });
        if better {
            best = Some(*day);
        }
    }
    best
}

/// The first day of a period without sales.
fn first_without(series: &[Best], period: Period) -> Option<Best> {
    let dates = (0..period.days).map(|number| period.from.plus(number));
    let mut sold = series.iter().map(|day| day.date);
    let date = dates.into_iter().find(|date| sold.next() != Some(*date))?;
    Some(Best { date, revenue: Decimal::ZERO })
}

fn weekends(period: Period) -> i64 {
    let rest = (0..period.days % 7).filter(|number| period.from.plus(*number).is_weekend());
    period.days / 7 * 2 + i64::try_from(rest.count()).unwrap_or_default()
}

#[expect(clippy::cast_precision_loss, reason = "a number of days is far below 2^52")]
fn float(days: i64) -> f64 {
    days as f64
}
