//! Checks of parameters on use (REF-17).

use contexture_core::reference::{Parameter, ParameterKind};
use contexture_diagnostic::suggestion;

/// The reason why a parameter is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ParameterError {
    /// The value is not of the type.
    #[error("the parameter `{name}` takes {expected}, not `{value}`")]
    Value {
        /// Its name.
        name: String,
        /// The expected value.
        expected: String,
        /// The given value.
        value: String,
    },
    /// It is required and not given.
    #[error("the parameter `{name}` is required")]
    Missing {
        /// Its name.
        name: String,
    },
    /// No level declares it.
    #[error("no level of the reference takes the parameter `{name}`")]
    Unknown {
        /// Its name.
        name: String,
        /// The names that are allowed, and the one that is probably meant.
        help: String,
    },
}

impl ParameterError {
    /// Returns its stable code.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Value { .. } => crate::codes::PARAMETER_VALUE.code,
            Self::Missing { .. } => crate::codes::PARAMETER_MISSING.code,
            Self::Unknown { .. } => crate::codes::PARAMETER_UNKNOWN.code,
        }
    }

    /// Returns how to fix it.
    #[must_use]
    pub fn help(&self) -> Option<String> {
        match self {
            Self::Value { .. } => None,
            Self::Missing { name } => Some(format!("add `{name}=…` to the query")),
            Self::Unknown { help, .. } => Some(help.clone()),
        }
    }

    /// Returns a parameter that no level takes, with those that are allowed.
    #[must_use]
    pub fn unknown<'a>(name: &str, allowed: impl IntoIterator<Item = &'a str> + Clone) -> Self {
        let mut names: Vec<&str> = allowed.clone().into_iter().collect();
        names.sort_unstable();
        names.dedup();
        let listed = match names.as_slice() {
            [] => "there are none here".to_owned(),
            names => format!("allowed here: {}", names.join(", ")),
        };
        let help = match suggestion(name, allowed) {
            Some(near) => format!("{near} {listed}"),
            None => listed,
        };
        Self::Unknown { name: name.to_owned(), help }
    }
}

/// Checks a value against what its parameter declares.
///
/// # Errors
/// A value that is not of the type; the error names the expected one.
pub fn check(parameter: &Parameter, value: &str) -> Result<(), ParameterError> {
    let fits = match &parameter.kind {
        ParameterKind::String => true,
        ParameterKind::Number => is_number(value),
        ParameterKind::Integer => value.parse::<i64>().is_ok(),
        ParameterKind::Boolean => matches!(value, "true" | "false"),
        ParameterKind::Range => is_range(value),
        ParameterKind::OneOf(words) => words.iter().any(|word| word == value),
    };
    if fits {
        return Ok(());
    }
    Err(ParameterError::Value {
        name: parameter.name.clone(),
        expected: expected(&parameter.kind),
        value: value.to_owned(),
    })
}

fn expected(kind: &ParameterKind) -> String {
    match kind {
        ParameterKind::String => "a text".to_owned(),
        ParameterKind::Number => "a number such as 5 or 0.5".to_owned(),
        ParameterKind::Integer => "a whole number".to_owned(),
        ParameterKind::Boolean => "true or false".to_owned(),
        ParameterKind::Range => "a range such as 5-10, 5-, -10 or 5".to_owned(),
        ParameterKind::OneOf(words) => format!("one of {}", words.join(", ")),
    }
}

/// Returns a decimal number; no words such as `inf`.
fn is_number(value: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_digit() || matches!(c, '.' | '-' | '+' | 'e' | 'E');
    value.chars().all(is_plain) && value.parse::<f64>().is_ok_and(f64::is_finite)
}

/// `5`, `5-10`, `5-` or `-10`, not reversed.
fn is_range(value: &str) -> bool {
    let end = |text: &str| match text {
        "" => Some(None),
        text if text.chars().all(|c| c.is_ascii_digit()) => text.parse::<u64>().ok().map(Some),
        _ => None,
    };
    match value.split_once('-') {
        None => matches!(end(value), Some(Some(_))),
        Some((from, to)) => match (end(from), end(to)) {
            (Some(None), Some(None)) => false,
            (Some(Some(from)), Some(Some(to))) => from <= to,
            (Some(_), Some(_)) => true,
            _ => false,
        },
    }
}
