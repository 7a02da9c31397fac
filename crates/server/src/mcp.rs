//! The Model Context Protocol's door: a project as an MCP server, over stdio and streamable HTTP
//! (KN-16, REF-10).
//!
//! A [`Server`] is what one project offers: its knowledge packs as tools and resources, its
//! references through `load_resource`, and its programs, each as a tool with the shape of its input
//! as schema. [`stdio::serve`] and [`http::Listening`] put it on a wire.
//!
//! Decision: whatever goes wrong in a call is the result of that call, with its cause in words and
//! fields; an error of the protocol is left for what names no tool or resource at all. The server
//! writes nothing on stdout but messages, and tells whoever started it what it left out.

mod arguments;
pub mod codes;
pub mod http;
mod knowledge;
mod load;
mod program;
mod read;
pub(crate) mod said;
mod server;
mod session;
pub mod stdio;
pub mod token;
mod tool;
mod uri;

pub use server::{Server, Settings};
