//! The knowledge packs of a project: found, gated, resolved and logged (KN-2 to KN-15).
//!
//! Decision: one value for programs, the command line and servers, so that all of them may read the
//! same packs. Finding packs reads metadata only; all content passes the gate, which never asks
//! anybody by itself: it returns the question, see [`Question`].
//!
//! ```
//! use contexture::knowledge::resolve::Task;
//! use contexture::packs::{Options, Packs};
//! use contexture::{Environment, Project};
//!
//! # let folder = tempfile::tempdir()?;
//! # let folder = folder.path();
//! let pack = folder.join(".agents/knowledge/port");
//! std::fs::create_dir_all(pack.join("compiled"))?;
//! std::fs::write(pack.join("KNOWLEDGE.md"), "\
//! ---
//! name: port
//! description: Which ports the server uses.
//! type: domain-reference
//! status: ready
//! profile: wiki-first
//! ---
//! Read `compiled/ports.md`.
//! ")?;
//! std::fs::write(pack.join("compiled/ports.md"), "# Ports\n\nThe server listens on port 7878.\n")?;
//!
//! let project = Project::open(folder, Environment::default())?;
//! let packs = Packs::open(&project, Options::default());
//! assert_eq!(packs.discovery().packs[0].item.name, "port");
//!
//! // A pack of the project is read once somebody allows it.
//! let refused = packs.activate("port").unwrap_err();
//! let question = refused.question.as_ref().expect("somebody is to be asked");
//! packs.allow(question)?;
//! let found = packs.resolve(&["port"], &Task::new("Which port does the server listen on?", 500))?;
//! assert_eq!(found.selected_files, ["compiled/ports.md"]);
//! assert!(found.context.contains("port 7878"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod around;
mod check;
pub(crate) mod consent;
mod error;
#[cfg(feature = "knowledge")]
mod fetch;
mod on_demand;
mod opened;
mod options;
#[cfg(feature = "knowledge")]
mod organization;
#[cfg(not(feature = "knowledge"))]
#[path = "packs/organization_missing.rs"]
mod organization;
mod reference;
#[cfg(feature = "knowledge")]
mod resolve;
#[cfg(not(feature = "knowledge"))]
#[path = "packs/resolve_missing.rs"]
mod resolve;
mod sources;
mod usage;

#[cfg(feature = "knowledge")]
pub use crate::embedding::{RegisterError, RegisteredEmbedder, register_embedder};
pub(crate) use check::{faults, require};
pub use consent::Question;
pub use error::{NOT_ALLOWED, PacksError};
#[cfg(feature = "formats")]
pub use fetch::WebSources;
pub(crate) use on_demand::OnDemand;
pub use opened::Packs;
pub use options::{DEFAULT_BUDGET, Options};
pub use reference::pack_of;
pub(crate) use reference::{AskedOf, KNOWLEDGE, asked_of, file_in_pack, parts_of};
