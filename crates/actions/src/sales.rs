//! The actions of the sales report: `PROCESS_DATA`, `ANALYZE_TREND`, `GENERATE_REPORT` (FL-3); their
//! data comes from `QUERY_DATA`.
//!
//! Decisions: amounts are added and multiplied as decimals, exactly, and become a JSON number once,
//! at the end (which keeps every digit up to fifteen); only averages, slopes, shares and percentages
//! are floats, rounded to six decimals. Every action takes rows of sales as well as processed days.
//! A range of time is counted back from the last date of the data, not from today, so that the same
//! data always gives the same analysis. Inside the range a day without sales counts as 0.

mod analysis;
mod calendar;
mod day;
mod decimal;
mod distribution;
mod process;
mod read;
mod report;
mod trend;

use crate::failure::{blocking, invalid};
use crate::shape::{Shape, one_of, some_of, text_if, unfit};
use analysis::{METRICS, Range};
use contexture_flow::action::{ActionCall, ActionFailure, ActionInfo, ActionKind, Registry};
use process::OPERATIONS;
use report::{FORMATS, SECTIONS};
use serde_json::{Value, json};

pub(crate) fn register(registry: &mut Registry) {
    let data = "rows {date, product_id, quantity, price}, or days as PROCESS_DATA gives them";
    let list = || json!({"type": "array", "items": {"type": "object"}});

    let info = Shape::new("Groups rows of sales by date and returns {processed_data}: days in order, with {sales, quantity, products} by aggregate_by_date and {daily_revenue} by calculate_daily_revenue.")
        .needs("data", list(), data)
        .needs("operations", some_of(OPERATIONS), "what each day is given")
        .of(ActionKind::Analysis);
    registry.add("PROCESS_DATA", info, |call| blocking(move || process::action(&call)));

    let range = json!({"type": "string", "pattern": Range::PATTERN});
    let info = Shape::new("Analyses sales and returns {analysis}: the period, and for daily_revenue total, average, slope and direction, for product_distribution the share of each product.")
        .needs("data", list(), data)
        .needs("metrics", some_of(METRICS), "what is looked at")
        .takes("timeRange", range, "the last days or weeks of the data, such as 30d or 4w; all of it by default")
        .of(ActionKind::Analysis);
    registry.add("ANALYZE_TREND", info, |call| blocking(move || analysis::action(&call)));

    let info = Shape::new("Writes a report on sales and returns {report}. Figures that disagree with the data are refused.")
        .takes("rawData", list(), data)
        .takes("processedData", list(), "days as PROCESS_DATA gives them")
        .takes("analysis", json!({"type": "object"}), "what ANALYZE_TREND gives; computed from the data when it is missing")
        .takes("format", one_of(FORMATS), "markdown by default; with json the report is an object")
        .takes("sections", some_of(SECTIONS), "which sections, in this order; all by default")
        .of(ActionKind::Generation);
    let info = ActionInfo { idempotent: true, ..info };
    registry.add("GENERATE_REPORT", info, |call| blocking(move || report::action(&call)));
}

/// The words of a list, each one of those known and none twice.
fn words<'a>(
    call: &'a ActionCall,
    name: &str,
    known: &[&str],
) -> Result<Option<Vec<&'a str>>, ActionFailure> {
    let found = match call.parameters.get(name) {
        None | Some(Value::Null) => return Ok(None),
        Some(found) => found,
    };
    let choices = known.join(", ");
    let expected = format!("a list of {choices}");
    let list = found.as_array().filter(|list| !list.is_empty());
    let list = list.ok_or_else(|| unfit(name, &expected, Some(found)))?;
    let mut words = Vec::new();
    for item in list {
        match item.as_str().filter(|word| known.contains(word)) {
            Some(word) if words.contains(&word) => {
                return Err(invalid(format!("`{name}` has {word} twice: name it once")));
            }
            Some(word) => words.push(word),
            None => {
                let shown: String = item.to_string().chars().take(100).collect();
                return Err(invalid(format!(
                    "`{name}`: expected some of {choices}, found {shown}"
                )));
            }
        }
    }
    Ok(Some(words))
}

/// One word of those known, the first if none is given.
fn word<'a>(call: &'a ActionCall, name: &str, known: &[&'a str]) -> Result<&'a str, ActionFailure> {
    let Some(word) = text_if(call, name)? else {
        return Ok(known.first().copied().unwrap_or_default());
    };
    if known.contains(&word) {
        return Ok(word);
    }
    let shown: String = word.chars().take(100).collect();
    Err(invalid(format!("`{name}`: expected one of {}, found {shown:?}", known.join(", "))))
}

/// A float with six decimals, as averages and percentages are given.
fn rounded(number: f64) -> f64 {
    let moved = number * 1e6;
    if moved.is_finite() { moved.round() / 1e6 + 0.0 } else { number }
}
