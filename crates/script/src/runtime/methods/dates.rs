//! Dates: arithmetic on texts of ISO 8601, as tools and memories give them (TY-6).
//!
//! Decision: a time is a text and no value of its own, since tools, models and records have texts;
//! and nothing here reads a clock, so that a run can be repeated.

use super::convert::{clipped, wrong_kind};
use crate::runtime::error::{Checked, Fault, codes};
use crate::runtime::machine::Machine;
use crate::runtime::value::{TEXT_BYTES, Value, unknown};
use contexture_core::protocol::{CALENDAR_UNITS, CalendarUnit, Timestamp};
use contexture_diagnostic::suggestion;
use serde_json::json;

/// Returns a time so many units later.
pub(crate) fn add(machine: &Machine<'_>, arguments: &[Value]) -> Checked<Value> {
    const NAME: &str = "date.add";
    let [time, amount, unit] = arguments else { return Ok(Value::NONE) };
    if let Some(unknown) = arguments.iter().find(|one| unknown::is(one)) {
        return Ok(unknown.clone());
    }
    let (from, unit) = (time_of(NAME, time)?, unit_of(NAME, unit)?);
    let Value::Int(count, _) = amount else {
        return Err(wrong_kind(NAME, "a whole number of units", amount));
    };
    let later = from.plus(*count, unit).map_err(|error| {
        Fault::new(codes::BAD_TIME, format!("`{NAME}` leaves the calendar: {error}"))
            .help("add fewer units")
    })?;
    machine.meter.heap(later.as_str().len() + TEXT_BYTES)?;
    Ok(Value::text(later.as_str().to_owned(), time.tag()))
}

/// Returns how many whole units later a time is than another.
pub(crate) fn between(_: &Machine<'_>, arguments: &[Value]) -> Checked<Value> {
    const NAME: &str = "date.between";
    let [from, to, unit] = arguments else { return Ok(Value::NONE) };
    if arguments.iter().any(unknown::is) {
        return Ok(Value::int(1));
    }
    let (from, to) = (time_of(NAME, from)?, time_of(NAME, to)?);
    Ok(Value::int(from.units_until(&to, unit_of(NAME, unit)?)))
}

/// Returns what a calendar and a clock show at a time.
pub(crate) fn parts(machine: &Machine<'_>, arguments: &[Value]) -> Checked<Value> {
    let time = arguments.first().unwrap_or(&Value::NONE);
    if unknown::is(time) {
        return Ok(time.clone());
    }
    let parts = time_of("date.parts", time)?.parts();
    let json = json!({
        "year": parts.year,
        "month": parts.month,
        "day": parts.day,
        "weekday": parts.weekday,
        "hour": parts.hour,
        "minute": parts.minute,
        "second": parts.second,
    });
    machine.import(json, time.tag())
}

fn time_of(function: &str, value: &Value) -> Checked<Timestamp> {
    let Value::Str(text, _) = value else {
        return Err(wrong_kind(function, "a time as a string", value));
    };
    text.trim().parse().map_err(|_| {
        let message = format!("`{function}` takes a time, not the text \"{}\"", clipped(text));
        Fault::new(codes::BAD_TIME, message)
            .help("times are written as in `2025-12-01` or `2025-12-01T12:34:56Z`; catch it with `try … else`")
    })
}

fn unit_of(function: &str, value: &Value) -> Checked<CalendarUnit> {
    let Value::Str(word, _) = value else {
        return Err(wrong_kind(function, "a unit as a string", value));
    };
    CalendarUnit::of_word(word).ok_or_else(|| {
        let message = format!("`{function}` takes a unit, not \"{}\"", clipped(word));
        let known = CALENDAR_UNITS.map(|unit| format!("\"{unit}\"")).join(", ");
        let help = suggestion(word, CALENDAR_UNITS).unwrap_or(format!("the units are {known}"));
        Fault::new(codes::WRONG_TYPE, message).help(help)
    })
}
