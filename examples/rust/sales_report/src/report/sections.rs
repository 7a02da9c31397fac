//! What the sections of a report say.

use super::advice;
use super::figures::{Figures, name};
use super::page::{Block, Page, Section};
use crate::analysis::{Analysis, Period};
use crate::distribution::{By, Distribution};
use crate::trend::{Best, Direction, Revenue};

/// The report with the sections that are wanted, in their order.
pub(crate) fn page(figures: &Figures, wanted: &[&str]) -> Page {
    let sections = wanted.iter().map(|wanted| match *wanted {
        "summary" => Section {
            name: "summary",
            heading: "Summary",
            blocks: vec![Block::Points(summary(figures))],
        },
        "trends" => {
            Section { name: "trends", heading: "Trends", blocks: trends(&figures.analysis) }
        }
        _ => Section {
            name: "recommendations",
            heading: "Recommendations",
            blocks: vec![Block::Steps(advice::recommendations(&figures.analysis))],
        },
    });
    Page { title: "Sales report", sections: sections.collect() }
}

fn summary(figures: &Figures) -> Vec<String> {
    let analysis = &figures.analysis;
    let Some(period) = analysis.period else {
        return vec!["There are no sales in the data.".to_owned()];
    };
    let mut points = vec![when(period)];
    points.extend(figures.sales.map(|sales| format!("Sales: {sales}")));
    if let Some(revenue) = &analysis.daily_revenue {
        points.push(format!("Total revenue: {}", revenue.total.amount()));
        points.push(format!("Average per day: {}", money(revenue.average)));
        points.extend(revenue.highest.map(|best| day("Best day", best)));
        points.extend(revenue.lowest.map(|worst| day("Weakest day", worst)));
    }
    points.extend(analysis.product_distribution.as_ref().and_then(leader));
    points
}

fn when(period: Period) -> String {
    let Period { from, to, days, days_with_sales } = period;
    format!("Period: {from} to {to} ({days} days, {days_with_sales} with sales)")
}

fn day(what: &str, best: Best) -> String {
    format!("{what}: {} with {}", best.date, best.revenue.amount())
}

fn leader(distribution: &Distribution) -> Option<String> {
    let first = distribution.products.first()?;
    let share = part(first.share?);
    Some(format!(
        "Leading product: {} with {share} of {}",
        name(&first.product_id),
        what(distribution.by)
    ))
}

pub(crate) fn what(by: By) -> &'static str {
    match by {
        By::Revenue => "revenue",
        By::Quantity => "quantity",
    }
}

fn trends(analysis: &Analysis) -> Vec<Block> {
    let mut points = Vec::new();
    if let Some(revenue) = &analysis.daily_revenue {
        points.push(course(revenue));
        points.extend(revenue.change_percent.map(|change| {
            format!("The second half of the period against the first: {}", percent(change))
        }));
        points.extend(weekend(revenue));
    }
    let mut blocks = Vec::new();
    if let Some(distribution) = &analysis.product_distribution {
        points.extend(growth(distribution));
        blocks.push(table(distribution));
    }
    if points.is_empty() {
        points.push("The data has nothing that a trend can be told from.".to_owned());
    }
    blocks.insert(0, Block::Points(points));
    blocks
}

fn course(revenue: &Revenue) -> String {
    let course = match revenue.direction {
        Direction::Up => "is rising",
        Direction::Down => "is falling",
        Direction::Flat => "is steady",
    };
    format!("Daily revenue {course}: {} a day by the line of best fit", signed(revenue.slope))
}

fn weekend(revenue: &Revenue) -> Option<String> {
    let (weekday, weekend) = revenue.weekday_average.zip(revenue.weekend_average)?;
    let change = revenue.weekend_change_percent.map(|change| format!(" ({})", percent(change)));
    Some(format!(
        "A day of a weekend brings {} on average, a weekday {}{}",
        money(weekend),
        money(weekday),
        change.unwrap_or_default()
    ))
}

fn growth(distribution: &Distribution) -> Option<String> {
    let changes =
        distribution.products.iter().filter_map(|product| Some((product, product.change_percent?)));
    let (product, change) = changes.max_by(|(_, one), (_, other)| one.total_cmp(other))?;
    (change > 0.0).then(|| {
        format!("Fastest growing product: {} with {}", name(&product.product_id), percent(change))
    })
}

fn table(distribution: &Distribution) -> Block {
    let head = vec!["Product", "Quantity", "Revenue", "Share", "Change"];
    let unknown = || "–".to_owned();
    let rows = distribution.products.iter().map(|product| {
        vec![
            name(&product.product_id),
            product.quantity.map_or_else(unknown, |quantity| quantity.to_string()),
            product.revenue.map_or_else(unknown, |revenue| revenue.amount()),
            product.share.map_or_else(unknown, part),
            product.change_percent.map_or_else(unknown, percent),
        ]
    });
    Block::Table { head, rows: rows.collect() }
}

/// An amount that was rounded anyway.
pub(crate) fn money(amount: f64) -> String {
    format!("{:.2}", cents(amount))
}

fn signed(amount: f64) -> String {
    format!("{:+.2}", cents(amount))
}

/// Without a minus at a zero.
fn cents(amount: f64) -> f64 {
    if amount.abs() < 0.005 { 0.0 } else { amount }
}

pub(crate) fn percent(percent: f64) -> String {
    format!("{:+.1}%", if percent.abs() < 0.05 { 0.0 } else { percent })
}

pub(crate) fn part(share: f64) -> String {
    format!("{:.1}%", share * 100.0)
}
