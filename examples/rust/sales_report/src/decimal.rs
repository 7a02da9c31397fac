//! Exact decimal numbers: what money is added up in.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use serde_json::{Number, Value};
use std::fmt;

/// The most decimals of a number that is read.
const MAX_SCALE: u32 = 30;

/// `digits` divided by ten as often as `scale` says; no more decimals than needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Decimal {
    digits: i128,
    scale: u32,
}

impl Decimal {
    pub(crate) const ZERO: Self = Self { digits: 0, scale: 0 };

    /// A whole number.
    pub(crate) fn whole(number: i64) -> Self {
        Self { digits: number.into(), scale: 0 }
    }

    /// The number of a JSON number, or of a text such as `19.99`. Of a float it is the shortest
    /// number that means it: 19.99, not the binary fraction beside it.
    pub(crate) fn of(value: &Value) -> Option<Self> {
        match value {
            Value::Number(number) => Self::parse(&number.to_string()),
            Value::String(text) => Self::parse(text.trim()),
            _ => None,
        }
    }

    fn parse(text: &str) -> Option<Self> {
        let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let exponent: i32 = exponent.parse().ok()?;
        let (minus, unsigned) = match mantissa.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, mantissa),
        };
        let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
        let is_number = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        if (whole.is_empty() && fraction.is_empty()) || !is_number(whole) || !is_number(fraction) {
            return None;
        }
        let fraction = fraction.trim_end_matches('0');
        let digits: i128 = match format!("{whole}{fraction}").trim_start_matches('0') {
            "" => return Some(Self::ZERO),
            digits => digits.parse().ok()?,
        };
        let digits = if minus { -digits } else { digits };
        let scale = i32::try_from(fraction.len()).ok()?.checked_sub(exponent)?;
        match u32::try_from(scale) {
            Ok(scale) => {
                Self { digits, scale }.trimmed().filter(|number| number.scale <= MAX_SCALE)
            }
            Err(_) => Some(Self { digits: scaled(digits, scale.unsigned_abs())?, scale: 0 }),
        }
    }

    /// The sum, or nothing when it has too many digits.
    pub(crate) fn plus(self, other: Self) -> Option<Self> {
        let scale = self.scale.max(other.scale);
        let left = scaled(self.digits, scale - self.scale)?;
        let right = scaled(other.digits, scale - other.scale)?;
        Self { digits: left.checked_add(right)?, scale }.trimmed()
    }

    /// The product, or nothing when it has too many digits.
    pub(crate) fn times(self, other: Self) -> Option<Self> {
        let digits = self.digits.checked_mul(other.digits)?;
        Self { digits, scale: self.scale.checked_add(other.scale)? }.trimmed()
    }

    fn trimmed(mut self) -> Option<Self> {
        while self.scale > 0 && self.digits % 10 == 0 {
            self.digits /= 10;
            self.scale -= 1;
        }
        Some(self)
    }

    pub(crate) fn is_zero(self) -> bool {
        self.digits == 0
    }

    /// The nearest float.
    pub(crate) fn float(self) -> f64 {
        self.to_string().parse().unwrap_or_default()
    }

    /// A JSON number: whole when it is, else the nearest float.
    pub(crate) fn to_json(self) -> Value {
        if self.scale == 0
            && let Ok(whole) = i64::try_from(self.digits)
        {
            return whole.into();
        }
        Number::from_f64(self.float()).map_or(Value::Null, Value::Number)
    }

    /// As amounts are written: with two decimals at least, and all there are.
    pub(crate) fn amount(self) -> String {
        let text = self.to_string();
        let decimals = text.split_once('.').map(|(_, fraction)| fraction.len());
        match decimals {
            None => format!("{text}.00"),
            Some(1) => format!("{text}0"),
            Some(_) => text,
        }
    }
}

/// A number with so many zeros more.
fn scaled(digits: i128, zeros: u32) -> Option<i128> {
    digits.checked_mul(10_i128.checked_pow(zeros)?)
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.digits < 0 { "-" } else { "" };
        let scale = self.scale as usize;
        let digits = format!("{:0>width$}", self.digits.unsigned_abs(), width = scale + 1);
        match digits.split_at_checked(digits.len() - scale) {
            Some((whole, fraction)) if scale > 0 => write!(f, "{sign}{whole}.{fraction}"),
            _ => write!(f, "{sign}{digits}"),
        }
    }
}

impl Serialize for Decimal {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.to_json().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Decimal {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        Self::of(&value)
            .ok_or_else(|| de::Error::custom(format!("expected a number, found {value}")))
    }
}

#[cfg(test)]
mod tests {
    use super::Decimal;
    use proptest::prelude::*;
    use serde_json::json;

    fn decimal(text: &str) -> Decimal {
        Decimal::of(&json!(text)).unwrap()
    }

    #[test]
    fn fl_3_amounts_are_read_as_they_are_written() {
        for (value, text) in [
            (json!(19.99), "19.99"),
            (json!(1e3), "1000"),
            (json!(-0.05), "-0.05"),
            (json!(1.5e-7), "0.00000015"),
            (json!(u64::MAX), "18446744073709551615"),
            (json!("007.10"), "7.1"),
            (json!(" 5. "), "5"),
            (json!("1.2e3"), "1200"),
            (json!("-0.0"), "0"),
        ] {
            assert_eq!(Decimal::of(&value).unwrap().to_string(), text, "{value}");
        }
        for value in ["", ".", "-", "1,5", "1e", "--1", "e5", "NaN", "1e99", "1e-99", "+1", "٣"] {
            assert_eq!(Decimal::of(&json!(value)), None, "{value}");
        }
    }

    #[test]
    fn fl_3_amounts_are_exact() {
        assert_eq!(decimal("0.1").plus(decimal("0.2")), Some(decimal("0.3")));
        assert_eq!(decimal("19.99").times(decimal("3")), Some(decimal("59.97")));
        assert_eq!(decimal("0.5").plus(decimal("-0.5")), Some(Decimal::ZERO));
        assert_eq!(decimal("9e30").times(decimal("9e30")), None);
        assert_eq!(
            (decimal("7").amount(), decimal("7.5").amount()),
            ("7.00".into(), "7.50".into())
        );
        assert_eq!(decimal("1.005").amount(), "1.005");
        assert_eq!((decimal("12.0").to_json(), decimal("0.30").to_json()), (json!(12), json!(0.3)));
    }

    proptest! {
        #[test]
        fn fl_3_amounts_survive_being_written(cents in any::<i64>(), scale in 0_u32..12) {
            let number = Decimal { digits: cents.into(), scale }.trimmed().unwrap();
            prop_assert_eq!(decimal(&number.to_string()), number);
        }

        #[test]
        fn fl_3_amounts_never_panic(left in "\\PC{0,20}|-?[0-9.]{1,45}(e-?[0-9]{1,12})?", right in "[0-9.]{1,39}") {
            if let (Some(left), Some(right)) = (Decimal::of(&json!(left)), Decimal::of(&json!(right))) {
                let _ = (left.plus(right), left.times(right), left.to_json(), right.amount());
            }
        }
    }
}
