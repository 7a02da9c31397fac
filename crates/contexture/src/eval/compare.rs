//! The comparison of two evals, case by case, with an exact test (EV-6).
//!
//! Decision: a case counts by itself alone, so that hard and easy cases do not blur each other: of
//! the cases that differ, as many would be better as worse if nothing had changed.

use super::report::{Outcome, Report};
use serde::Serialize;
use std::collections::BTreeMap;

/// The greatest probability at which two evals are told apart.
const LEVEL: f64 = 0.05;

/// The steps of a search for a bound: more than a number of 64 bits has digits.
const STEPS: usize = 60;

/// What became better and worse between two evals.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Comparison {
    /// The number of cases that pass more often.
    pub better: usize,
    /// The number of cases that pass less often.
    pub worse: usize,
    /// The number of the others.
    pub same: usize,
    /// The probability of a difference as large if nothing had changed, by the exact sign test.
    pub p: f64,
    /// The bounds of the difference of better and worse by all cases, at 95 %; absent without cases.
    pub interval: Option<[f64; 2]>,
    /// What follows.
    pub verdict: Direction,
    /// The names of the cases that are better.
    pub better_cases: Vec<String>,
    /// The names of the cases that are worse.
    pub worse_cases: Vec<String>,
    /// The number of cases that only one of both has, or that did not run in one.
    pub unpaired: usize,
}

/// The verdict of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum Direction {
    /// The second is better.
    #[serde(rename = "better")]
    Better,
    /// The second is worse.
    #[serde(rename = "worse")]
    Worse,
    /// The cases do not show it.
    #[serde(rename = "not told apart")]
    NotToldApart,
}

impl Direction {
    /// Returns its words.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Better => "better",
            Self::Worse => "worse",
            Self::NotToldApart => "not told apart",
        }
    }
}

/// File, name and variant of a case.
type Key<'r> = (&'r str, &'r str, Option<&'r str>);

/// The times that a case passed, and the times that it ran.
type Passes = (usize, usize);

/// Compares two evals. A case belongs to the one of the same file, name and variant.
#[must_use]
pub fn compare(before: &Report, after: &Report) -> Comparison {
    let (before, after) = (passes(before), passes(after));
    let (mut better_cases, mut worse_cases, mut same) = (Vec::new(), Vec::new(), 0);
    for (key, (passed, ran)) in &before {
        let Some((passed_after, ran_after)) = after.get(key) else { continue };
        // As shares, without fractions.
        match (passed_after * ran).cmp(&(passed * ran_after)) {
            std::cmp::Ordering::Greater => better_cases.push(title(key)),
            std::cmp::Ordering::Less => worse_cases.push(title(key)),
            std::cmp::Ordering::Equal => same += 1,
        }
    }
    let unpaired = before.keys().filter(|key| !after.contains_key(*key)).count()
        + after.keys().filter(|key| !before.contains_key(*key)).count();
    let (better, worse) = (better_cases.len(), worse_cases.len());
    let p = sign_test(better, worse);
    let verdict = match better.cmp(&worse) {
        std::cmp::Ordering::Greater if p < LEVEL => Direction::Better,
        std::cmp::Ordering::Less if p < LEVEL => Direction::Worse,
        _ => Direction::NotToldApart,
    };
    let interval = bounds(better, worse, better + worse + same, LEVEL / 2.0);
    Comparison { better, worse, same, p, interval, verdict, better_cases, worse_cases, unpaired }
}

fn passes(report: &Report) -> BTreeMap<Key<'_>, Passes> {
    let mut passes: BTreeMap<Key<'_>, Passes> = BTreeMap::new();
    for suite in &report.suites {
        for case in suite.cases.iter().filter(|case| case.outcome != Outcome::Skipped) {
            let key = (suite.file.as_str(), case.name.as_str(), case.variant.as_deref());
            let (passed, ran) = passes.entry(key).or_default();
            *passed += usize::from(case.outcome == Outcome::Passed);
            *ran += 1;
        }
    }
    passes
}

fn title((file, name, variant): &Key<'_>) -> String {
    match variant {
        Some(variant) => format!("{file}: {name} · {variant}"),
        None => format!("{file}: {name}"),
    }
}

/// Returns the probability of a difference as large as that of `better` and `worse`, on either side,
/// if both were as likely.
#[must_use]
pub(super) fn sign_test(better: usize, worse: usize) -> f64 {
    let p = (2.0 * at_most(better.min(worse), better + worse, 0.5)).min(1.0);
    // Sums of logarithms are exact to about that many digits.
    (p * 1e12).round() / 1e12
}

/// Returns the probability of as many better ones or more, if better and worse were as likely.
#[must_use]
pub(super) fn one_sided(better: usize, worse: usize) -> f64 {
    at_most(worse, better + worse, 0.5)
}

