//! `calculator`: the value of an arithmetic expression (FL-3).
//!
//! Decision: whole numbers are computed exactly, in 128 bits, and stay whole as long as the result
//! is (`6/2` is 3, `7/2` is 3.5); with a decimal point or an exponent a number is a 64-bit float,
//! as in JSON. What does not fit is an error, never a rounded number or infinity. There are no
//! names and no functions, so nothing but arithmetic can be asked for.

mod number;
mod parse;
#[cfg(test)]
mod tests;

use crate::shape::{Shape, text, text_of};
use contexture_flow::action::{ActionCall, ActionFailure, ActionKind, Registry};
use serde_json::{Value, json};

/// The code of all its failures.
const CALC_ERROR: &str = "CALC_ERROR";

/// The longest expression in bytes.
const MAX_BYTES: usize = 10_000;

/// An error of an expression.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message} at offset {offset}")]
pub(crate) struct CalcError {
    message: String,
    /// The place, in bytes of the expression.
    offset: usize,
}

impl CalcError {
    fn new(offset: usize, message: impl Into<String>) -> Self {
        Self { message: message.into(), offset }
    }
}

pub(crate) fn register(registry: &mut Registry) {
    let info = Shape::new(
        "Computes + - * / % ^ (or **) with parentheses and returns {value}. Whole numbers stay whole.",
    )
    .needs("expression", text(), "the expression, such as \"2*(3+4)\"")
    .of(ActionKind::Query);
    registry.add("calculator", info.quick(), |call| async move { calculator(&call) });
}

fn calculator(call: &ActionCall) -> Result<Value, ActionFailure> {
    let value = evaluate(text_of(call, "expression")?).map_err(|error| ActionFailure {
        details: Some(json!({"offset": error.offset})),
        ..ActionFailure::new(CALC_ERROR, error.to_string())
    })?;
    Ok(json!({ "value": value }))
}

/// Returns the value of an expression as a JSON number.
pub(crate) fn evaluate(expression: &str) -> Result<Value, CalcError> {
    if expression.len() > MAX_BYTES {
        let message = format!(
            "the expression has {} bytes, the limit is {MAX_BYTES}: the rest",
            expression.len()
        );
        return Err(CalcError::new(MAX_BYTES, message));
    }
    let number = parse::evaluate(expression)?;
    number.to_json().map_err(|message| CalcError::new(0, message))
}
