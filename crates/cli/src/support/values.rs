//! Values of options that several commands take.

use contexture::reference::text;

/// Reads a positive integer.
pub(crate) fn whole_number(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) | Err(_) => Err("expected an integer of at least 1".to_owned()),
        Ok(number) => Ok(number),
    }
}

/// Reads a number of tokens: `500` or `2k`.
pub(crate) fn tokens(text: &str) -> Result<u64, String> {
    text::budget(text).ok_or_else(|| format!("`{text}` is not a token budget; write `500` or `2k`"))
}
