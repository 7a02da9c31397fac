//! `base64`: bytes as text, so that what is not text can be shown or handed on.

use super::Made;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use contexture_core::reference::{Parameters, Resource};

pub(super) fn base64(resource: &Resource, _: &Parameters) -> Made {
    Ok((
        "text/plain".to_owned(),
        STANDARD.encode(resource.bytes().unwrap_or_default()).into_bytes(),
    ))
}
