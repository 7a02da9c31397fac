//! Source anchors: where a claim comes from (KN-12).
//!
//! An anchor is `[source: FILE#FRAGMENT]` in a text, or an entry of `indexes/source-map.json`. The
//! fragment is a line (`#L42`, `#L42-L50`), a page (`#page=4`), a time (`#t=00:12:33`) or a
//! heading. Pages and times are held against what the source says of its own: its page breaks and
//! marks, the times of a transcript. A source that says nothing, such as a recording, is taken at
//! its word.
//!
//! ```
//! use contexture_knowledge::anchor::anchors;
//!
//! let found = anchors("Works offline. [source: sources/one-pager.md#L12]");
//! assert_eq!(found[0].to_string(), "sources/one-pager.md#L12");
//! ```

mod check;
mod claims;
mod code;
mod extent;
mod map;

pub use check::{AnchorFiles, Facts, problem};
pub(crate) use check::{decoded, joined};
pub use claims::{Claim, claims};
pub(crate) use code::code;
pub(crate) use map::comparable;
pub use map::{Mapped, SOURCE_MAP, SourceMap};

use std::fmt;
use std::ops::Range;

/// A place in a file of the pack, or an address elsewhere, that a claim comes from.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Anchor {
    /// The file, relative to the pack or to the file the anchor stands in; or an address.
    pub file: String,
    /// The place in it, without the `#`.
    pub fragment: Option<String>,
    /// Where the anchor stands in the text that it was read from, brackets included.
    pub at: Range<usize>,
}

impl Anchor {
    /// Reads `FILE#FRAGMENT`; `None` when there is no file.
    #[must_use]
    pub fn parse(text: &str, at: Range<usize>) -> Option<Self> {
        let text = text.trim().trim_matches(['`', '<', '>', '"', '\'']).trim();
        let (file, fragment) = match text.split_once('#') {
            Some((file, fragment)) => (file.trim(), Some(fragment.trim())),
            None => (text, None),
        };
        let fragment = fragment.filter(|fragment| !fragment.is_empty()).map(str::to_owned);
        (!file.is_empty()).then(|| Self { file: file.to_owned(), fragment, at })
    }

    /// Reports whether it points outside of every pack.
    #[must_use]
    pub fn is_address(&self) -> bool {
        self.file.split_once(':').is_some_and(|(scheme, _)| {
            scheme.len() > 1
                && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
        })
    }
}

impl fmt::Display for Anchor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.fragment {
            Some(fragment) => write!(f, "{}#{fragment}", self.file),
            None => f.write_str(&self.file),
        }
    }
}

/// Returns the anchors of a text, in their order. One pair of brackets may hold several, parted by
/// `;`.
#[must_use]
pub fn anchors(text: &str) -> Vec<Anchor> {
    let mut found = Vec::new();
    for (open, _) in text.match_indices('[') {
        let inside = text.get(open + 1..).unwrap_or_default();
        let Some(rest) = after_keyword(inside) else { continue };
        let line = rest.split('\n').next().unwrap_or_default();
        let Some((list, _)) = line.split_once(']') else { continue };
        let end = open + 1 + (inside.len() - rest.len()) + list.len() + 1;
        let parts = list.split([';', '；']).flat_map(|part| part.split(", "));
        found.extend(parts.filter_map(|part| Anchor::parse(part, open..end)));
    }
    found
}

/// Returns what follows `source:` at the beginning of a text.
fn after_keyword(text: &str) -> Option<&str> {
    let text = text.trim_start_matches(' ');
    let rest = ["sources", "source"].iter().find_map(|word| {
        let (head, rest) = text.split_at_checked(word.len())?;
        head.eq_ignore_ascii_case(word).then_some(rest)
    });
    let rest = rest.or_else(|| text.strip_prefix("来源"))?;
    rest.trim_start_matches(' ').strip_prefix([':', '：'])
}

#[cfg(test)]
mod tests;
