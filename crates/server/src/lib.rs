//! The servers of Contexture.
//!
//! There are two, which share only the form of a [`Fault`]:
//!
//! - [`mcp`] offers a project's knowledge packs, references and programs to clients of the Model
//!   Context Protocol (KN-16, REF-10);
//! - [`serve`] speaks the context protocol with apps: conversations with agents, and the
//!   contexts of these conversations (CP-5…CP-20).
//!
//! Decision: both servers are in one crate above the façade, since both run
//! programs; neither knows the other, so each follows its own protocol.
//!
//! ```
//! use contexture::{Environment, Project};
//! use contexture_server::mcp::{Server, Settings};
//!
//! # let folder = tempfile::tempdir()?;
//! # let folder = folder.path();
//! std::fs::write(folder.join("double.as"), r#"
//!     main agent Double {
//!       description "Twice a number."
//!       main func(number integer) { number * 2 }
//!     }
//! "#)?;
//!
//! let project = Project::open(folder, Environment::default())?;
//! let settings = Settings { programs: Some(folder.to_owned()), ..Settings::new(project) };
//! let server = Server::open(settings)?;
//! assert_eq!(server.tools(), ["load_resource", "Double"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod fault;
mod masking;
pub mod mcp;
pub mod serve;
mod web;

pub use fault::Fault;
