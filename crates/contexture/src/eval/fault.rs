//! The faults of a file of tests, with their places (EV-1).

use crate::reading::ReadError;
use crate::run::{CheckReport, SetupError};
use contexture_diagnostic::{Diagnostic, SourceFile, Span, suggestion};

/// The reason why tests could not run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EvalError {
    /// A file could not be read.
    #[error("{0}")]
    Read(#[from] ReadError),
    /// A file of tests, or of cases, has a fault.
    #[error("{}: {}", file.name(), diagnostic.message)]
    Invalid {
        /// The file.
        file: Box<SourceFile>,
        /// The fault, its place, and how to fix it.
        diagnostic: Box<Diagnostic>,
    },
    /// The program is refused.
    #[error("{0}")]
    Program(Box<CheckReport>),
    /// Something that all runs need is missing.
    #[error(transparent)]
    Setup(#[from] SetupError),
}

/// The code of a fault in a file of tests.
pub(super) const CODE: &str = "EV1001";

/// A fault in one line of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LineFault {
    /// The line, from 1.
    pub(super) line: usize,
    pub(super) message: String,
}

impl LineFault {
    /// Makes the fault of what `serde` refused.
    pub(super) fn new(line: usize, message: &str) -> Self {
        Self { line, message: message.split_whitespace().collect::<Vec<_>>().join(" ") }
    }

    /// Returns the fault of a file.
    pub(super) fn in_file(&self, name: &str, text: &str) -> EvalError {
        let diagnostic = Diagnostic::error(CODE, self.message.clone(), line_span(text, self.line))
            .with_optional_help(help(&self.message))
            .in_file(name);
        EvalError::Invalid {
            file: Box::new(SourceFile::new(name, text)),
            diagnostic: Box::new(diagnostic),
        }
    }
}

/// Returns the text of a line without the blanks around it.
fn line_span(text: &str, line: usize) -> Span {
    let before: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    let whole = text.get(before..).and_then(|rest| rest.lines().next()).unwrap_or_default();
    let start = before + whole.len() - whole.trim_start().len();
    let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    Span::new(offset(start), offset(start + whole.trim().len()))
}

/// Suggests what was meant by an unknown name, from the names that the message lists.
fn help(message: &str) -> Option<String> {
    let is_unknown = ["unknown field `", "unknown variant `"].iter().any(|it| message.contains(it));
    let mut names = message.split('`').skip(1).step_by(2);
    let name = names.next().filter(|_| is_unknown)?;
    let known: Vec<&str> = names.collect();
    let listed = || format!("the names are {}", known.join(", "));
    Some(suggestion(name, known.iter().copied()).unwrap_or_else(listed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ev_1_fault_covers_its_line_in_any_script() {
        let text = "用例: 1\n  有: [é]  \nlast";
        let span = line_span(text, 2);
        assert_eq!(text.get(span.range()), Some("有: [é]"));
        assert_eq!(text.get(line_span(text, 3).range()), Some("last"));
        assert_eq!(text.get(line_span(text, 9).range()), Some(""));
    }

    #[test]
    fn ev_1_unknown_name_has_suggestion() {
        let message = "unknown variant `equal`, expected one of `equals`, `subset`";
        assert_eq!(help(message).unwrap(), "did you mean `equals`?");
        let message = "unknown field `zzzzzz`, expected `program` or `cases`";
        assert_eq!(help(message).unwrap(), "the names are program, cases");
        assert_eq!(help("missing field `program`"), None);
    }
}
