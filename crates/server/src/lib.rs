//! The doors that other programs come in by: an MCP server over stdio and streamable HTTP (KN-16).
//!
//! A [`Server`] is what one project offers: its knowledge packs as tools and resources, its
//! references through `load_resource` (REF-10), and its programs, each as a tool with the shape of
//! its input as schema. [`stdio::serve`] and [`http::serve`] put it on a wire.
//!
//! Decision: whatever goes wrong in a call is the result of that call, with its cause in words and
//! fields; an error of the protocol is left for what names no tool or resource at all. The server
//! writes nothing on stdout but messages, and tells whoever started it what it left out.
//!
//! ```
//! use contexture::{Environment, Project};
//! use contexture_server::{Server, Settings};
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

mod arguments;
pub mod codes;
mod fault;
pub mod http;
mod knowledge;
mod load;
mod program;
pub mod serve;
mod server;
mod session;
pub mod stdio;
pub mod token;
mod tool;
mod uri;

pub use fault::Fault;
pub use server::{Server, Settings};
