//! From a file of a source to a page of a pack.

use crate::section::{extension, headings, is_markdown, is_text, stem};

/// Rises whenever the same file would become another page.
pub(super) const VERSION: u32 = 1;

/// The largest file that is read, in bytes, which is also the largest page that checks read.
pub(super) const MAX_BYTES: u64 = 16 << 20;

/// A page of a pack.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Made {
    /// Its path in the folder of the pages.
    pub(super) path: String,
    pub(super) text: String,
}

/// Returns the reason why a file of that name and size is not read at all.
pub(super) fn refused(path: &str, bytes: u64) -> Option<String> {
    if !is_text(path) {
        let kind = extension(path);
        return Some(format!("`.{kind}` files are not read; pages are made of texts"));
    }
    (bytes > MAX_BYTES).then(|| {
        format!("it has {bytes} bytes, the limit is {MAX_BYTES}; divide it, or add a part of it")
    })
}

/// Returns the page that a file becomes.
///
/// # Errors
/// The reason why it does not become one.
pub(super) fn page(path: &str, bytes: Vec<u8>) -> Result<Made, String> {
    let text = String::from_utf8(bytes).map_err(|error| {
        let offset = error.utf8_error().valid_up_to();
        format!("it is not UTF-8 text: byte {offset} is invalid; convert it to UTF-8")
    })?;
    if text.contains('\0') {
        return Err("it is not text: it has NUL characters".to_owned());
    }
    if text.trim().is_empty() {
        return Err("it is empty".to_owned());
    }
    Ok(Made { path: path.to_owned(), text })
}

/// Returns the title of a page: its first heading, else its name.
pub(super) fn title(path: &str, text: &str) -> String {
    let first = if is_markdown(path) { headings(text).into_iter().next() } else { None };
    first.filter(|title| !title.is_empty()).unwrap_or_else(|| stem(path).to_owned())
}
