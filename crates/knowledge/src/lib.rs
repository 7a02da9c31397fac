//! Knowledge packs: found, listed, activated, resolved and logged (KN-1 to KN-17).

pub mod anchor;
pub mod approval;
pub mod builtin;
pub mod catalog;
pub mod codes;
pub mod discovery;
pub mod fence;
pub mod finding;
pub mod guide;
mod index;
pub mod item;
pub mod maintenance;
pub mod manifest;
pub mod organization;
pub mod pack;
pub mod resolve;
pub mod session;
pub mod section;
#[cfg(test)]
mod support;
pub mod usage;
mod xml;

pub use approval::{Allowance, Consent, Gate};
pub use discovery::{Discovery, DiscoveryOptions, Found, Roots, discover};
pub use finding::Finding;
pub use guide::{Guide, activate};
pub use item::{CatalogItem, Grounding, PackTrust, Profile, RuntimeMode, Scope, Status};
pub use pack::{FileKind, Pack, PackError, PackFile};
