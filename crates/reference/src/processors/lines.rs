//! `lines`: each line with its number, so that an answer can name the place it speaks of.

use super::{FROM, Fault, Made, text_of};
use contexture_core::reference::{Parameters, Resource};
use std::fmt::Write as _;

pub(super) fn lines(resource: &Resource, parameters: &Parameters) -> Made {
    let text = text_of(resource)?;
    let first = parameters.get(FROM).map_or(Some(1), |number| number.parse::<u64>().ok());
    let first = first.ok_or_else(|| {
        Fault::new("REF3004", "`from` is not a number of a line", "write a whole number from 0")
    })?;
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    for (index, line) in (0..).zip(text.lines()) {
        let number = first.saturating_add(index);
        // Writing to a string can't fail.
        let _ = writeln!(out, "{number}: {line}");
    }
    Ok(("text/plain".to_owned(), out.into_bytes()))
}
