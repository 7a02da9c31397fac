//! `http(s)://origin`: requests to one origin and nowhere else (AS-25).
//!
//! Decisions: redirects are followed while they stay on the origin and refused when they leave it;
//! an address is checked where the name is resolved, so what was checked is what is connected to;
//! the proxy of the environment is not used, since it would hide the address. No
//! error repeats a header, a query or a body.

mod error;
mod origin;
mod request;
#[cfg(test)]
mod tests;

pub(crate) use origin::Clients;
pub use origin::Origin;
pub(crate) use request::call;
