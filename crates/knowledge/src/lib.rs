//! Knowledge packs: found, listed, activated, resolved and logged (KN-1 to KN-17).
//!
//! A pack is a folder with a `KNOWLEDGE.md`. It reaches a model in tiers, each read only when it is
//! reached: [`discover`] reads the frontmatter of all packs, [`catalog`] lists them for a model,
//! [`activate`] shows the guide of one, [`resolve`] selects the sections that a task needs.
//!
//! Decision: a pack's content is data, whoever wrote it. Nothing of it is run, every text of it
//! that a model sees is escaped or stands in a fence, and what comes with a project passes a
//! [`Gate`] that somebody opens for the very content. Packs are never refused by a failure: what is
//! wrong with one is a [`Finding`], and the others continue.
//!
//! ```
//! # let folder = tempfile::tempdir()?;
//! # let write = |path: &str, text: &str| -> std::io::Result<()> {
//! #     let path = folder.path().join(".agents/knowledge/acme").join(path);
//! #     std::fs::create_dir_all(path.parent().ok_or(std::io::ErrorKind::NotFound)?)?;
//! #     std::fs::write(path, text)
//! # };
//! # write("KNOWLEDGE.md", "---\nname: acme\ndescription: Facts about the Acme Widget.\ntype: brand-product\nstatus: ready\nprofile: wiki-first\n---\n# Acme\n\nStart with the briefing.\n")?;
//! # write("compiled/briefing.md", "# Price\n\nThe widget costs 12 euros.\n")?;
//! use contexture_knowledge::{Consent, DiscoveryOptions, Gate, Roots, activate, catalog, discover};
//!
//! let roots = Roots { project: Some(folder.path().to_owned()), ..Roots::default() };
//! let found = discover(&roots, &DiscoveryOptions::default());
//! let listing = catalog::xml(&found.packs);
//! assert!(listing.contains("<description>Facts about the Acme Widget.</description>"));
//!
//! // A project's pack needs consent, which names it by its digest.
//! let pack = found.open("acme")?;
//! let mut gate = Gate::new(None, Vec::new());
//! assert_eq!(gate.needs(&pack)?, [Consent::Workspace]);
//! gate.remember(&pack)?;
//! assert_eq!(gate.needs(&pack)?, []);
//!
//! let guide = activate(&pack)?;
//! assert!(guide.text.contains("<file kind=\"runtime\">compiled/briefing.md</file>"));
//! assert!(guide.text.ends_with("</knowledge_pack_guide>"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![cfg_attr(
    not(feature = "search"),
    allow(dead_code, unused_imports, reason = "the resolver and the maintenance use it")
)]

pub mod anchor;
pub mod approval;
pub mod builtin;
pub mod catalog;
pub mod codes;
pub mod discovery;
pub mod fence;
mod files;
pub mod finding;
#[cfg(feature = "embedder")]
pub mod folder_model;
mod gitignore;
pub mod guide;
#[cfg(feature = "search")]
mod index;
pub mod item;
mod linking;
#[cfg(feature = "search")]
pub mod maintenance;
pub mod manifest;
#[cfg(feature = "organization")]
pub mod organization;
pub mod pack;
pub mod resolve;
mod said;
pub mod section;
pub mod session;
#[cfg(test)]
mod support;
#[cfg(feature = "search")]
pub mod sync;
#[cfg(feature = "search")]
pub mod synonyms;
pub mod usage;
mod xml;

pub use approval::{Allowance, Consent, Gate};
pub use discovery::{Discovery, DiscoveryOptions, Found, Roots, discover};
pub use finding::Finding;
pub use guide::{Guide, activate};
pub use item::{CatalogItem, Grounding, PackTrust, Profile, RuntimeMode, Scope, Status};
pub use pack::{FileKind, LeftOut, LeftOutKind, Listing, Pack, PackError, PackFile};
