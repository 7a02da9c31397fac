//! A report on sales: an application that adds actions of its own to the flows of Contexture.
//!
//! `PROCESS_DATA`, `ANALYZE_TREND` and `GENERATE_REPORT` are functions of this crate; `QUERY_DATA`,
//! which reads the data, is one of Contexture's. Together they run the instruction set in
//! `sales_report.json`: each step gets the results of the ones before it.
//!
//! Decisions: amounts are added and multiplied as decimals, exactly, and become a JSON number once,
//! at the end (which keeps every digit up to fifteen); only averages, slopes, shares and percentages
//! are floats, rounded to six decimals. Every action takes rows of sales as well as processed days.
//! A range of time is counted back from the last date of the data, not from today, so that the same
//! data always gives the same analysis. Inside the range a day without sales counts as 0.

mod analysis;
mod conversation;
mod date;
mod day;
mod decimal;
mod distribution;
mod parameters;
mod process;
mod read;
mod report;
mod trend;

pub use conversation::answer;

use analysis::{METRICS, Range};
use contexture::flow::action::{ActionCall, ActionFailure, ActionInfo, ActionKind, Registry};
use parameters::{info, objects, some_of};
use process::OPERATIONS;
use report::{FORMATS, SECTIONS};
use serde_json::{Value, json};

/// The instruction set that makes the report.
pub const SET: &str = include_str!("../sales_report.json");

const DATA: &str = "rows {date, product_id, quantity, price}, or days as PROCESS_DATA gives them";

/// Returns the actions of this application, for [`contexture::flows::FlowRequest::host`].
#[must_use]
pub fn actions() -> Registry {
    let mut actions = Registry::default();
    add(&mut actions, "PROCESS_DATA", process_data(), process::action);
    add(&mut actions, "ANALYZE_TREND", analyze_trend(), analysis::action);
    add(&mut actions, "GENERATE_REPORT", generate_report(), report::action);
    actions
}

/// Adds an action that computes. An action must not block the thread that runs the flow, so it
/// computes on one of its own.
fn add(
    actions: &mut Registry,
    name: &str,
    info: ActionInfo,
    work: fn(&ActionCall) -> Result<Value, ActionFailure>,
) {
    actions.add(name, info, move |call| async move {
        let done = tokio::task::spawn_blocking(move || work(&call)).await;
        done.unwrap_or_else(|error| Err(ActionFailure::new("INTERNAL_ERROR", error.to_string())))
    });
}

fn process_data() -> ActionInfo {
    let purpose = "Groups rows of sales by date and returns {processed_data}: days in order, with {sales, quantity, products} by aggregate_by_date and {daily_revenue} by calculate_daily_revenue.";
    let parameters = json!({
        "data": objects(DATA),
        "operations": some_of(OPERATIONS, "the fields that each day is given"),
    });
    info(ActionKind::Analysis, purpose, parameters, &["data", "operations"])
}

fn analyze_trend() -> ActionInfo {
    let purpose = "Analyses sales and returns {analysis}: the period, and for daily_revenue total, average, slope and direction, for product_distribution the share of each product.";
    let range = "the last days or weeks of the data, such as 30d or 4w; all of it by default";
    let parameters = json!({
        "data": objects(DATA),
        "metrics": some_of(METRICS, "the figures to compute"),
        "timeRange": {"type": "string", "pattern": Range::PATTERN, "description": range},
    });
    info(ActionKind::Analysis, purpose, parameters, &["data", "metrics"])
}

fn generate_report() -> ActionInfo {
    let purpose = "Writes a report on sales and returns {report}. Figures that disagree with the data are refused.";
    let analysis = "the result of ANALYZE_TREND; computed from the data when it is missing";
    let format = "markdown by default; with json the report is an object";
    let parameters = json!({
        "rawData": objects(DATA),
        "processedData": objects("days as PROCESS_DATA gives them"),
        "analysis": {"type": "object", "description": analysis},
        "format": {"enum": FORMATS, "description": format},
        "sections": some_of(SECTIONS, "the sections, in this order; all by default"),
    });
    // The same figures give the same report: after a crash it may be written again.
    ActionInfo { idempotent: true, ..info(ActionKind::Generation, purpose, parameters, &[]) }
}

/// Rounds to six decimals, as averages and percentages are given.
fn rounded(number: f64) -> f64 {
    let moved = number * 1e6;
    if moved.is_finite() { moved.round() / 1e6 + 0.0 } else { number }
}
