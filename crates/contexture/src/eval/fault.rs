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
    let (_, rest) =
        message.split_once("unknown field `").or(message.split_once("unknown variant `"))?;
    let (name, rest) = rest.split_once('`')?;
    let (_, listed) = rest.split_once("expected ")?;
    let listed = listed.strip_prefix("one of ").unwrap_or(listed);
    let known = listed.split(", ").flat_map(|part| part.split(" or "));
    let known: Vec<&str> = known.map(|name| name.trim_matches('`')).collect();
    let all = || format!("the names are {}", known.join(", "));
    Some(suggestion(name, known.iter().copied()).unwrap_or_else(all))
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
        let message = "unknown field `nme`, expected one of name, input";
        assert_eq!(help(message).unwrap(), "did you mean `name`?");
        assert_eq!(help("missing field `program`"), None);
    }
}
