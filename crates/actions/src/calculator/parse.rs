//! Reads an expression and computes it on the way.
//!
//! Tightest first: parentheses; `^` and `**`, from the right; signs (`-2^2` is -4, `2^-1` is 0.5);
//! `*`, `/` and `%`; `+` and `-`.

use super::CalcError;
use super::number::{Number, Result as Computed};

/// The deepest nesting of parentheses, signs and powers.
const MAX_DEPTH: usize = 128;

type Result = std::result::Result<Number, CalcError>;

/// Returns the value of an expression.
pub(super) fn evaluate(text: &str) -> Result {
    let mut reader = Reader { text, at: 0, depth: 0 };
    let number = reader.sum()?;
    match reader.peek() {
        None => Ok(number),
        Some(_) => Err(reader.unexpected("an operator or the end")),
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

impl<'a> Reader<'a> {
    fn sum(&mut self) -> Result {
        let mut left = self.product()?;
        while let Some(sign @ ('+' | '-')) = self.peek() {
            let offset = self.take(1);
            let right = self.product()?;
            let sum = if sign == '+' { left.add(right) } else { left.subtract(right) };
            left = at(offset, sum)?;
        }
        Ok(left)
    }

    fn product(&mut self) -> Result {
        let mut left = self.signed()?;
        while let Some(sign @ ('*' | '/' | '%')) = self.peek() {
            let offset = self.take(1);
            let right = self.signed()?;
            let product = match sign {
                '*' => left.multiply(right),
                '/' => left.divide(right),
                _ => left.remainder(right),
            };
            left = at(offset, product)?;
        }
        Ok(left)
    }

    fn signed(&mut self) -> Result {
        let Some(sign @ ('+' | '-')) = self.peek() else { return self.power() };
        let offset = self.take(1);
        let number = self.deeper(Self::signed)?;
        if sign == '-' { at(offset, number.negate()) } else { Ok(number) }
    }

    fn power(&mut self) -> Result {
        let base = self.operand()?;
        let length = match self.peek() {
            Some('^') => 1,
            Some('*') if self.rest().starts_with("**") => 2,
            _ => return Ok(base),
        };
        let offset = self.take(length);
        let exponent = self.deeper(Self::signed)?;
        at(offset, base.power(exponent))
    }

    fn operand(&mut self) -> Result {
        match self.peek() {
            Some('(') => self.group(),
            Some('0'..='9' | '.') => self.number(),
            _ => Err(self.unexpected("a number or `(`")),
        }
    }

    fn group(&mut self) -> Result {
        let open = self.take(1);
        let number = self.deeper(Self::sum)?;
        match self.peek() {
            Some(')') => {
                self.take(1);
                Ok(number)
            }
            None => Err(CalcError::new(open, "a parenthesis is not closed: the one")),
            Some(_) => Err(self.unexpected("an operator or `)`")),
        }
    }

    fn number(&mut self) -> Result {
        let start = self.at;
        let whole = self.digits();
        let point = self.rest().starts_with('.');
        if point {
            self.take(1);
        }
        let fraction = if point { self.digits() } else { 0 };
        if whole + fraction == 0 {
            return Err(CalcError::new(start, "expected digits beside the decimal point"));
        }
        let exponent = self.exponent()?;
        let written = self.text.get(start..self.at).unwrap_or_default();
        if !point && !exponent {
            let message = "the whole number has more digits than can be computed with";
            let number = written.parse().map_err(|_| CalcError::new(start, message))?;
            return Ok(Number::Whole(number));
        }
        match written.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(Number::Decimal(number)),
            _ => Err(CalcError::new(start, "the number is too large for a 64-bit float")),
        }
    }

    /// Reads `e` with its digits, if it is there.
    fn exponent(&mut self) -> std::result::Result<bool, CalcError> {
        let Some(after) = self.rest().strip_prefix(['e', 'E']) else { return Ok(false) };
        let signed = after.starts_with(['+', '-']);
        self.take(1 + usize::from(signed));
        if self.digits() == 0 {
            return Err(CalcError::new(self.at, "expected the digits of an exponent"));
        }
        Ok(true)
    }

    fn digits(&mut self) -> usize {
        let rest = self.rest();
        let count =
            rest.len() - rest.trim_start_matches(|digit: char| digit.is_ascii_digit()).len();
        self.take(count);
        count
    }

    fn deeper(&mut self, read: fn(&mut Self) -> Result) -> Result {
        if self.depth == MAX_DEPTH {
            let message = format!("the expression is nested deeper than {MAX_DEPTH}");
            return Err(CalcError::new(self.at, message));
        }
        self.depth += 1;
        let number = read(self);
        self.depth -= 1;
        number
    }

    /// Returns the next character that is not blank.
    fn peek(&mut self) -> Option<char> {
        let rest = self.rest();
        let begun = rest.trim_start();
        self.at += rest.len() - begun.len();
        begun.chars().next()
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Skips some bytes and returns where they began.
    fn take(&mut self, bytes: usize) -> usize {
        let start = self.at;
        self.at += bytes;
        start
    }

    fn unexpected(&mut self, expected: &str) -> CalcError {
        let found = match self.peek() {
            None => "the end".to_owned(),
            Some(character) if character.is_alphabetic() => format!("`{}`", self.word()),
            Some(character) if character.is_control() => character.escape_default().to_string(),
            Some(character) => format!("`{character}`"),
        };
        CalcError::new(self.at, format!("expected {expected}, found {found}"))
    }

    fn word(&self) -> String {
        self.rest().chars().take_while(|character| character.is_alphanumeric()).take(40).collect()
    }
}

fn at(offset: usize, computed: Computed) -> Result {
    computed.map_err(|message| CalcError::new(offset, message))
}
