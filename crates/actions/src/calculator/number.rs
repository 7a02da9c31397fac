//! Numbers and their operations; the messages of those that can't be done.

use serde_json::{Number as JsonNumber, Value};

const DIVISION_BY_ZERO: &str = "division by zero";
const OVERFLOW: &str = "the result is too large";

/// A whole number as long as it can be one, else a float.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Number {
    Whole(i128),
    Decimal(f64),
}

pub(super) type Result = std::result::Result<Number, &'static str>;

impl Number {
    pub(super) fn add(self, other: Self) -> Result {
        self.with(other, i128::checked_add, |left, right| left + right)
    }

    pub(super) fn subtract(self, other: Self) -> Result {
        self.with(other, i128::checked_sub, |left, right| left - right)
    }

    pub(super) fn multiply(self, other: Self) -> Result {
        self.with(other, i128::checked_mul, |left, right| left * right)
    }

    pub(super) fn divide(self, other: Self) -> Result {
        if other.is_zero() {
            return Err(DIVISION_BY_ZERO);
        }
        if let (Self::Whole(left), Self::Whole(right)) = (self, other)
            && left.checked_rem(right) == Some(0)
        {
            return left.checked_div(right).map(Self::Whole).ok_or(OVERFLOW);
        }
        finite(self.float() / other.float())
    }

    /// Returns the remainder of a division towards zero: it has the sign of the dividend.
    pub(super) fn remainder(self, other: Self) -> Result {
        if other.is_zero() {
            return Err(DIVISION_BY_ZERO);
        }
        match (self, other) {
            // Only the smallest number by -1 does not fit, and its remainder is zero.
            (Self::Whole(left), Self::Whole(right)) => {
                Ok(Self::Whole(left.checked_rem(right).unwrap_or(0)))
            }
            _ => finite(self.float() % other.float()),
        }
    }

    pub(super) fn power(self, exponent: Self) -> Result {
        match (self, exponent) {
            (Self::Whole(base), Self::Whole(exponent)) if exponent >= 0 => {
                whole_power(base, exponent)
            }
            (Self::Whole(base @ (1 | -1)), Self::Whole(exponent)) => {
                Ok(Self::Whole(if exponent % 2 == 0 { 1 } else { base }))
            }
            _ if self.is_zero() && exponent.float() < 0.0 => Err(DIVISION_BY_ZERO),
            _ => finite(self.float().powf(exponent.float())),
        }
    }

    pub(super) fn negate(self) -> Result {
        match self {
            Self::Whole(number) => number.checked_neg().map(Self::Whole).ok_or(OVERFLOW),
            Self::Decimal(number) => Ok(Self::Decimal(-number)),
        }
    }

    fn with(
        self,
        other: Self,
        whole: fn(i128, i128) -> Option<i128>,
        decimal: fn(f64, f64) -> f64,
    ) -> Result {
        match (self, other) {
            (Self::Whole(left), Self::Whole(right)) => {
                whole(left, right).map(Self::Whole).ok_or(OVERFLOW)
            }
            _ => finite(decimal(self.float(), other.float())),
        }
    }

    fn is_zero(self) -> bool {
        match self {
            Self::Whole(number) => number == 0,
            Self::Decimal(number) => number == 0.0,
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "a float is as near as it can be")]
    fn float(self) -> f64 {
        match self {
            Self::Whole(number) => number as f64,
            Self::Decimal(number) => number,
        }
    }

    pub(super) fn to_json(self) -> std::result::Result<Value, &'static str> {
        const TOO_LARGE: &str = "the result is not a whole number from -2^63 to 2^64-1 (write a decimal point to compute with floats): the expression";
        let number = match self {
            Self::Whole(number) => JsonNumber::from_i128(number)
                .filter(|number| number.is_i64() || number.is_u64())
                .ok_or(TOO_LARGE)?,
            // No minus at a zero.
            Self::Decimal(number) => JsonNumber::from_f64(number + 0.0).ok_or(OVERFLOW)?,
        };
        Ok(Value::Number(number))
    }
}

fn whole_power(base: i128, exponent: i128) -> Result {
    if matches!(base, -1..=1) {
        let is_even = exponent % 2 == 0;
        let power = if exponent == 0 || (base == -1 && is_even) { 1 } else { base };
        return Ok(Number::Whole(power));
    }
    let exponent = u32::try_from(exponent).map_err(|_| OVERFLOW)?;
    base.checked_pow(exponent).map(Number::Whole).ok_or(OVERFLOW)
}

fn finite(number: f64) -> Result {
    if number.is_nan() {
        return Err("there is no real number that is the result");
    }
    if number.is_infinite() {
        return Err(OVERFLOW);
    }
    Ok(Number::Decimal(number))
}
