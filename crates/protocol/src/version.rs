//! Versions of the protocol (CP-4).

use crate::error::ErrorCode;
use crate::refusal::Refusal;
use std::fmt;

/// A version of the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version {
    /// The major version; another one is incompatible.
    pub major: u32,
    /// The minor version; a later one adds features.
    pub minor: u32,
    /// The patch version, without a meaning for compatibility.
    pub patch: u32,
}

/// The version that this crate speaks.
pub const VERSION: Version = Version { major: 1, minor: 0, patch: 0 };

/// The WebSocket subprotocol.
pub const SUBPROTOCOL: &str = "mcp-cp.1";

/// The HTTP header; if absent, the version is 1.0.0.
pub const VERSION_HEADER: &str = "MCP-CP-Version";

/// The pattern of a semantic version, for JSON Schema.
pub(crate) const SEMANTIC: &str =
    r"^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$";

/// Reports whether a text is a semantic version: three numbers and optional suffixes.
pub(crate) fn is_semantic(text: &str) -> bool {
    let is_word = |word: &str| {
        !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    let are_words = |words: &str| words.split('.').all(is_word);
    let is_number = |digits: &str| {
        digits.bytes().all(|byte| byte.is_ascii_digit())
            && !digits.is_empty()
            && (digits == "0" || !digits.starts_with('0'))
    };
    let (text, build) = text.split_once('+').map_or((text, None), |(text, b)| (text, Some(b)));
    let (numbers, early) = text.split_once('-').map_or((text, None), |(n, early)| (n, Some(early)));
    numbers.split('.').count() == 3
        && numbers.split('.').all(is_number)
        && early.is_none_or(are_words)
        && build.is_none_or(are_words)
}

impl Version {
    /// Parses `1.0.0`, `1.0` or `1`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.trim().split('.');
        let mut next = |is_required: bool| match parts.next() {
            Some(digits) if digits.bytes().all(|byte| byte.is_ascii_digit()) => {
                digits.parse::<u32>().ok()
            }
            Some(_) => None,
            None => (!is_required).then_some(0),
        };
        let version = Self { major: next(true)?, minor: next(false)?, patch: next(false)? };
        parts.next().is_none().then_some(version)
    }

    /// Returns the version to be spoken with a peer that offers this one: the lower of the two. A
    /// minor version ahead of ours is accepted; an older one is served without what it cannot know.
    ///
    /// ```
    /// use contexture_protocol::{ErrorCode, VERSION, Version};
    /// assert_eq!(Version::negotiate("1.7.2"), Ok(VERSION));
    /// let refusal = Version::negotiate("2.0").unwrap_err();
    /// assert_eq!(refusal.code, ErrorCode::UnsupportedVersion);
    /// assert!(refusal.message.contains("2.0.0") && refusal.message.contains("1.0.0"));
    /// ```
    ///
    /// # Errors
    /// `UNSUPPORTED_VERSION` with both versions for another major, and for a text that is not a version.
    pub fn negotiate(offered: &str) -> Result<Self, Box<Refusal>> {
        let Some(theirs) = Self::parse(offered) else {
            return Err(Self::unsupported(&crate::report::quoted(offered)));
        };
        if theirs.major == VERSION.major {
            return Ok(theirs.min(VERSION));
        }
        Err(Self::unsupported(&theirs.to_string()))
    }

    /// Chooses among the subprotocols that a WebSocket client offers; those of other protocols do
    /// not count. Returns `None` if there is none of this protocol: HELLO will contain the version.
    ///
    /// # Errors
    /// `UNSUPPORTED_VERSION`, when only other majors of this protocol are offered.
    pub fn choose_subprotocol<'o>(
        offered: impl IntoIterator<Item = &'o str>,
    ) -> Result<Option<&'static str>, Box<Refusal>> {
        let mut others = Vec::new();
        for offer in offered.into_iter().map(str::trim) {
            if offer == SUBPROTOCOL {
                return Ok(Some(SUBPROTOCOL));
            }
            if offer.starts_with("mcp-cp.") {
                others.push(crate::report::quoted(offer));
            }
        }
        if others.is_empty() { Ok(None) } else { Err(Self::unsupported(&others.join(", "))) }
    }

    fn unsupported(theirs: &str) -> Box<Refusal> {
        let message = format!(
            "the client speaks version {theirs} of the protocol, the server version {VERSION}"
        );
        let refusal = Refusal::new(ErrorCode::UnsupportedVersion, message);
        let refusal = refusal.detail("clientVersion", theirs.trim_matches('"'));
        refusal.detail("serverVersion", VERSION.to_string()).into()
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

#[cfg(test)]
mod tests;
