//! Reports as Markdown, for comments of pull requests (EV-5).

use super::{Outcome, Report, SuiteReport, VariantReport};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// Returns a report as Markdown: one line of figures, and a table of the cells that did not pass.
#[must_use]
pub fn markdown(report: &Report) -> String {
    let Report { passed, failed, skipped, .. } = report;
    let mut text = format!("**{passed} passed, {failed} failed");
    if *skipped > 0 {
        let _ = write!(text, ", {skipped} skipped");
    }
    text.push_str("**\n");
    report.suites.iter().for_each(|suite| write_suite(&mut text, suite));
    text
}

fn write_suite(text: &mut String, suite: &SuiteReport) {
    let passed = suite.cases.iter().filter(|case| case.outcome == Outcome::Passed).count();
    // Writing to a string can't fail.
    let _ = writeln!(
        text,
        "\n### {}\n\n{passed} of {} passed",
        escaped(&suite.file),
        suite.cases.len()
    );
    write_variants(text, &suite.variants);
    let mut rest = suite.cases.iter().filter(|case| case.outcome != Outcome::Passed).peekable();
    if rest.peek().is_none() {
        return;
    }
    text.push_str("\n| Case | Outcome | Why |\n|---|---|---|\n");
    for case in rest {
        let why = case.faults().iter().map(|fault| escaped(fault)).collect::<Vec<_>>();
        let (title, word) = (escaped(&case.title()), case.outcome.word());
        let _ = writeln!(text, "| {title} | {word} | {} |", why.join("<br>"));
    }
}

/// Writes a table of the variants, if there is something to compare or to average.
fn write_variants(text: &mut String, variants: &[VariantReport]) {
    let figures: BTreeSet<&String> = variants.iter().flat_map(|it| it.figures.keys()).collect();
    if variants.len() < 2 && figures.is_empty() {
        return;
    }
    let heads: String = figures.iter().map(|name| format!(" {} |", escaped(name))).collect();
    let line = "---|".repeat(figures.len());
    let _ = writeln!(text, "\n| Variant | Passed |{heads}\n|---|---|{line}");
    for variant in variants {
        let name = variant.name.as_deref().map_or_else(String::new, escaped);
        let _ = write!(text, "| {name} | {} of {} |", variant.passed, variant.cells);
        for figure in figures.iter().map(|name| variant.figures.get(*name)) {
            let figure = figure.map(|figure| super::rounded(*figure)).unwrap_or_default();
            let _ = write!(text, " {figure} |");
        }
        text.push('\n');
    }
}

/// Returns a text for a cell of a table: what it holds is shown and not formatted.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for sign in text.chars() {
        match sign {
            '\n' | '\r' | '\t' => out.push(' '),
            '<' => out.push_str("&lt;"),
            '&' => out.push_str("&amp;"),
            '|' | '*' | '_' | '`' | '[' | ']' | '\\' | '#' | '~' | '@' => {
                out.push('\\');
                out.push(sign);
            }
            sign => out.push(sign),
        }
    }
    out
}
