//! From a file of a source to a page of a pack (MA-4).
//!
//! Decision: a text stays as it is, byte for byte. What is not a text becomes Markdown under the
//! name of its file and `.md`, so that a page shows what it was made of and two files never become
//! the same page.

#[cfg(feature = "formats")]
mod html;

use crate::section::{extension, is_markdown, is_text, page_title};

/// Rises whenever the same file would become another page.
pub(super) const VERSION: u32 = 2;

/// The largest file that is read, in bytes, which is also the largest page that checks read.
pub(super) const MAX_BYTES: u64 = 16 << 20;

/// A page of a pack.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Made {
    /// Its path in the folder of the pages.
    pub(super) path: String,
    pub(super) text: String,
}

/// The reason why a file does not become a page.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum Unread {
    #[error("`.{0}` files are not read; `contexture knowledge sync --help` lists what is")]
    Kind(String),
    #[cfg(not(feature = "formats"))]
    #[error(
        "`.{0}` files are not read by this build, which was made without the feature `formats`"
    )]
    Feature(String),
    #[error("it has {0} bytes, the limit is {MAX_BYTES}; divide it, or add a part of it")]
    TooLarge(u64),
    #[error("its text has {0} bytes, the limit is {MAX_BYTES}; divide it, or add a part of it")]
    LargeText(usize),
    #[error("it is not UTF-8 text: byte {0} is invalid; convert it to UTF-8")]
    NotText(usize),
    #[cfg(feature = "formats")]
    #[error("it is not text in its encoding {0}; convert it to UTF-8")]
    Encoding(&'static str),
    #[error("it is not text: it has NUL characters")]
    Nul,
    #[error("it has no text")]
    Empty,
}

/// The formats that are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    /// Texts that stay as they are.
    Text,
    Html,
}

impl Format {
    fn of(path: &str) -> Option<Self> {
        match extension(path).as_str() {
            "html" | "htm" | "xhtml" => Some(Self::Html),
            _ => is_text(path).then_some(Self::Text),
        }
    }
}

/// Returns the reason why a file of that name and size is not read at all.
pub(super) fn refused(path: &str, bytes: u64) -> Option<Unread> {
    match Format::of(path) {
        None => Some(Unread::Kind(extension(path))),
        #[cfg(not(feature = "formats"))]
        Some(Format::Html) => Some(Unread::Feature(extension(path))),
        Some(_) => (bytes > MAX_BYTES).then_some(Unread::TooLarge(bytes)),
    }
}

/// Returns the page that a file becomes.
pub(super) fn page(path: &str, bytes: Vec<u8>) -> Result<Made, Unread> {
    let made = match Format::of(path) {
        Some(Format::Text) => Made { path: path.to_owned(), text: plain(bytes)? },
        #[cfg(feature = "formats")]
        Some(Format::Html) => Made { path: format!("{path}.md"), text: html::markdown(&bytes)? },
        _ => return Err(Unread::Kind(extension(path))),
    };
    if made.text.len() as u64 > MAX_BYTES {
        return Err(Unread::LargeText(made.text.len()));
    }
    Ok(made)
}

fn plain(bytes: Vec<u8>) -> Result<String, Unread> {
    let text = String::from_utf8(bytes)
        .map_err(|error| Unread::NotText(error.utf8_error().valid_up_to()))?;
    if text.contains('\0') {
        return Err(Unread::Nul);
    }
    if text.trim().is_empty() {
        return Err(Unread::Empty);
    }
    Ok(text)
}

/// Returns the title of a page.
pub(super) fn title(path: &str, text: &str) -> String {
    if is_markdown(path) {
        return page_title(path, text);
    }
    page_title(path, "")
}
