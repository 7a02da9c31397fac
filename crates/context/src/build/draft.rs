//! One item on its way into a prompt: its value as text, stored so that it can be cut again.

use crate::budget::{Budget, Measure};
use crate::cut::{self, EXACT_BYTES, Kept, Parts, Ruler};
use crate::digest::{Digest, canonical_json};
use crate::fence::{Fence, escape_layout};
use crate::item::{ContextItem, CutReason, CutRecord, DeclaredItem};
use crate::json::JsonText;
use crate::limits::Limits;
use crate::tokens::{Chars, TokenCounter};
use serde_json::Value;

/// A value that cannot become an item.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{expression}` is nested more than {limit} levels deep; `use` a part of it")]
pub struct TooDeep {
    /// The item's source expression.
    pub expression: String,
    /// The greatest nesting allowed.
    pub limit: usize,
}

pub(super) struct Draft<'a> {
    index: usize,
    declared: &'a DeclaredItem,
    counter: &'a dyn TokenCounter,
    parts: Parts,
    fence: Option<Fence>,
    /// The item under its own budget.
    own: Made,
    /// The value that was made for its own budget, in place of a cut.
    short: Option<Value>,
    tokens_before: u64,
    tokens_before_exact: bool,
    value: JsonText,
    value_digest: Digest,
}

#[derive(Debug, Clone, Default)]
struct Made {
    text: String,
    tokens: u64,
    clipped: bool,
    /// The number of tokens removed from the value.
    removed: u64,
    left_out: bool,
    kept: Option<Kept>,
}

impl<'a> Draft<'a> {
    pub(super) fn new(
        index: usize,
        declared: &'a DeclaredItem,
        counter: &'a dyn TokenCounter,
    ) -> Result<Self, TooDeep> {
        check_depth(declared)?;
        let value = JsonText::written(canonical_json(&declared.value));
        let mut draft = Self {
            index,
            declared,
            counter,
            parts: Parts::of(&declared.value),
            fence: declared.fence.clone().or_else(|| {
                declared.origin.trust.is_fenced().then(|| Fence::data(declared.origin.trust))
            }),
            own: Made::default(),
            short: None,
            tokens_before: 0,
            tokens_before_exact: true,
            value_digest: Digest::of_text(value.as_str()),
            value,
        };
        draft.apply_own_budget();
        Ok(draft)
    }

    /// Returns the item under its own budget and at most `room` tokens.
    pub(super) fn item(&self, room: Option<u64>) -> ContextItem {
        match room.filter(|room| self.own.tokens > *room) {
            Some(room) => self.yielded(room, self.within_both(self.prompt_budget(room))),
            None => match &self.short {
                Some(value) => with_value(self.finish(self.own.clone(), None), value),
                None => self.finish(self.own.clone(), None),
            },
        }
    }

    /// Returns the tokens that its own budget has room for, when it is cut by that.
    pub(super) fn room_when_cut(&self) -> Option<u64> {
        let budget = self.declared.budget.filter(|_| self.own.clipped)?;
        Some(match budget.measure {
            Measure::Tokens => budget.limit,
            Measure::Chars => self.own.tokens,
        })
    }

    /// Takes another value in place of the one that its own budget cuts, if it fits.
    pub(super) fn shorten(&mut self, value: String) {
        let text = self.dress(&value);
        let tokens = to_u64(self.counter.count(&text));
        if value.is_empty() || self.declared.budget.is_none_or(|own| !holds(own, &text, tokens)) {
            return;
        }
        let removed = self.tokens_before.saturating_sub(tokens);
        self.own = Made { text, tokens, clipped: true, removed, ..Made::default() };
        self.short = Some(Value::String(value));
    }

    /// Returns the item without any of it in the prompt.
    pub(super) fn left_out(&self) -> ContextItem {
        self.yielded(0, self.nothing())
    }

    /// Returns the item with another value of this size; left out if that does not fit.
    pub(super) fn made_anew(&self, value: String, room: u64) -> ContextItem {
        let text = self.dress(&value);
        let tokens = to_u64(self.counter.count(&text));
        let own = self.declared.budget;
        if value.is_empty() || tokens > room || own.is_some_and(|own| !holds(own, &text, tokens)) {
            return self.left_out();
        }
        let removed = self.own.tokens.saturating_sub(tokens);
        let made = Made { text, tokens, clipped: true, removed, ..Made::default() };
        let record = made.record(CutReason::PromptBudget, self.prompt_budget(room), 0);
        with_value(self.finish(made, Some(record)), &Value::String(value))
    }

    fn yielded(&self, room: u64, made: Made) -> ContextItem {
        let budget = self.prompt_budget(room);
        let record = made.record(CutReason::PromptBudget, budget, self.own.removed);
        self.finish(made, Some(record))
    }

    fn prompt_budget(&self, room: u64) -> Budget {
        let keep = self.declared.budget.map_or(self.declared.keep, |budget| budget.keep);
        Budget::tokens(room).keeping(keep)
    }

    fn finish(&self, made: Made, prompt_cut: Option<CutRecord>) -> ContextItem {
        let own_budget = self.declared.budget.filter(|_| self.own.clipped);
        let own_cut = own_budget.map(|budget| self.own.record(CutReason::ItemBudget, budget, 0));
        let cuts: Vec<_> = own_cut.into_iter().chain(prompt_cut).collect();
        let declared = self.declared;
        ContextItem {
            index: self.index,
            label: declared.label.clone(),
            source: declared.source.clone(),
            position: declared.position.clone(),
            value: self.value.clone(),
            digest: Digest::of_text(&made.text),
            text: made.text,
            tokens: made.tokens,
            tokens_before: self.tokens_before,
            tokens_before_exact: self.tokens_before_exact,
            budget: declared.budget,
            priority: declared.priority,
            trust: declared.origin.trust,
            clipped: !cuts.is_empty(),
            cuts,
            value_digest: self.value_digest.clone(),
        }
    }

