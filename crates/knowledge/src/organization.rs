//! Packs of an organization: archives, checked and unpacked, and a registry over HTTP (KN-2,
//! KN-16).
//!
//! [`mount`] unpacks an archive into a cache, under the digest of the archive; [`add`] unpacks one
//! into the folder of a scope, which is how a pack is uploaded; [`registry`] fetches what the index
//! of a registry names.
//!
//! Decision: an archive is taken apart entry by entry and never trusted. Each path is checked as if
//! it were meant for the worst of file systems; links, devices and everything else that is neither
//! file nor folder is refused, and so is an archive that holds one bad entry. Files are written
//! into a folder of their own beside their place, which is renamed when all is well: a pack is
//! there whole or not at all. Hidden files are left out, since they are not part of a pack.
//!
//! ```
//! use contexture_knowledge::organization::{ArchiveLimits, add};
//!
//! let folder = tempfile::tempdir()?;
//! let archive = folder.path().join("pack.zip");
//! std::fs::write(&archive, "no archive")?;
//! let into = folder.path().join("knowledge");
//! let error = add(&archive, &into, false, &[], &ArchiveLimits::default()).unwrap_err();
//! assert_eq!(error.code().code, "KN3001");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod add;
mod archive;
mod error;
mod fetch;
mod mount;
mod registry;
mod settle;
mod unpack;

pub use add::{Added, add};
pub use archive::ArchiveLimits;
pub use error::{ArchiveError, OrganizationError};
pub use fetch::{Fetch, FetchError, Fetched, MemoryFetch};
pub use mount::{Mounted, folders, mount, mount_bytes};
pub use registry::{Registry, RegistryOptions, registry};

#[cfg(test)]
mod tests;
