//! The registry of the codes of knowledge packs: one stable code per kind of fault.
//!
//! `KN1…` is discovery, manifests and opening a pack, `KN2…` the resolver, `KN3…` organizations and
//! archives, `KN4…` maintenance. A code is never given a new meaning. Each block is a file of its
//! own below `codes`.
//!
//! ```
//! use contexture_knowledge::codes;
//!
//! let code = codes::ALL.find("KN1107").ok_or("every code is known")?;
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

pub use contexture_diagnostic::{Code, Codes};

/// All kinds.
pub const ALL: Codes = Codes::new(&[
    discovery::TABLE,
    manifest::TABLE,
    pack::TABLE,
    organization::TABLE,
    maintenance::TABLE,
]);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kn_3_codes_are_unique_ordered_and_explained() {
        assert_eq!(ALL.faults(), [""; 0]);
        assert!(ALL.find("KN9999").is_none());
    }
}