/// Returns the bounds of the difference of better and worse by all cases, each wrong with probability
/// `tail`: the exact ones of the share of better among those that differ. Where none differs, the
/// share that may all the same.
#[must_use]
#[allow(clippy::cast_precision_loss, reason = "there are fewer cases")]
pub(super) fn bounds(better: usize, worse: usize, all: usize, tail: f64) -> Option<[f64; 2]> {
    let differing = better + worse;
    if all == 0 {
        return None;
    }
    if differing == 0 {
        let most = 1.0 - tail.powf(1.0 / all as f64);
        return Some([-most, most]);
    }
    let [low, high] = share(better, differing, tail);
    let part = differing as f64 / all as f64;
    Some([(2.0 * low - 1.0) * part, (2.0 * high - 1.0) * part])
}

/// Returns the exact bounds of a share of which `hits` of `all` were seen (Clopper and Pearson).
fn share(hits: usize, all: usize, tail: f64) -> [f64; 2] {
    let low = if hits == 0 { 0.0 } else { found(|p| 1.0 - at_most(hits - 1, all, p) < tail) };
    let high = if hits >= all { 1.0 } else { found(|p| at_most(hits, all, p) > tail) };
    [low, high]
}

/// Returns the greatest probability for which something holds that holds up to it.
fn found(holds: impl Fn(f64) -> bool) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..STEPS {
        let middle = f64::midpoint(low, high);
        if holds(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    f64::midpoint(low, high)
}

/// Returns the probability of at most `hits` of `all`, each with probability `p`.
#[allow(clippy::cast_precision_loss, reason = "there are fewer cases")]
fn at_most(hits: usize, all: usize, p: f64) -> f64 {
    if p <= 0.0 || hits >= all {
        return 1.0;
    }
    if p >= 1.0 {
        return 0.0;
    }
    // The terms are added as logarithms: the first of many cases is too small for a number.
    let (yes, no) = (p.ln(), (-p).ln_1p());
    let mut term = all as f64 * no;
    let mut sum = term.exp();
    for hit in 1..=hits {
        term += ((all - hit + 1) as f64 / hit as f64).ln() + yes - no;
        sum += term.exp();
    }
    sum.min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn report(cases: &[(&str, &str)]) -> Report {
        let cases: Vec<_> = cases
            .iter()
            .map(|(name, outcome)| {
                json!({ "name": name, "variant": null, "outcome": outcome, "expectations": [],
                    "run": null, "tokens": 0, "cost": null })
            })
            .collect();
        serde_json::from_value(json!({ "suites": [{ "file": "a", "cases": cases }] })).unwrap()
    }

    fn near(left: f64, right: f64) {
        assert!((left - right).abs() < 1e-6, "{left} {right}");
    }

    #[test]
    fn ev_6_sign_test_and_bounds_are_exact() {
        // As `binom.test` of R has them.
        near(sign_test(6, 0), 0.03125);
        near(sign_test(5, 0), 0.0625);
        near(sign_test(8, 2), 0.109_375);
        near(sign_test(60, 40), 0.056_887_933_640_980_78);
        near(sign_test(0, 0), 1.0);
        let [low, high] = share(8, 10, 0.025);
        near(low, 0.443_904_5);
        near(high, 0.974_789_3);
        near(share(0, 10, 0.025)[1], 0.308_497_1);
        assert!(sign_test(30_000, 20_000) < 1e-10);
    }

    #[test]
    fn ev_6_few_cases_are_not_told_apart() {
        let before = report(&[("a", "failed"), ("b", "failed"), ("c", "passed"), ("d", "error")]);
        let after = report(&[("a", "passed"), ("b", "passed"), ("c", "passed"), ("e", "passed")]);
        let found = compare(&before, &after);
        assert_eq!((found.better, found.worse, found.same, found.unpaired), (2, 0, 1, 2));
        assert_eq!(found.verdict, Direction::NotToldApart);
        assert_eq!(found.better_cases, ["a: a", "a: b"]);
        let [low, high] = found.interval.unwrap();
        assert!(low < 0.0 && high > 0.0, "{low} {high}");
        let none = compare(&report(&[]), &report(&[]));
        assert_eq!((none.p, none.interval), (1.0, None));
    }

    #[test]
    fn ev_6_clear_change_is_told_and_skipped_cases_do_not_count() {
        let names = ["a", "b", "c", "d", "e", "f"];
        let of = |outcome| names.map(|name| (name, outcome));
        let found = compare(&report(&of("failed")), &report(&of("passed")));
        assert_eq!((found.verdict, found.p), (Direction::Better, 0.03125));
        assert!(found.interval.unwrap()[0] > 0.0);
        let found = compare(&report(&of("passed")), &report(&of("error")));
        assert_eq!(found.verdict, Direction::Worse);
        let found = compare(&report(&of("passed")), &report(&of("skipped")));
        assert_eq!((found.same, found.unpaired), (0, 6));
    }

    #[test]
    fn ev_6_repeated_case_counts_by_share_of_passes() {
        let before = report(&[("a", "passed"), ("a", "failed"), ("b", "passed"), ("b", "failed")]);
        let after = report(&[("a", "passed"), ("b", "passed"), ("b", "failed")]);
        let found = compare(&before, &after);
        assert_eq!((found.better, found.worse, found.same), (1, 0, 1));
    }
}
