//! Budgets: how much of an item may enter a prompt (AS-16).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a budget counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Measure {
    /// Tokens of the model's tokenizer.
    #[default]
    Tokens,
    /// Unicode scalar values.
    Chars,
}

/// Which part of a text stays when it does not fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Keep {
    /// The beginning.
    #[default]
    Head,
    /// The end.
    Tail,
    /// The middle.
    Middle,
}

/// The budget as the program wrote it: `2k` is `{amount: 2, unit: "k"}`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WrittenBudget {
    /// The number before the unit.
    pub amount: f64,
    /// `"k"`, `"tokens"`, `"chars"` or `"k chars"`.
    pub unit: String,
}

/// The most that one item may take in a prompt: fence and marker included, label and source line
/// not (AS-16).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Budget {
    /// The limit in units of `measure`, always above zero when it comes from a program.
    pub limit: u64,
    /// What `limit` counts.
    pub measure: Measure,
    /// What stays when the text does not fit.
    pub keep: Keep,
}

impl Budget {
    /// A budget of `limit` tokens that keeps the head.
    #[must_use]
    pub const fn tokens(limit: u64) -> Self {
        Self { limit, measure: Measure::Tokens, keep: Keep::Head }
    }

    /// A budget of `limit` characters that keeps the head.
    #[must_use]
    pub const fn chars(limit: u64) -> Self {
        Self { limit, measure: Measure::Chars, keep: Keep::Head }
    }

    /// The same budget, keeping another part.
    #[must_use]
    pub const fn keeping(self, keep: Keep) -> Self {
        Self { keep, ..self }
    }

    /// The budget in the words of a program: thousands as `k`.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "budgets are far below 2^52")]
    pub fn written(self) -> WrittenBudget {
        let thousands = self.limit >= 1000 && self.limit.is_multiple_of(1000);
        let amount = if thousands { self.limit / 1000 } else { self.limit } as f64;
        let unit = match (self.measure, thousands) {
            (Measure::Tokens, true) => "k",
            (Measure::Tokens, false) => "tokens",
            (Measure::Chars, true) => "k chars",
            (Measure::Chars, false) => "chars",
        };
        WrittenBudget { amount, unit: unit.to_owned() }
    }
}
