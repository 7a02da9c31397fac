//! The changing part of a path: a context's id, whatever signs it is made of.

use super::{Shared, answer};
use axum::extract::{FromRequestParts, Path};
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::response::Response;
use contexture_protocol::{ErrorCode, Refusal};

/// The decoded parameter of a path.
pub(super) struct Named(pub(super) String);

impl FromRequestParts<Shared> for Named {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, shared: &Shared) -> Result<Self, Response> {
        match Path::<String>::from_request_parts(parts, shared).await {
            Ok(Path(name)) => Ok(Self(name)),
            Err(_) => {
                let text = "the path is no percent-encoded UTF-8";
                let refused = Refusal::new(ErrorCode::ParseError, text)
                    .suggest("Encode each sign outside of A-Z a-z 0-9 - . _ ~ as UTF-8, as %XX.");
                Err(answer::refusal_with(&shared.app, refused, Some(StatusCode::BAD_REQUEST)))
            }
        }
    }
}

/// A name as it stands in a path.
pub(super) fn encoded(name: &str) -> String {
    let mut text = String::with_capacity(name.len());
    for byte in name.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            text.push(char::from(byte));
        } else {
            text.push('%');
            for digit in [byte >> 4, byte & 15] {
                let digit = char::from_digit(u32::from(digit), 16).unwrap_or('0');
                text.push(digit.to_ascii_uppercase());
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cp_9_id_of_any_characters_works_in_a_path() {
        assert_eq!(encoded("ctx_1-A.~"), "ctx_1-A.~");
        assert_eq!(encoded("a/b %天"), "a%2Fb%20%25%E5%A4%A9");
    }
}
