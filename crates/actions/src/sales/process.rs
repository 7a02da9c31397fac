//! `PROCESS_DATA`: days from rows.

use super::day::Day;
use super::read::required_days;
use super::words;
use crate::failure::invalid;
use crate::shape::unfit;
use contexture_flow::action::{ActionCall, ActionFailure};
use serde_json::{Value, json};

const AGGREGATE: &str = "aggregate_by_date";
const REVENUE: &str = "calculate_daily_revenue";

pub(super) const OPERATIONS: &[&str] = &[AGGREGATE, REVENUE];

pub(super) fn action(call: &ActionCall) -> Result<Value, ActionFailure> {
    let operations = words(call, "operations", OPERATIONS)?
        .ok_or_else(|| unfit("operations", "a list of operations", None))?;
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
