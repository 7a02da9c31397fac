//! The report of tests on a terminal.

use super::matrix;
use crate::output::text::{dollars, grouped, one_line};
use crate::prelude::*;
use contexture::eval::{CaseReport, Outcome, Report};

/// Returns a report as lines: a case each, with what is wrong with it below. Where cases have variants,
/// they stand in a matrix, and only what did not pass has its line.
pub(super) fn text(report: &Report, paint: Paint) -> String {
    let mut text = String::new();
    for suite in &report.suites {
        // Writing to a string can't fail.
        let _ = writeln!(text, "{}", paint.bold(&one_line(&suite.file)));
        let matrix = matrix::text(suite, paint);
        let is_listed = |case: &&CaseReport| matrix.is_none() || case.outcome != Outcome::Passed;
        text.push_str(matrix.as_deref().unwrap_or_default());
        suite.cases.iter().filter(is_listed).for_each(|case| write_case(&mut text, case, paint));
    }
    let _ = writeln!(text, "{}", summary(report));
    text
}

fn write_case(text: &mut String, case: &CaseReport, paint: Paint) {
    let word = case.outcome.word();
    let word = match case.outcome {
        Outcome::Passed => paint.green(word),
        Outcome::Skipped => paint.dim(word),
        _ => paint.red(word),
    };
    let _ = writeln!(text, "  {word}  {}", one_line(&case.title()));
    for fault in case.faults() {
        let _ = writeln!(text, "          {}", one_line(&fault));
    }
    if let Some(run) = case.run.as_deref().filter(|_| case.outcome != Outcome::Passed) {
        let _ = writeln!(text, "          {}", paint.dim(&format!("contexture trace show {run}")));
    }
}

/// Returns the figures of all: `3 passed, 1 failed · 1,204 tokens · $0.02`.
fn summary(report: &Report) -> String {
    let Report { passed, failed, skipped, .. } = report;
    let mut text = format!("{passed} passed, {failed} failed");
    if *skipped > 0 {
        let _ = write!(text, ", {skipped} skipped");
    }
    let cases = || report.suites.iter().flat_map(|suite| &suite.cases);
    let tokens: u64 = cases().map(|case| case.tokens).sum();
    if tokens > 0 {
        let _ = write!(text, " · {} tokens", grouped(tokens));
    }
    let cost: f64 = cases().filter_map(|case| case.cost).sum();
    if cost > 0.0 {
        let _ = write!(text, " · {}", dollars(cost));
    }
    text
}