    fn apply_own_budget(&mut self) {
        let bytes = self.parts.text().len();
        if self.declared.budget.is_none() || bytes <= EXACT_BYTES {
            let text = self.dress(&self.parts.text());
            let tokens = to_u64(self.counter.count(&text));
            self.tokens_before = tokens;
            let fits = self.declared.budget.is_none_or(|budget| holds(budget, &text, tokens));
            self.own = if let Some(budget) = self.declared.budget.filter(|_| !fits) {
                self.within(budget)
            } else {
                Made { text, tokens, ..Made::default() }
            };
        } else if let Some(budget) = self.declared.budget {
            let (tokens, _) = cut::estimate(&self.parts.text(), self.counter);
            let fence = self.dressing(Ruler::new(Measure::Tokens, self.counter));
            self.own = self.within(budget);
            self.tokens_before_exact = !self.own.clipped;
            self.tokens_before =
                if self.own.clipped { to_u64(tokens + fence) } else { self.own.tokens };
        }
    }

    fn dress(&self, text: &str) -> String {
        match &self.fence {
            Some(fence) => fence.wrap(text),
            None => escape_layout(text).into_owned(),
        }
    }

    fn dressing(&self, ruler: Ruler<'_>) -> usize {
        self.fence.as_ref().map_or(0, |fence| {
            ruler.count(&format!("{}\n", fence.open()))
                + ruler.count(&format!("\n{}", fence.close()))
        })
    }

    /// Cuts until the dressed text fits, as [`cut`](mod@cut) does for the bare one.
    fn within(&self, budget: Budget) -> Made {
        let ruler = Ruler::new(budget.measure, self.counter);
        let limit = to_usize(budget.limit);
        let mut room = limit.saturating_sub(self.dressing(ruler));
        let mut step = 1_usize;
        loop {
            let cut = self.parts.cut(room, budget.measure, budget.keep, self.counter);
            if cut.clipped && cut.text.is_empty() {
                return self.nothing();
            }
            let text = self.dress(&cut.text);
            let count = ruler.count(&text);
            if count <= limit {
                let clipped = cut.clipped;
                let removed = match budget.measure {
                    Measure::Tokens => to_u64(cut.removed),
                    Measure::Chars => self.tokens_gone(&cut.text, clipped),
                };
                let tokens = to_u64(self.counter.count(&text));
                return Made { text, tokens, clipped, removed, left_out: false, kept: cut.kept };
            }
            if room == 0 {
                return self.nothing();
            }
            room = room.saturating_sub((count - limit).max(step));
            step = step.saturating_mul(2);
        }
    }

    /// Cuts under a prompt's budget and the item's own at once.
    fn within_both(&self, budget: Budget) -> Made {
        let mut limit = budget.limit;
        loop {
            let made = self.within(Budget { limit, ..budget });
            let own = self.declared.budget;
            if own.is_none_or(|own| holds(own, &made.text, made.tokens)) {
                return made;
            }
            limit = limit - limit.div_ceil(8);
        }
    }

    fn nothing(&self) -> Made {
        let (removed, _) = cut::estimate(&self.parts.text(), self.counter);
        Made { clipped: true, removed: to_u64(removed), left_out: true, ..Made::default() }
    }

    fn tokens_gone(&self, kept: &str, clipped: bool) -> u64 {
        if !clipped {
            return 0;
        }
        let (whole, _) = cut::estimate(&self.parts.text(), self.counter);
        to_u64(whole.saturating_sub(self.counter.count(kept)))
    }
}

impl Made {
    fn record(&self, reason: CutReason, budget: Budget, removed_before: u64) -> CutRecord {
        let removed = self.removed.saturating_sub(removed_before);
        CutRecord { reason, budget, removed, left_out: self.left_out, kept: self.kept }
    }
}

/// Returns an item with another value.
fn with_value(item: ContextItem, value: &Value) -> ContextItem {
    let value = JsonText::written(canonical_json(value));
    ContextItem { value_digest: Digest::of_text(value.as_str()), value, ..item }
}

fn holds(budget: Budget, text: &str, tokens: u64) -> bool {
    match budget.measure {
        Measure::Tokens => tokens <= budget.limit,
        Measure::Chars => to_u64(Chars.count(text)) <= budget.limit,
    }
}

fn to_u64(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}

fn to_usize(limit: u64) -> usize {
    usize::try_from(limit).unwrap_or(usize::MAX)
}

fn check_depth(declared: &DeclaredItem) -> Result<(), TooDeep> {
    let limit = Limits::default().value_depth;
    let mut open = vec![(&declared.value, 0)];
    while let Some((value, depth)) = open.pop() {
        if depth > limit {
            return Err(TooDeep { expression: declared.source.clone(), limit });
        }
        match value {
            Value::Array(items) => open.extend(items.iter().map(|item| (item, depth + 1))),
            Value::Object(fields) => open.extend(fields.values().map(|field| (field, depth + 1))),
            _ => {}
        }
    }
    Ok(())
}
