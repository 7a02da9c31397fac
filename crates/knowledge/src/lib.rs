//! Knowledge packs: found, listed, activated, resolved and logged (KN-1 to KN-17).

pub mod fence;
pub mod finding;
pub mod item;
pub mod resolve;
pub mod usage;

pub use finding::Finding;
pub use item::{CatalogItem, Grounding, PackTrust, Profile, RuntimeMode, Scope, Status};
