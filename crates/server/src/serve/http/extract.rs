//! Extractors: the sender of a request and the name in its path.

use super::refused::Refused;
use super::shared::Shared;
use crate::serve::caller::Caller;
use axum::extract::{FromRequestParts, Path};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode};
use contexture_protocol::{ErrorCode, Refusal, VERSION_HEADER, Version};
use serde::de::DeserializeOwned;

/// The decoded parameter of a path, or several.
pub(super) struct Named<T = String>(pub(super) T);

impl<T: DeserializeOwned + Send> FromRequestParts<Shared> for Named<T> {
    type Rejection = Refused;

    async fn from_request_parts(parts: &mut Parts, shared: &Shared) -> Result<Self, Refused> {
        let Ok(Path(name)) = Path::<T>::from_request_parts(parts, shared).await else {
            let text = "the path is not percent-encoded UTF-8";
            let refused = Refusal::new(ErrorCode::ParseError, text)
                .suggest("Encode each sign outside of A-Z a-z 0-9 - . _ ~ as UTF-8, as %XX.");
            return Err(Refused::with_status(refused, StatusCode::BAD_REQUEST));
        };
        Ok(Self(name))
    }
}

/// The sender of a request with a message, which is counted when it is handled.
pub(super) struct Sender(pub(super) Caller);

impl FromRequestParts<Shared> for Sender {
    type Rejection = Refused;

    async fn from_request_parts(parts: &mut Parts, shared: &Shared) -> Result<Self, Refused> {
        Ok(Self(shared.guard.admit(parts)?))
    }
}

/// The sender of a request without a message; the request is counted.
pub(super) struct Counted(pub(super) Caller);

impl FromRequestParts<Shared> for Counted {
    type Rejection = Refused;

    async fn from_request_parts(parts: &mut Parts, shared: &Shared) -> Result<Self, Refused> {
        let caller = shared.guard.admit(parts)?;
        shared.guard.count(&caller)?;
        Ok(Self(caller))
    }
}

/// The sender of a request about contexts, which is counted and speaks a supported version.
pub(super) struct Reader(pub(super) Caller);

impl FromRequestParts<Shared> for Reader {
    type Rejection = Refused;

    async fn from_request_parts(parts: &mut Parts, shared: &Shared) -> Result<Self, Refused> {
        let Counted(caller) = Counted::from_request_parts(parts, shared).await?;
        check_version(&parts.headers)?;
        Ok(Self(caller))
    }
}

/// Checks that the protocol version of a client is supported (CP-4).
pub(super) fn check_version(headers: &HeaderMap) -> Result<(), Refused> {
    let Some(version) = headers.get(VERSION_HEADER) else { return Ok(()) };
    let version = String::from_utf8_lossy(version.as_bytes());
    Version::negotiate(&version)?;
    Ok(())
}
