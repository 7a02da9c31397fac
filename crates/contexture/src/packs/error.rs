//! The error of packs.

use super::consent::Question;
use contexture_diagnostic::MissingFeature;
use contexture_knowledge::pack::PackError;

/// The code of a pack that somebody has to allow first.
pub const NOT_ALLOWED: &str = "pack_not_allowed";

/// The missing part of a build without the feature `knowledge`.
const MISSING: MissingFeature = MissingFeature { part: "knowledge packs", feature: "knowledge" };

/// The reason why a pack can't be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct PacksError {
    /// Stable code.
    pub code: &'static str,
    /// The message.
    pub message: String,
    /// The way to fix it.
    pub help: Option<String>,
    /// The question, if somebody has to allow the pack first.
    pub question: Option<Box<Question>>,
}

impl PacksError {
    pub(super) fn new(
        code: &'static str,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Self {
        Self { code, message: message.into(), help: Some(help.into()), question: None }
    }

    /// Returns the error of a build that can't read packs.
    pub(crate) fn missing() -> Self {
        Self::new(MissingFeature::CODE, MISSING.to_string(), MISSING.help())
    }

    pub(super) fn consent(question: Question) -> Self {
        let (message, help) = (question.to_string(), question.help());
        Self { question: Some(Box::new(question)), ..Self::new(NOT_ALLOWED, message, help) }
    }

    /// Returns one error for all packs that somebody has to allow; `None` without any.
    pub(super) fn all(questions: Vec<Question>) -> Option<Self> {
        let message = joined(questions.iter().map(Question::to_string), "; ");
        let allowances =
            questions.iter().map(|question| format!("--allow-pack {}", question.allowance));
        let allowances = joined(allowances, " ");
        let mut questions = questions.into_iter();
        let first = questions.next()?;
        if questions.next().is_none() {
            return Some(Self::consent(first));
        }
        let help = format!("read them, then allow them with `{allowances}`");
        Some(Self { question: Some(Box::new(first)), ..Self::new(NOT_ALLOWED, message, help) })
    }

    pub(super) fn archived(name: &str) -> Self {
        let message = format!("the knowledge pack `{name}` is archived");
        let help = format!(
            "take another pack, or give it another status if it is in use; `contexture knowledge \
             activate {name} --archived` shows what it says"
        );
        Self::new("pack_archived", message, help)
    }

    pub(super) fn changed(name: &str) -> Self {
        let message = format!("the knowledge pack `{name}` has changed since it was asked about");
        Self::new(NOT_ALLOWED, message, "read it again before you allow it")
    }
}

fn joined(parts: impl Iterator<Item = String>, between: &str) -> String {
    parts.collect::<Vec<_>>().join(between)
}

impl From<PackError> for PacksError {
    fn from(error: PackError) -> Self {
        Self::new(error.code(), error.to_string(), error.help())
    }
}
