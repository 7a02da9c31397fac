//! The servers of Contexture.
//!
//! There are three, which share the form of a [`Fault`] and the rules of HTTP:
//!
//! - [`mcp`] offers a project's knowledge packs, references and programs to clients of the Model
//!   Context Protocol (KN-16, REF-10);
//! - [`serve`] speaks the context protocol with apps: conversations with agents, and the
//!   contexts of these conversations (CP-5…CP-20);
//! - [`inspect`] shows the kept runs of a project in a browser (IN-1).
//!
//! Decision: the servers are in one crate above the façade, on which all of them stand;
//! each follows its own protocol. `serve` and [`inspect`] share the tokens, and `serve` offers the routes
//! of the inspector below a path of its own.
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

mod credential;
mod fault;
pub mod inspect;
mod masking;
pub mod mcp;
mod query;
mod route;
pub mod serve;
#[cfg(feature = "otel")]
pub mod traces;
mod web;

pub use fault::Fault;
