//! A token itself, which is shown once.

use crate::fault::Fault;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::rand::{SecureRandom as _, SystemRandom};

/// The prefix of tokens, so that leaked ones are recognised.
const PREFIX: &str = "ctx_tok_";
const BYTES: usize = 32;

/// A token. `Debug` does not show it, and it is never stored.
pub struct Secret(String);

impl Secret {
    /// Creates a token of 256 random bits.
    ///
    /// # Errors
    /// A [`Fault`] when the system provides no random bytes.
    pub(crate) fn new() -> Result<Self, Fault> {
        let mut bytes = [0; BYTES];
        let failed = |_| super::new::bad("the system gives no random bytes");
        SystemRandom::new().fill(&mut bytes).map_err(failed)?;
        Ok(Self(format!("{PREFIX}{}", URL_SAFE_NO_PAD.encode(bytes))))
    }

    /// Returns the text.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret")
    }
}

/// Reports whether a text has the form of a token.
pub(super) fn is_token(text: &str) -> bool {
    text.starts_with(PREFIX)
}
