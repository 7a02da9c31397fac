//! Reports as Markdown, for comments of pull requests (EV-5).

use super::{Outcome, Report, SuiteReport};
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
