//! Findings about packs, for people and for programs (KN-3, KN-5).

use crate::output::diagnostics::heading;
use crate::prelude::*;
use contexture::knowledge::Finding;

/// The most findings to print; the rest is counted.
const SHOWN: usize = 50;

/// Returns the list for programs.
pub(super) fn json<'f>(findings: impl IntoIterator<Item = &'f Finding>) -> Value {
    findings.into_iter().map(|finding| json!(finding)).collect()
}

/// Prints findings to stderr, the most severe first; `command` shows all.
pub(super) fn say<'f>(
    findings: impl IntoIterator<Item = &'f Finding>,
    command: &str,
    terminal: &Terminal,
) {
    let mut sorted: Vec<&Finding> = findings.into_iter().collect();
    sorted.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    for finding in sorted.iter().take(SHOWN) {
        terminal.say(&text(finding, terminal));
    }
    if let Some(more @ 1..) = sorted.len().checked_sub(SHOWN) {
        terminal.note(&format!("… and {more} more; `{command} --json` shows all"));
    }
}

/// Formats a finding: `warning[KN1003]: path:3: message`.
fn text(finding: &Finding, terminal: &Terminal) -> String {
    let paint = terminal.err;
    let head = heading(finding.severity, finding.code, paint);
    let line = finding.line.map_or(String::new(), |line| format!(":{line}"));
    let path = one_line(&finding.path.display().to_string());
    let mut text = format!("{head} {path}{line}: {}", one_line(&finding.message));
    if let Some(help) = &finding.help {
        // Writing to a string can't fail.
        let _ = write!(text, "\n  {} {}", paint.cyan("help:"), one_line(help));
    }
    text
}
