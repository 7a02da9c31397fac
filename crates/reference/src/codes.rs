//! The registry of the codes of references: one stable code per kind of fault.
//!
//! `REF1…` is the text of a reference, `REF2…` definitions of protocols, `REF3…` loading, `REF4…`
//! networks. A code is never given a new meaning. Each block is a file of its own below `codes`.
//!
//! ```
//! use contexture_reference::{codes, syntax::Reference};
//!
//! let error = Reference::parse("@file:a.md").unwrap_err();
//! let code = codes::find(error.code).ok_or("every code is known")?;
//! assert_eq!((code.code, code.name), ("REF1004", "missing-slashes"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod definition;
mod loading;
mod network;
mod syntax;

pub use definition::*;
pub use loading::*;
pub use network::*;
pub use syntax::*;

pub use contexture_diagnostic::Code;

/// The blocks of codes, each sorted by code.
const BLOCKS: &[&[Code]] = &[syntax::BLOCK, definition::BLOCK, loading::BLOCK, network::BLOCK];

/// All kinds, by code.
pub fn all() -> impl Iterator<Item = &'static Code> {
    BLOCKS.iter().flat_map(|block| block.iter())
}

/// The kind that a code names.
#[must_use]
pub fn find(code: &str) -> Option<&'static Code> {
    all().find(|known| known.code == code)
}

/// Declares the codes of one block: constants, and `BLOCK` with all of them.
macro_rules! block {
    ($($constant:ident $code:literal $name:literal $severity:ident $summary:literal
        $explanation:literal)*) => {
        $(
            #[doc = $summary]
            pub const $constant: $crate::codes::Code = $crate::codes::Code::new(
                $code,
                $name,
                contexture_diagnostic::Severity::$severity,
                $summary,
            )
            .explained($explanation);
        )*
        /// All codes of this block.
        pub(super) const BLOCK: &[$crate::codes::Code] = &[$($constant),*];
    };
}
use block;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ref_4_codes_are_unique_ordered_and_explained() {
        for block in BLOCKS {
            assert!(block.is_sorted_by_key(|code| code.code));
        }
        let mut codes: Vec<&str> = all().map(|code| code.code).collect();
        let mut names: Vec<&str> = all().map(|code| code.name).collect();
        codes.sort_unstable();
        names.sort_unstable();
        assert!(codes.windows(2).all(|pair| pair[0] != pair[1]), "{codes:?}");
        assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "{names:?}");
        assert!(all().all(|code| code.summary.ends_with('.') && code.explanation.ends_with('.')));
        assert!(find("REF9999").is_none());
    }
}
