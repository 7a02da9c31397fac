//! Parts of Contexture that a build leaves out.

use std::fmt;

/// A part of Contexture that this build leaves out, and the Cargo feature that adds it.
///
/// ```
/// use contexture_diagnostic::MissingFeature;
///
/// let missing = MissingFeature { part: "HTTP tool", feature: "http" };
/// assert_eq!(missing.to_string(), "this build of contexture has no HTTP tool");
/// assert_eq!(missing.help(), "build contexture with the feature `http`");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MissingFeature {
    /// The part, as it stands behind `has no`.
    pub part: &'static str,
    /// The feature of the crate `contexture`, and of its command line.
    pub feature: &'static str,
}

impl MissingFeature {
    /// The code of errors that programs see.
    pub const CODE: &'static str = "missing_feature";

    /// Says how to add the part.
    #[must_use]
    pub fn help(&self) -> String {
        format!("build contexture with the feature `{}`", self.feature)
    }
}

impl fmt::Display for MissingFeature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "this build of contexture has no {}", self.part)
    }
}

impl std::error::Error for MissingFeature {}
