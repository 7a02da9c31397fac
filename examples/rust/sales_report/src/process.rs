//! `PROCESS_DATA`: days from rows.

use crate::day::Day;
use crate::parameters::{invalid, words};
use crate::read::required_days;
use contexture::flow::action::{ActionCall, ActionFailure};
use serde_json::{Value, json};

const AGGREGATE: &str = "aggregate_by_date";
const REVENUE: &str = "calculate_daily_revenue";

pub(crate) const OPERATIONS: &[&str] = &[AGGREGATE, REVENUE];

pub(crate) fn action(call: &ActionCall) -> Result<Value, ActionFailure> {
    let operations = words(call, "operations").unwrap_or_default();
    let days = required_days(call, "data")?;
    let aggregated = operations.contains(&AGGREGATE);
    let with_revenue = operations.contains(&REVENUE);
    if with_revenue && let Some(day) = days.iter().find(|day| day.revenue.is_none()) {
        return Err(no_revenue(day));
    }
    let days: Vec<Value> = days.iter().map(|day| day.to_json(aggregated, with_revenue)).collect();
    Ok(json!({ "processed_data": days }))
}

fn no_revenue(day: &Day) -> ActionFailure {
    let date = day.date;
    invalid(format!(
        "{REVENUE}: expected `quantity` and `price` (or `revenue`) in every row, and a row of {date} does not have them: select them in the query"
    ))
}
