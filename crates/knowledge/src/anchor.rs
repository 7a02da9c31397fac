//! Source anchors: where a claim comes from (KN-12).
//!
//! An anchor is `[source: FILE#FRAGMENT]` in a text, or an entry of `indexes/source-map.json`. The
//! fragment is a line (`#L42`, `#L42-L50`), a page (`#page=4`), a time (`#t=00:12:33`) or a
//! heading. Pages and times are checked against the source's own: its page breaks and marks, the
//! times of a transcript. Anchors in a source without these, such as a recording, are accepted.
//!
//! ```
//! use contexture_knowledge::anchor::anchors;
//!
//! let found = anchors("Works offline. [source: sources/one-pager.md#L12]");
//! assert_eq!(found[0].to_string(), "sources/one-pager.md#L12");
//! ```

mod check;
mod cited;
mod map;
mod text;

pub use check::{AnchorFiles, Facts, problem};
pub(crate) use check::{decoded, joined};
pub use cited::{Citable, Text};
pub(crate) use map::comparable;
pub use map::{Mapped, SOURCE_MAP, SourceMap};
pub use text::{Anchor, Claim, anchors, claims};
pub(crate) use text::{code, without_forged};

#[cfg(test)]
mod tests;
