//! The most that the model calls of a program may take (CA-5).

use contexture_core::profile::{Money, Profile};
use contexture_diagnostic::Span;
use serde_json::{Value, json};

/// The worst case of model calls. A number that nothing bounds is absent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ceiling {
    /// Requests that are answered.
    pub calls: Option<u64>,
    /// Tokens of their prompts.
    pub input: Option<u64>,
    /// Tokens of their answers.
    pub output: Option<u64>,
    /// Their price; absent, too, when a model has none.
    pub money: Option<Money>,
}

impl Ceiling {
    /// The worst case of nothing.
    pub const ZERO: Self =
        Self { calls: Some(0), input: Some(0), output: Some(0), money: Some(Money::ZERO) };

    /// Returns the numbers as JSON; an absent one is null.
    #[must_use]
    pub fn json(&self) -> Value {
        json!({
            "calls": self.calls,
            "input_tokens": self.input,
            "output_tokens": self.output,
            "money": self.money.map(Money::dollars),
        })
    }

    /// Returns the worst case of both.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        let add = |one: Option<u64>, other| Some(one?.saturating_add(other?));
        Self {
            calls: add(self.calls, other.calls),
            input: add(self.input, other.input),
            output: add(self.output, other.output),
            money: self.money.zip(other.money).map(|(one, other)| one.plus(other)),
        }
    }

    /// Returns the worst case of one of both, each number the greater one.
    #[must_use]
    pub fn dearer(self, other: Self) -> Self {
        let most = |one: Option<u64>, other| Some(one?.max(other?));
        Self {
            calls: most(self.calls, other.calls),
            input: most(self.input, other.input),
            output: most(self.output, other.output),
            money: self.money.zip(other.money).map(|(one, other)| one.max(other)),
        }
    }

    /// Returns the worst case of so many times this; absent means any number of times.
    #[must_use]
    pub fn times(self, times: Option<u64>) -> Self {
        if self == Self::ZERO || times == Some(0) {
            return Self::ZERO;
        }
        let many = |number: Option<u64>| match number {
            Some(0) => Some(0),
            number => Some(number?.saturating_mul(times?)),
        };
        let money = self.money.and_then(|money| match money {
            Money::ZERO => Some(money),
            money => times.map(|times| money.times(times)),
        });
        Self {
            calls: many(self.calls),
            input: many(self.input),
            output: many(self.output),
            money: money.filter(|_| times.is_some()),
        }
    }
}

/// A model as the analysis knows it.
#[derive(Debug, Clone)]
pub struct KnownModel {
    /// Its URI.
    pub uri: String,
    /// What is known of it.
    pub profile: Profile,
    /// True if its tokens are counted by its own tokenizer.
    pub is_exact: bool,
}

/// The worst case of one `generate`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SiteCost {
    /// The file, by the name of its source.
    pub file: String,
    /// The whole expression.
    pub span: Span,
    /// The URI of its model.
    pub model: String,
    /// True if the model's own tokenizer counts.
    pub is_exact: bool,
    /// True if the model has a price.
    pub is_priced: bool,
    /// What it may take each time.
    pub each: Ceiling,
    /// How often it may be reached.
    pub times: Option<u64>,
}

/// A part of a program whose cost nothing bounds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unbounded {
    /// The file, by the name of its source.
    pub file: String,
    /// The place.
    pub span: Span,
    /// The reason, and the way to bound it.
    pub reason: String,
}

/// The worst case of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CostFacts {
    /// All its model calls together.
    pub total: Ceiling,
    /// The model calls that can be reached, ordered by file and position.
    pub sites: Vec<SiteCost>,
    /// What nothing bounds, ordered by file and position.
    pub unbounded: Vec<Unbounded>,
}
