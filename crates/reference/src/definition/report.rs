//! Diagnostics of one file.

use crate::codes::{self, Code};
use contexture_diagnostic::{Diagnostic, Severity, Span};
use std::ops::Range;

/// Collects diagnostics up to a limit.
#[derive(Debug)]
pub(super) struct Report {
    faults: Vec<Diagnostic>,
    limit: usize,
    errors: usize,
    left_out: usize,
}

impl Report {
    pub(super) fn new(limit: usize) -> Self {
        Self { faults: Vec::new(), limit, errors: 0, left_out: 0 }
    }

    /// Takes a fault; help and labels are added by [`Report::add`].
    pub(super) fn say(&mut self, code: Code, place: Range<usize>, message: impl Into<String>) {
        self.add(code.at(span(place), message));
    }

    pub(super) fn add(&mut self, fault: Diagnostic) {
        self.errors += usize::from(fault.severity == Severity::Error);
        if self.faults.len() < self.limit {
            self.faults.push(fault);
        } else {
            self.left_out += 1;
        }
    }

    /// Returns the number of errors so far, reported or not.
    pub(super) fn errors(&self) -> usize {
        self.errors
    }

    /// Returns all of them in the order of their places, named after the file.
    pub(super) fn finish(mut self, file: &str) -> Vec<Diagnostic> {
        self.faults.sort_by_key(|fault| fault.span);
        if self.left_out > 0 {
            let message = format!("{} more faults in this file are not shown", self.left_out);
            self.faults.push(codes::TOO_MANY_FAULTS.at(Span::at(0), message));
        }
        self.faults.into_iter().map(|fault| fault.in_file(file)).collect()
    }
}

/// Returns a range of bytes as a span; what is beyond 4 GiB counts as the end.
pub(super) fn span(range: Range<usize>) -> Span {
    let clamp = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    Span::new(clamp(range.start), clamp(range.end))
}

/// The limits of one file of definitions and of all together. A breach is an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of one file.
    pub file_bytes: usize,
    /// Resource elements in one file.
    pub elements: usize,
    /// Definitions in all layers together.
    pub definitions: usize,
    /// The most diagnostics reported of one file; one more shows that there are others.
    pub diagnostics: usize,
    /// Rules in one location.
    pub rules: usize,
    /// Bytes of one rule.
    pub rule_bytes: usize,
    /// Brackets within brackets in a rule.
    pub rule_depth: usize,
    /// Steps that matching one path may take.
    pub match_steps: usize,
    /// Rows of one table.
    pub rows: usize,
    /// Registry entries followed for one reference.
    pub registry_steps: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            file_bytes: 4 << 20,
            elements: 256,
            definitions: 4096,
            diagnostics: 100,
            rules: 256,
            rule_bytes: 4096,
            rule_depth: 32,
            match_steps: 1_000_000,
            rows: 10_000,
            registry_steps: 32,
        }
    }
}
