//! The bearer token of the HTTP transport.
//!
//! Decision: SHA-256 digests are compared in constant time, so neither the content nor
//! the length of the token affects the time of an answer.

use crate::fault::Fault;
use crate::mcp::codes;
use sha2::{Digest as _, Sha256};
use std::path::Path;
use subtle::ConstantTimeEq as _;

/// The variable with the token.
pub const VARIABLE: &str = "CONTEXTURE_MCP_TOKEN";

/// The largest token file, in bytes.
const FILE_BYTES: u64 = 4096;

/// A token, stored as its digest.
#[derive(Clone)]
pub struct Token {
    digest: [u8; 32],
    length: usize,
}

impl Token {
    /// Reads a token; surrounding white space is ignored.
    ///
    /// # Errors
    /// A [`Fault`] when it is empty, or not one line of visible ASCII characters.
    pub fn new(text: &str) -> Result<Self, Fault> {
        let text = text.trim();
        let make = "`openssl rand -hex 32` makes a good one";
        if text.is_empty() {
            return Err(Fault::of(codes::NO_TOKEN, "the bearer token is empty").with_help(make));
        }
        if !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            let message = "the bearer token holds characters that can't stand in a header: expected \
                           one line of visible ASCII characters";
            return Err(Fault::of(codes::BAD_TOKEN, message).with_help(make));
        }
        Ok(Self { digest: Sha256::digest(text.as_bytes()).into(), length: text.len() })
    }

    /// Reads the token in a file.
    ///
    /// # Errors
    /// As [`Self::new`], and when the file can't be read.
    pub fn read(path: &Path) -> Result<Self, Fault> {
        let text = contexture::reading::regular(path, FILE_BYTES)
            .map_err(|error| Fault::of(codes::BAD_TOKEN, format!("the token file: {error}")))?;
        Self::new(&text)
    }

    /// Reports whether the token is short enough to be guessed.
    #[must_use]
    pub fn is_short(&self) -> bool {
        self.length < 16
    }

    /// Reports whether a value of the header `Authorization` has the token.
    #[must_use]
    pub fn admits(&self, authorization: &[u8]) -> bool {
        let Some((scheme, token)) = authorization.split_at_checked(7) else { return false };
        let digest: [u8; 32] = Sha256::digest(token.trim_ascii()).into();
        let same: bool = self.digest.ct_eq(&digest).into();
        scheme.eq_ignore_ascii_case(b"bearer ") && same
    }
}

impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Token")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kn_16_token_admits_only_itself() {
        let token = Token::new("  secret-token-0123456789\n").unwrap();
        assert!(token.admits(b"Bearer secret-token-0123456789"));
        assert!(token.admits(b"bearer  secret-token-0123456789 "));
        for wrong in [
            &b""[..],
            b"Bearer",
            b"Bearer ",
            b"Bearer secret",
            b"Basic secret-token-0123456789",
            b"Bearer secret-token-01234567890",
            b"secret-token-0123456789",
            b"Bearer \xff",
        ] {
            assert!(!token.admits(wrong), "{}", String::from_utf8_lossy(wrong));
        }
        assert!(!token.is_short() && Token::new("short").unwrap().is_short());
        assert_eq!(format!("{token:?}"), "Token");
    }

    #[test]
    fn kn_16_invalid_token_is_refused() {
        for wrong in ["", " \n", "two words", "zwei\nzeilen", "schlüssel"] {
            assert!(Token::new(wrong).is_err(), "{wrong:?}");
        }
        assert!(Token::read(Path::new("/nowhere/token")).is_err());
    }
}
