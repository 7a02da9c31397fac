//! A project as a server of the Model Context Protocol, over stdio and streamable HTTP
//! (KN-16, REF-10).
//!
//! A [`Server`] offers one project: its knowledge packs as tools and resources, its
//! references through `load_resource`, and its programs, each as a tool whose schema is the shape of
//! its input. [`stdio::serve`] and [`http::Listening`] are its transports.
//!
//! Decision: an error in a call is the result of that call, with its cause as text and
//! fields; protocol errors are for unknown tools and resources. The server
//! writes only messages to stdout, and reports to its starter what it left out.

mod arguments;
mod client;
pub mod codes;
pub mod http;
mod knowledge;
mod load;
mod offered;
mod operator;
mod program;
mod prompts;
mod read;
pub(crate) mod said;
mod server;
mod session;
pub mod stdio;
mod tasks;
pub mod token;
mod tool;
mod uri;

pub use server::{Server, Settings};
