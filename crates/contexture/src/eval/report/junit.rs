//! Reports as JUnit XML, which CI servers show (EV-5).

use super::{CaseReport, Outcome, Report};
use std::fmt::Write as _;

/// Returns a report as JUnit XML.
#[must_use]
pub fn junit(report: &Report) -> String {
    let mut xml = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
    for suite in &report.suites {
        let number = |outcome| suite.cases.iter().filter(|case| case.outcome == outcome).count();
        // Writing to a string can't fail.
        let _ = writeln!(
            xml,
            "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\">",
            escaped(&suite.file),
            suite.cases.len(),
            number(Outcome::Failed),
            number(Outcome::Error),
            number(Outcome::Skipped),
        );
        suite.cases.iter().for_each(|case| write_case(&mut xml, &suite.file, case));
        xml.push_str("  </testsuite>\n");
    }
    xml.push_str("</testsuites>\n");
    xml
}

fn write_case(xml: &mut String, file: &str, case: &CaseReport) {
    let (name, file) = (escaped(&case.title()), escaped(file));
    let _ = write!(xml, "    <testcase name=\"{name}\" classname=\"{file}\"");
    let element = match case.outcome {
        Outcome::Passed => {
            xml.push_str("/>\n");
            return;
        }
        Outcome::Failed => "failure",
        Outcome::Error => "error",
        Outcome::Skipped => "skipped",
    };
    let faults = case.faults();
    let first = escaped(faults.first().map(String::as_str).unwrap_or_default());
    let all = escaped(&faults.join("\n"));
    let _ = writeln!(xml, ">\n      <{element} message=\"{first}\">{all}</{element}>");
    xml.push_str("    </testcase>\n");
}

/// Returns a text for XML: with references for its signs, and without what XML can't hold.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for sign in text.chars() {
        match sign {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\t' | '\n' | '\r' => {
                let _ = write!(out, "&#{};", u32::from(sign));
            }
            '\u{0}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            sign => out.push(sign),
        }
    }
    out
}
