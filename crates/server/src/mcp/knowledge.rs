//! Knowledge packs over MCP: catalog, guide, context and files, as tools and as resources (KN-16).
//!
//! Decision: everything goes through the [`Packs`] of the project, so a client may read exactly what
//! a program may. A pack that needs permission is listed with its metadata; every
//! other call for it returns an error that shows how to allow it (KN-8).

mod file;
mod resources;
mod served;
mod tools;
mod view;

pub(crate) use served::Knowledge;
pub(crate) use tools::{NAMES, tools};
pub(crate) use view::Generation;
