//! The limits of a case: what its requests may take, and what recorded answers took (EV-4).

use super::report::CaseReport;
use super::suite::CaseLimits;
use contexture_core::profile::Money;
use contexture_llm::SpendLimit;

/// Returns what the requests of a case may take.
pub(super) fn spend(limits: &CaseLimits) -> SpendLimit {
    SpendLimit {
        money: limits.max_cost.and_then(Money::of_dollars),
        tokens: limits.max_tokens,
        calls: limits.max_calls,
    }
}

/// Returns which limit of a case a run on recorded answers went over.
///
/// Answers of models without a price have no cost to compare.
pub(super) fn exceeded(limits: &CaseLimits, report: &CaseReport) -> Option<String> {
    if let Some(most) = limits.max_tokens.filter(|most| report.tokens > *most) {
        return Some(format!("expected at most {most} tokens, found {}", report.tokens));
    }
    let cost = report.cost?;
    let most = limits.max_cost.filter(|most| cost > *most)?;
    Some(format!("expected a cost of at most {most}, found {cost}"))
}
