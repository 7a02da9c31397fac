//! From a file of a source to a page of a pack (MA-4).
//!
//! Decision: a text stays as it is, byte for byte. What is not a text becomes Markdown under the
//! name of its file and `.md`, so that a page shows what it was made of and two files never become
//! the same page.

#[cfg(feature = "formats")]
mod archive;
#[cfg(feature = "formats")]
mod book;
#[cfg(feature = "formats")]
mod bounded;
#[cfg(feature = "formats")]
mod data;
#[cfg(feature = "formats")]
mod html;
#[cfg(feature = "formats")]
mod notebook;
#[cfg(feature = "formats")]
mod pdf;
#[cfg(feature = "formats")]
mod table;
#[cfg(feature = "formats")]
mod word;
#[cfg(feature = "formats")]
pub(super) mod xml;

use crate::section::{extension, generated_line, is_text, page_title};

/// Rises whenever the same file would become another page.
pub(super) const VERSION: u32 = 5;

/// The largest text that is read or made, in bytes, which is also the largest page that checks read.
pub(super) const MAX_BYTES: u64 = 16 << 20;

/// The largest file that is read of formats whose files are larger than their texts.
const MAX_PACKED: u64 = 128 << 20;

/// The longest name of a file that file systems take, in bytes.
const LONGEST_NAME: usize = 255;

/// A page of a pack.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Made {
    /// Its path in the folder of the pages.
    pub(super) path: String,
    pub(super) text: String,
}

/// The reason why a file does not become a page.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[cfg_attr(not(feature = "formats"), expect(dead_code, reason = "reasons of other formats"))]
pub(super) enum Unread {
    #[error("`.{0}` files are not read; `contexture knowledge sync --help` lists what is")]
    Kind(String),
    #[error(
        "`.{0}` files are not read by this build, which was made without the feature `formats`"
    )]
    Feature(String),
    #[error("it has {0} bytes, the limit is {1}; divide it, or add a part of it")]
    TooLarge(u64, u64),
    #[error("its text is larger than {MAX_BYTES} bytes; divide it, or add a part of it")]
    LargeText,
    #[error("it is not UTF-8 text: byte {0} is invalid; convert it to UTF-8")]
    NotText(usize),
    #[error("it is not text in its encoding {0}; convert it to UTF-8")]
    Encoding(&'static str),
    #[error("it is not text: it has NUL characters")]
    Nul,
    #[error("it is generated code: a line has {0} bytes; add the code that it is made of")]
    Generated(usize),
    #[error("it has no text")]
    Empty,
    #[error("it is damaged: {0}")]
    Damaged(String),
    #[error(
        "its part `{0}` unpacks to more than the limits, as in an archive that is made to do harm"
    )]
    Unpacked(String),
    #[error(
        "it declares or uses the entity `{0}`, which could name other files; save it anew without"
    )]
    Entity(String),
    #[error("it is encrypted; save it without a password")]
    Encrypted,
    #[error("none of its pages has text, as in a scan; read it with OCR first")]
    Scanned,
    #[error("its pages were not read within {0} seconds; divide it")]
    Slow(u64),
    #[error("the name of its page would have {0} bytes, the limit is {LONGEST_NAME}; rename it")]
    LongName(usize),
}

impl Unread {
    /// Reports whether the file may be whole another time, as when it was read while it was written.
    pub(super) const fn may_pass(&self) -> bool {
        matches!(self, Self::Damaged(_))
    }
}

/// The formats that are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    /// Texts that stay as they are.
    Text,
    Html,
    Csv,
    Tsv,
    Json,
    JsonLines,
    Notebook,
    Word,
    Book,
    Pdf,
}

impl Format {
    fn of(path: &str) -> Option<Self> {
        match extension(path).as_str() {
            "html" | "htm" | "xhtml" => Some(Self::Html),
            "csv" => Some(Self::Csv),
            "tsv" => Some(Self::Tsv),
            "json" => Some(Self::Json),
            "jsonl" | "ndjson" => Some(Self::JsonLines),
            "ipynb" => Some(Self::Notebook),
            "docx" => Some(Self::Word),
            "epub" => Some(Self::Book),
            "pdf" => Some(Self::Pdf),
            _ => is_text(path).then_some(Self::Text),
        }
    }

    /// Returns the largest file that is read.
    const fn limit(self) -> u64 {
        match self {
            Self::Notebook | Self::Word | Self::Book | Self::Pdf => MAX_PACKED,
            _ => MAX_BYTES,
        }
    }
}

/// Returns the largest file of that name that is read, in bytes.
pub(super) fn limit(path: &str) -> u64 {
    Format::of(path).map_or(0, Format::limit)
}

/// Returns the reason why a file of that name and size is not read at all.
pub(super) fn refused(path: &str, bytes: u64) -> Option<Unread> {
    let Some(format) = Format::of(path) else { return Some(Unread::Kind(extension(path))) };
    let is_known = format == Format::Text || is_text(path) && format != Format::Html;
    if !cfg!(feature = "formats") && !is_known {
        return Some(Unread::Feature(extension(path)));
    }
    (bytes > format.limit()).then(|| Unread::TooLarge(bytes, format.limit()))
}

/// Returns the page that a file becomes.
pub(super) fn page(path: &str, bytes: Vec<u8>) -> Result<Made, Unread> {
    match converted(path, &bytes)? {
        Some(text) if text.len() as u64 > MAX_BYTES => Err(Unread::LargeText),
        Some(text) => {
            let path = format!("{path}.md");
            let name = path.rsplit('/').next().map_or(0, str::len);
            if name > LONGEST_NAME { Err(Unread::LongName(name)) } else { Ok(Made { path, text }) }
        }
        None => {
            let text = plain(bytes)?;
            match generated_line(path, &text) {
                Some(line) => Err(Unread::Generated(line)),
                None => Ok(Made { path: path.to_owned(), text }),
            }
        }
    }
}

/// Returns the Markdown of a file; `None` when the file stays as it is.
#[cfg(feature = "formats")]
fn converted(path: &str, bytes: &[u8]) -> Result<Option<String>, Unread> {
    let title = crate::section::spoken(path);
    let text = || std::str::from_utf8(bytes).map_err(|error| Unread::NotText(error.valid_up_to()));
    let value = || {
        let text = text()?;
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        serde_json::from_str(text)
            .map_err(|error| Unread::Damaged(format!("it is not JSON: {error}")))
    };
    match Format::of(path) {
        Some(Format::Html) => html::markdown(bytes),
        Some(Format::Csv) => table::markdown(&title, text()?, delimiter(text()?)),
        Some(Format::Tsv) => table::markdown(&title, text()?, b'\t'),
        Some(Format::Json) => data::markdown(&title, &value()?),
        Some(Format::JsonLines) => data::lines(&title, text()?),
        Some(Format::Notebook) => notebook::markdown(&title, &value()?),
        Some(Format::Word) => word::markdown(&title, bytes),
        Some(Format::Book) => book::markdown(&title, bytes),
        Some(Format::Pdf) => pdf::markdown(&title, bytes),
        Some(Format::Text) | None => return Ok(None),
    }
    .map(Some)
}

/// Returns what the columns of a table are parted by: where a comma is the decimal point, it is `;`.
#[cfg(feature = "formats")]
fn delimiter(text: &str) -> u8 {
    let first = text.lines().next().unwrap_or_default();
    if first.contains(';') && !first.contains(',') { b';' } else { b',' }
}

#[cfg(not(feature = "formats"))]
fn converted(_: &str, _: &[u8]) -> Result<Option<String>, Unread> {
    Ok(None)
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
    page_title(path, text)
}
