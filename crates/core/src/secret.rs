//! A key that can't slip into a log.

use contexture_context::secrets::MASK;
use std::fmt;

/// A credential: `Debug` and `Display` show that there is one, never what it is.
///
/// ```
/// use contexture_core::Secret;
/// let key = Secret::new("sk-very-secret");
/// assert_eq!(format!("{key} {key:?}"), "••• Secret(•••)");
/// assert_eq!(key.mask("wrong key sk-very-secret!"), "wrong key •••!");
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Takes a credential; white space around it (a line end from a file) is dropped.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into().trim().to_owned())
    }

    /// Returns the credential itself, for a request header and nothing else.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Reports whether nothing is in it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the text with every occurrence of the credential replaced by [`MASK`].
    #[must_use]
    pub fn mask(&self, text: &str) -> String {
        // A very short "key" would blank out innocent text and hides nothing.
        if self.0.len() < 6 { text.to_owned() } else { text.replace(&self.0, MASK) }
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(MASK)
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Secret({MASK})")
    }
}
