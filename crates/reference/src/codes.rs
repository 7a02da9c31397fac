//! The registry of the codes of references: one stable code per kind of fault.
//!
//! `REF1…` is the text of a reference, `REF2…` definitions of protocols, `REF3…` loading, `REF4…`
//! networks. A code is never given a new meaning. Each block is a file of its own below `codes`.
//!
//! ```
//! use contexture_reference::{codes, syntax::Reference};
//!
//! let error = Reference::parse("@file:a.md").unwrap_err();
//! let code = codes::ALL.find(error.code).ok_or("every code is known")?;
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

pub use contexture_diagnostic::{Code, Codes};

/// All kinds.
pub const ALL: Codes =
    Codes::new(&[syntax::TABLE, definition::TABLE, loading::TABLE, network::TABLE]);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ref_4_codes_are_unique_ordered_and_explained() {
        assert_eq!(ALL.faults(), [""; 0]);
        assert!(ALL.find("REF9999").is_none());
    }
}
