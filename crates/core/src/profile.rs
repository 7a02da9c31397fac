//! What is known of a model before it is asked: its sizes and its prices (CA-4, CA-5).
//!
//! Decision: money is a whole number of very small parts, so that sums of it are exact; it becomes
//! a decimal number where it is shown.

use contexture_context::TokenCounter;
use contexture_prompt::{OpenaiContentPart, Usage};

/// The rounds of tool calls of a model before it has to answer.
pub const TOOL_ROUNDS: u32 = 8;

/// The code of a call that does not fit a limit of cost.
pub const COST_LIMIT: &str = "COST_LIMIT";

/// The currency of all prices.
pub const CURRENCY: &str = "USD";

/// Room for an answer whose length nothing limits.
const USUAL_OUTPUT: u64 = 1_024;

/// The parts of a dollar that money is counted in.
const PARTS: f64 = 1e12;

/// An amount of money, in dollars.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Money(u128);

impl Money {
    /// Nothing.
    pub const ZERO: Self = Self(0);

    /// Returns an amount of dollars; `None` for one that is negative or not a number.
    ///
    /// ```
    /// use contexture_core::profile::Money;
    /// let price = Money::of_dollars(0.15).unwrap().times(2);
    /// assert_eq!(price.dollars(), 0.3);
    /// assert!(Money::of_dollars(-1.0).is_none());
    /// ```
    #[must_use]
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it was checked")]
    pub fn of_dollars(dollars: f64) -> Option<Self> {
        let parts = (dollars * PARTS).round();
        (dollars >= 0.0 && parts < 1e36).then_some(Self(parts as u128))
    }

    /// Returns the amount in dollars.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "it is shown, not summed")]
    pub fn dollars(self) -> f64 {
        self.0 as f64 / PARTS
    }

    /// Returns the amount in millionths of a dollar, rounded up.
    #[must_use]
    pub fn micros(self) -> u64 {
        u64::try_from(self.0.div_ceil(1_000_000)).unwrap_or(u64::MAX)
    }

    /// Returns the sum of two amounts.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    /// Returns what is left of an amount.
    #[must_use]
    pub const fn minus(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }

    /// Returns the amount so many times.
    #[must_use]
    pub const fn times(self, times: u64) -> Self {
        Self(self.0.saturating_mul(times as u128))
    }
}

/// The prices of one token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Price {
    /// Of the prompt.
    pub input: Money,
    /// Of the part of the prompt in the server's cache.
    pub cached: Money,
    /// Of the answer.
    pub output: Money,
}

impl Price {
    /// The prices of a model that costs nothing.
    pub const FREE: Self = Self { input: Money::ZERO, cached: Money::ZERO, output: Money::ZERO };

    /// Returns what tokens cost; cached ones are part of the prompt.
    #[must_use]
    pub fn of(&self, usage: Usage) -> Money {
        let cached = usage.cached_tokens.unwrap_or_default().min(usage.prompt_tokens);
        let input = self.input.times(usage.prompt_tokens - cached);
        input.plus(self.cached.times(cached)).plus(self.output.times(usage.completion_tokens))
    }

    /// Returns the most that tokens may cost, whether they are cached or not.
    #[must_use]
    pub fn worst(&self, input: u64, output: u64) -> Money {
        self.input.max(self.cached).times(input).plus(self.output.times(output))
    }
}

/// What is known of a model; a part that is not known is absent.
#[derive(Debug, Clone, Copy, Default)]
pub struct Profile {
    /// Tokens that prompt and answer may take together.
    pub window: Option<u64>,
    /// Tokens that an answer may take.
    pub max_output: Option<u64>,
    /// Tokens that a picture takes at most.
    pub picture: Option<u64>,
    /// The counter of its tokens.
    pub tokenizer: Option<&'static dyn TokenCounter>,
    /// Its prices.
    pub price: Option<Price>,
}

impl Profile {
    /// Returns the profile with the parts of another where its own are not known.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self {
            window: self.window.or(other.window),
            max_output: self.max_output.or(other.max_output),
            picture: self.picture.or(other.picture),
            tokenizer: self.tokenizer.or(other.tokenizer),
            price: self.price.or(other.price),
        }
    }

    /// Returns the most tokens of the parts of a prompt that are not text; `None` when nothing
    /// bounds them.
    #[must_use]
    pub fn media<'p>(&self, parts: impl IntoIterator<Item = &'p OpenaiContentPart>) -> Option<u64> {
        let of = |part: &OpenaiContentPart| match part {
            OpenaiContentPart::ImageUrl { .. } => self.picture,
            OpenaiContentPart::InputAudio { .. } | OpenaiContentPart::File { .. } => None,
            _ => Some(0),
        };
        parts.into_iter().map(of).try_fold(0, |sum: u64, own| Some(sum.saturating_add(own?)))
    }

    /// Returns the most tokens of an answer for which `asked` are allowed; `None` when nothing
    /// bounds it.
    #[must_use]
    pub fn output(&self, asked: Option<u64>) -> Option<u64> {
        least(asked, self.max_output.or(self.window))
    }

    /// Returns the most tokens of a prompt of `max_input` tokens before such an answer: what the
    /// window leaves. `None` when nothing bounds it.
    #[must_use]
    pub fn input(&self, max_input: Option<u64>, asked: Option<u64>) -> Option<u64> {
        let left = self.window.map(|window| {
            let usual = match self.max_output {
                Some(own) if own <= window / 2 => own,
                Some(_) => window / 4,
                None => USUAL_OUTPUT.min(window / 4),
            };
            let output = asked.map_or(usual, |asked| asked.min(self.max_output.unwrap_or(asked)));
            window.saturating_sub(output).max(window / 4)
        });
        least(max_input, left)
    }
}

/// Returns the smaller of two bounds, if there is one.
fn least(one: Option<u64>, other: Option<u64>) -> Option<u64> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn price() -> Price {
        let money = |dollars| Money::of_dollars(dollars).unwrap();
        Price { input: money(2.5e-6), cached: money(1.25e-6), output: money(1e-5) }
    }

    #[test]
    fn ca_5_cached_tokens_have_their_own_price() {
        let plain = Usage::new(1_000, 100);
        assert_eq!(price().of(plain).dollars(), 0.003_5);
        let cached = Usage { cached_tokens: Some(400), ..plain };
        assert_eq!(price().of(cached).dollars(), 0.003);
        let more = Usage { cached_tokens: Some(4_000), ..plain };
        assert_eq!(price().of(more).dollars(), 0.002_25, "no more is cached than was sent");
        assert_eq!(price().worst(1_000, 100), price().of(plain));
    }

    #[test]
    fn ca_4_prompt_may_take_what_the_answer_leaves_of_the_window() {
        let profile = Profile { window: Some(4_096), ..Profile::default() };
        assert_eq!(profile.input(None, Some(200)), Some(3_896));
        assert_eq!(profile.input(None, None), Some(3_072));
        assert_eq!(profile.input(Some(9_000), Some(200)), Some(3_896));
        assert_eq!(profile.input(Some(90), Some(200)), Some(90));
        assert_eq!(profile.input(None, Some(9_000)), Some(1_024), "a prompt is never empty");
        let hosted = Profile { max_output: Some(16_384), window: Some(128_000), ..profile };
        assert_eq!(hosted.input(None, None), Some(111_616));
        assert_eq!(hosted.output(None), Some(16_384));
        assert_eq!(hosted.output(Some(99_999)), Some(16_384));
        assert_eq!(Profile::default().input(None, Some(5)), None);
        assert_eq!(Profile::default().output(Some(5)), Some(5));
    }
}
