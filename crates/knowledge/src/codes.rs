//! The registry of the codes of knowledge packs: one stable code per kind of fault.
//!
//! `KN1…` is discovery, manifests and opening a pack, `KN2…` the resolver, `KN3…` organizations and
//! archives, `KN4…` maintenance. A code is never given a new meaning. Each block is a file of its
//! own below `codes`.
//!
//! ```
//! use contexture_knowledge::codes;
//!
//! let code = codes::find("KN1107").ok_or("every code is known")?;
//! assert_eq!(code.name, "missing-description");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod discovery;
mod maintenance;
mod manifest;
mod organization;
mod pack;

pub use discovery::*;
pub use maintenance::*;
pub use manifest::*;
pub use organization::*;
pub use pack::*;

pub use contexture_diagnostic::Code;

/// The blocks of codes, each sorted by code.
const BLOCKS: &[&[Code]] =
    &[discovery::BLOCK, manifest::BLOCK, pack::BLOCK, organization::BLOCK, maintenance::BLOCK];

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
    fn kn_3_codes_are_unique_ordered_and_explained() {
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
        assert!(find("KN9999").is_none());
    }
}
