//! What a report recommends. Each line has its rule, and gives the figure that it follows from.

use super::figures::name;
use super::sections::{money, part, percent, what};
use crate::analysis::{Analysis, Period};
use crate::distribution::Distribution;
use crate::trend::{Direction, Revenue};

/// A difference between weekends and weekdays that is worth a word, in percent.
const WEEKEND: f64 = 10.0;

/// A share that a single product should not have.
const LARGE: f64 = 0.5;

/// A loss of a product that is worth a word, in percent.
const LOSS: f64 = -10.0;

/// Days that are looked ahead.
const AHEAD: f64 = 7.0;

/// The recommendations, at least one line.
pub(crate) fn recommendations(analysis: &Analysis) -> Vec<String> {
    let mut lines = Vec::new();
    if let (Some(revenue), Some(period)) = (&analysis.daily_revenue, analysis.period) {
        lines.extend(stock(revenue, period));
        lines.extend(weekends(revenue));
        lines.extend(gaps(period));
    }
    if let Some(distribution) = &analysis.product_distribution {
        lines.extend(dependence(distribution));
        lines.extend(loss(distribution));
    }
    if lines.is_empty() {
        lines.push("The figures call for nothing in particular.".to_owned());
    }
    lines
}

fn stock(revenue: &Revenue, period: Period) -> Option<String> {
    let line = match revenue.direction {
        Direction::Up => {
            let expected = money(ahead(revenue, period));
            format!(
                "Stock up in time: if the trend goes on, the next {AHEAD} days bring about {expected}"
            )
        }
        Direction::Down => {
            let lost = money(-revenue.slope * 7.0);
            format!("Look for what is slowing sales: daily revenue falls by {lost} a week")
        }
        Direction::Flat => return None,
    };
    Some(line)
}

/// What the line of best fit says of the days ahead. It goes through the average in the middle.
fn ahead(revenue: &Revenue, period: Period) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "a number of days is far below 2^52")]
    let days = period.days as f64;
    let distance = days + (AHEAD - 1.0) / 2.0 - (days - 1.0) / 2.0;
    (AHEAD * (revenue.average + revenue.slope * distance)).max(0.0)
}

fn weekends(revenue: &Revenue) -> Option<String> {
    let change = revenue.weekend_change_percent?;
    if change >= WEEKEND {
        return Some(format!(
            "Put promotions and staff on weekends: their days bring {} against weekdays",
            percent(change)
        ));
    }
    (change <= -WEEKEND).then(|| {
        format!(
            "Give people a reason to buy on weekends: their days bring {} against weekdays",
            percent(change)
        )
    })
}

fn gaps(period: Period) -> Option<String> {
    let days = period.days - period.days_with_sales;
    (days > 0).then(|| format!("See why nothing was sold on {days} of {} days", period.days))
}

fn dependence(distribution: &Distribution) -> Option<String> {
    let first = distribution.products.first().filter(|_| distribution.products.len() > 1)?;
    let share = first.share.filter(|share| *share > LARGE)?;
    Some(format!(
        "Depend less on {}: it alone makes {} of {}",
        name(&first.product_id),
        part(share),
        what(distribution.by)
    ))
}

fn loss(distribution: &Distribution) -> Option<String> {
    let changes =
        distribution.products.iter().filter_map(|product| Some((product, product.change_percent?)));
    let (product, change) = changes.min_by(|(_, one), (_, other)| one.total_cmp(other))?;
    (change <= LOSS).then(|| {
        format!(
            "Review {}: it lost most between the halves of the period, {}",
            name(&product.product_id),
            percent(change)
        )
    })
}
