//! What `--allow-pack` names: a pack in one state.

use crate::pack::{Pack, PackError};
use contexture_context::Digest;
use std::fmt;
use std::str::FromStr;

/// The fewest hex digits that name a digest.
const MIN_DIGITS: usize = 12;

/// A pack that is allowed, in the state that a digest names.
///
/// ```
/// use contexture_knowledge::approval::Allowance;
///
/// let allowance: Allowance = "acme@sha256:0123456789ab".parse()?;
/// assert_eq!(allowance.to_string(), "acme@sha256:0123456789ab");
/// assert!("acme".parse::<Allowance>().is_err());
/// # Ok::<(), contexture_knowledge::approval::AllowanceError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Allowance {
    /// The pack's name.
    pub name: String,
    /// The first hex digits of its digest, at least 12.
    pub digest: String,
}

/// A text that is not an allowance.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected `name@sha256:DIGITS` with 12 to 64 hex digits, found `{found}`")]
pub struct AllowanceError {
    /// The beginning of what came instead, at most 80 characters.
    pub found: String,
}

impl Allowance {
    /// Returns the allowance that lets the pack pass in its present state, with the whole digest:
    /// who writes the pack could prepare two states that begin alike.
    ///
    /// # Errors
    /// [`PackError`] when the pack can't be digested.
    pub fn of(pack: &Pack) -> Result<Self, PackError> {
        Ok(Self { name: pack.item().name.clone(), digest: pack.digest()?.hex() })
    }

    pub(super) fn exact(name: &str, digest: &Digest) -> Self {
        Self { name: name.to_owned(), digest: digest.hex() }
    }

    /// Reports whether it means the pack of that name in the state of that digest.
    #[must_use]
    pub fn covers(&self, name: &str, digest: &Digest) -> bool {
        self.name == name
            && self.digest.len() >= MIN_DIGITS
            && digest.hex().starts_with(&self.digest)
    }
}

impl fmt::Display for Allowance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@sha256:{}", self.name, self.digest)
    }
}

impl FromStr for Allowance {
    type Err = AllowanceError;

    fn from_str(text: &str) -> Result<Self, AllowanceError> {
        let wrong = || AllowanceError { found: text.chars().take(80).collect() };
        let (name, digest) = text.rsplit_once('@').ok_or_else(wrong)?;
        let digits = digest.strip_prefix("sha256:").unwrap_or(digest);
        let is_digest = (MIN_DIGITS..=64).contains(&digits.len())
            && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        if name.is_empty() || !is_digest {
            return Err(wrong());
        }
        Ok(Self { name: name.to_owned(), digest: digits.to_ascii_lowercase() })
    }
}
