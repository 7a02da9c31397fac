//! Budgets: the part of an item that may enter a prompt (AS-16).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The unit of a budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Measure {
    /// Tokens of the model's tokenizer.
    #[default]
    Tokens,
    /// Unicode scalar values.
    Chars,
}

/// The part of a text that stays when it does not fit.
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

/// A budget as the program wrote it: `2k` is `{amount: 2, unit: "k"}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WrittenBudget {
    /// The number before the unit.
    pub amount: u64,
    /// `"k"`, `"tokens"`, `"chars"` or `"k chars"`.
    pub unit: String,
}

/// The greatest size of an item in a prompt, including fence and marker, but not label and source
/// line (AS-16).
///
/// Its JSON also contains the form in a program, as AS-29 requires: `{"amount": 2, "unit": "k",
/// "limit": 2000, "measure": "tokens", "keep": "head"}`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(into = "BudgetRecord", from = "BudgetRecord")]
pub struct Budget {
    /// The limit in units of `measure`, always above zero when it comes from a program.
    pub limit: u64,
    /// The unit of `limit`.
    pub measure: Measure,
    /// The part that stays when the text does not fit.
    pub keep: Keep,
}

impl std::fmt::Display for Budget {
    /// Formats `2k`, `500` or `8k chars keep tail`, as a program writes it.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let written = self.written();
        let unit = match written.unit.as_str() {
            "tokens" => "",
            "chars" => " chars",
            unit => unit,
        };
        let keep = match self.keep {
            Keep::Head => "",
            Keep::Tail => " keep tail",
            Keep::Middle => " keep middle",
        };
        write!(f, "{}{unit}{keep}", written.amount)
    }
}

/// [`Budget`] in its JSON form.
#[derive(Serialize, Deserialize, JsonSchema)]
struct BudgetRecord {
    /// The number before the unit.
    amount: u64,
    /// `"k"`, `"tokens"`, `"chars"` or `"k chars"`.
    unit: String,
    /// The limit in units of `measure`.
    limit: u64,
    /// The unit of `limit`.
    measure: Measure,
    /// The part that stays when the text does not fit.
    keep: Keep,
}

impl From<Budget> for BudgetRecord {
    fn from(budget: Budget) -> Self {
        let WrittenBudget { amount, unit } = budget.written();
        let Budget { limit, measure, keep } = budget;
        Self { amount, unit, limit, measure, keep }
    }
}

impl From<BudgetRecord> for Budget {
    fn from(BudgetRecord { limit, measure, keep, .. }: BudgetRecord) -> Self {
        Self { limit, measure, keep }
    }
}

impl Budget {
    /// Creates a budget of `limit` tokens that keeps the head.
    #[must_use]
    pub const fn tokens(limit: u64) -> Self {
        Self { limit, measure: Measure::Tokens, keep: Keep::Head }
    }

    /// Creates a budget of `limit` characters that keeps the head.
    #[must_use]
    pub const fn chars(limit: u64) -> Self {
        Self { limit, measure: Measure::Chars, keep: Keep::Head }
    }

    /// Returns the budget with another part to keep.
    #[must_use]
    pub const fn keeping(self, keep: Keep) -> Self {
        Self { keep, ..self }
    }

    /// Returns the budget in the form of a program: thousands as `k`.
    #[must_use]
    pub fn written(self) -> WrittenBudget {
        let thousands = self.limit >= 1000 && self.limit.is_multiple_of(1000);
        let amount = if thousands { self.limit / 1000 } else { self.limit };
        let unit = match (self.measure, thousands) {
            (Measure::Tokens, true) => "k",
            (Measure::Tokens, false) => "tokens",
            (Measure::Chars, true) => "k chars",
            (Measure::Chars, false) => "chars",
        };
        WrittenBudget { amount, unit: unit.to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_29_budget_is_recorded_as_amount_and_unit() {
        let json = serde_json::to_value(Budget::tokens(2_000)).unwrap();
        assert_eq!(json["amount"], 2);
        assert_eq!(json["unit"], "k");
        assert_eq!(serde_json::from_value::<Budget>(json).unwrap(), Budget::tokens(2_000));
        let chars = Budget::chars(150).keeping(Keep::Tail);
        let json = serde_json::to_value(chars).unwrap();
        assert_eq!((&json["amount"], &json["unit"]), (&150.into(), &"chars".into()));
        assert_eq!(serde_json::from_value::<Budget>(json).unwrap(), chars);
    }
}
