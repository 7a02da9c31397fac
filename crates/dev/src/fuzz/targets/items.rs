//! Items under budgets, in their fences.

use super::hold;
use contexture_context::build::{build_item, fit};
use contexture_context::fence::Fence;
use contexture_context::tokens::{Chars, Words, tokenizer_for};
use contexture_context::{Budget, ContextItem, DeclaredItem, Keep, Measure, TokenCounter, Trust};
use serde_json::Value;

pub(super) const WORDS: &[&str] = &[
    "</untrusted_data>",
    "<untrusted_data trust=\"program\">",
    "[/INST]",
    "<|im_end|>",
    "system:",
    "# Instruction",
    "&lt;/untrusted_data&gt;",
    "\\u003c",
    "… [clipped: 7 of 11 tokens]",
    "```",
    "<\u{200b}/untrusted_data>",
    "\u{ff1c}/untrusted_data>",
    "</UNTRUSTED_DATA",
    "\r",
    "Human:",
];

const TRUSTS: [Trust; 5] = [Trust::Web, Trust::Tool, Trust::Memory, Trust::Model, Trust::Program];

/// Texts with the way they are cut, which a sum of their bytes gives.
struct Case {
    budget: u64,
    keep: Keep,
    measure: Measure,
    max: u64,
    texts: Vec<String>,
}

impl Case {
    fn of(input: &[u8]) -> Self {
        let mut sum = 0_u64;
        for byte in input {
            sum = sum.wrapping_mul(31).wrapping_add(u64::from(*byte));
        }
        let text = String::from_utf8_lossy(input);
        Self {
            budget: sum % 120,
            keep: if sum & 1 == 0 { Keep::Head } else { Keep::Tail },
            measure: if sum & 2 == 0 { Measure::Tokens } else { Measure::Chars },
            max: (sum >> 8) % 400,
            texts: text.split("\n\n").take(4).map(str::to_owned).collect(),
        }
    }

    fn declared(&self, at: usize, text: &str) -> DeclaredItem {
        let value = serde_json::from_str(text).unwrap_or_else(|_| Value::from(text));
        DeclaredItem {
            label: Some("item".to_owned()),
            source: "item".to_owned(),
            position: None,
            value,
            budget: Some(Budget { measure: self.measure, ..Budget::tokens(self.budget) }),
            keep: self.keep,
            priority: 0,
            question: None,
            origin: TRUSTS.get(at % TRUSTS.len()).copied().unwrap_or_default().into(),
            fence: None,
        }
    }
}

pub(super) fn items(input: &[u8]) -> Result<String, String> {
    let case = Case::of(input);
    let counters: [&dyn TokenCounter; 3] = [&Words, &Chars, tokenizer_for("gpt-4o")];
    let mut seen = Vec::new();
    for text in &case.texts {
        escapes(text)?;
    }
    for counter in counters {
        let declare = |(at, text): (usize, &String)| case.declared(at, text);
        let declared: Vec<DeclaredItem> = case.texts.iter().enumerate().map(declare).collect();
        for (at, one) in declared.iter().enumerate() {
            let Ok(item) = build_item(at, one, counter) else { continue };
            kept(&item, counter)?;
            seen.push(format!("{}{}", item.clipped, item.left_out()));
        }
        let sum = |items: &[ContextItem]| {
            items
                .iter()
                .filter(|item| !item.left_out())
                .map(|item| counter.count(&item.text) as u64)
                .sum()
        };
        if let Ok(items) = fit(&declared, Some(case.max), counter, sum) {
            hold(sum(&items) <= case.max, || format!("too long: {} of {}", sum(&items), case.max))?;
            for item in &items {
                kept(item, counter)?;
            }
        }
    }
    seen.sort();
    seen.dedup();
    Ok(format!("{} {:?} {:?} {}", case.texts.len(), case.keep, case.measure, seen.join(" ")))
}

fn escapes(text: &str) -> Result<(), String> {
    let fence = Fence::data(Trust::Web);
    let safe = fence.escape(text).into_owned();
    hold(fence.escape(&safe) == safe, || format!("escaping is not idempotent: {safe:?}"))?;
    hold(safe.replace('\\', "") == text.replace('\\', ""), || format!("a text is lost: {safe:?}"))?;
    whole(&fence.wrap(text))
}

/// Checks the budget and the fence of a finished item.
fn kept(item: &ContextItem, counter: &dyn TokenCounter) -> Result<(), String> {
    let tokens = counter.count(&item.text) as u64;
    hold(item.left_out() || item.tokens == tokens, || {
        format!("{} tokens are counted, {tokens} are there", item.tokens)
    })?;
    if item.left_out() {
        return Ok(());
    }
    if let Some(budget) = &item.budget {
        let size = match budget.measure {
            Measure::Tokens => tokens,
            _ => item.text.chars().count() as u64,
        };
        hold(size <= budget.limit, || {
            format!("the budget is not kept: {size} of {} in {:?}", budget.limit, item.text)
        })?;
    }
    if item.trust.is_fenced() && !item.text.is_empty() { whole(&item.text) } else { Ok(()) }
}

/// Checks that a text stands in one fence, which ends at its end.
fn whole(text: &str) -> Result<(), String> {
    let small = text.to_ascii_lowercase();
    let (opened, closed) = ("<untrusted_data", "</untrusted_data");
    let is_fenced = text.starts_with(opened) && text.ends_with("</untrusted_data>");
    let is_once = small.matches(opened).count() == 1 && small.matches(closed).count() == 1;
    hold(is_fenced && is_once, || format!("the fence is broken: {text:?}"))
}
