//! `lines`: each line with its number, so that an answer can name the place it speaks of.

use super::{Made, text_of};
use crate::Resource;
use crate::protocol::Parameters;
use std::fmt::Write as _;

pub(super) fn lines(resource: &Resource, _: &Parameters) -> Made {
    let text = text_of(resource)?;
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    for (number, line) in text.lines().enumerate() {
        // Writing to a string can't fail.
        let _ = writeln!(out, "{}: {line}", number + 1);
    }
    Ok(("text/plain".to_owned(), out.into_bytes()))
}
