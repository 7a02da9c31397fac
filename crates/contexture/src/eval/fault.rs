//! The faults of a file of tests, with their places (EV-1).

use super::wording;
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
    /// The program, a file of tests or one of cases has faults, which it tells with their places.
    #[error("{0}")]
    Refused(Box<CheckReport>),
    /// Something that all runs need is missing.
    #[error(transparent)]
    Setup(#[from] SetupError),
}

impl EvalError {
    /// Returns the faults of two files together; of other reasons the first one.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Refused(mut all), Self::Refused(more)) => {
                all.files.extend(more.files);
                all.diagnostics.extend(more.diagnostics);
                Self::Refused(all)
            }
            (Self::Refused(_), other) => other,
            (first, _) => first,
        }
    }
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
    /// Makes the fault of what a reader refused, in plain words.
    pub(super) fn new(line: usize, message: &str) -> Self {
        let message = message.split_whitespace().collect::<Vec<_>>().join(" ");
        Self { line, message: wording::plain(&message).unwrap_or(message) }
    }
}

/// Returns the refusal of a file with faults.
pub(super) fn refusal(name: &str, text: &str, faults: &[LineFault]) -> EvalError {
    let file = SourceFile::new(name, text);
    let told = faults.iter().map(|fault| {
        let message = fault.message.clone();
        Diagnostic::error(CODE, message, line_span(&file, fault.line))
            .with_optional_help(help(&fault.message))
            .in_file(name)
    });
    let diagnostics = told.collect();
    EvalError::Refused(Box::new(CheckReport {
        files: vec![file],
        diagnostics,
        generates: Vec::new(),
    }))
}

/// Returns the text of a line without the blanks around it.
fn line_span(file: &SourceFile, line: usize) -> Span {
    let line = u32::try_from(line).unwrap_or(u32::MAX);
    let whole = file.line(line);
    let bytes = |text: &str| u32::try_from(text.len()).unwrap_or(u32::MAX);
    let start = file.line_start(line).saturating_add(bytes(whole) - bytes(whole.trim_start()));
    Span::new(start, start.saturating_add(bytes(whole.trim())))
}

/// Suggests what was meant by an unknown name, from the names that the message lists.
fn help(message: &str) -> Option<String> {
    let (_, rest) =
        message.split_once("unknown field `").or(message.split_once("unknown name `"))?;
    let (name, rest) = rest.split_once('`')?;
    let (_, listed) = rest.split_once("expected ")?;
    let listed = listed.strip_prefix("one of ").unwrap_or(listed);
    let known = listed.split(", ").flat_map(|part| part.split(" or "));
    let known: Vec<&str> = known.map(|name| name.trim_matches('`')).collect();
    let all = || format!("the names are {}", known.join(", "));
    let longer = || {
        let longer = known.iter().find(|known| !name.is_empty() && known.starts_with(name));
        longer.map(|known| format!("did you mean `{known}`?"))
    };
    Some(suggestion(name, known.iter().copied()).or_else(longer).unwrap_or_else(all))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ev_1_fault_covers_its_line_in_any_script() {
        let text = "用例: 1\n  有: [é]  \nlast";
        let file = SourceFile::new("a", text);
        let told = |line| file.slice(line_span(&file, line));
        assert_eq!((told(2), told(3), told(9)), ("有: [é]", "last", ""));
    }

    #[test]
    fn ev_1_unknown_name_has_suggestion() {
        let message = "unknown name `equal`, expected one of `equals`, `subset`";
        assert_eq!(help(message).unwrap(), "did you mean `equals`?");
        let message = "unknown name `match`, expected one of equals, matches, where";
        assert_eq!(help(message).unwrap(), "did you mean `matches`?");
        let message = "unknown field `zzzzzz`, expected `program` or `cases`";
        assert_eq!(help(message).unwrap(), "the names are program, cases");
        let message = "unknown field `nme`, expected one of name, input";
        assert_eq!(help(message).unwrap(), "did you mean `name`?");
        assert_eq!(help("missing field `program`"), None);
    }
}
