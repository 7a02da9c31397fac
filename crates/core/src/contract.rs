//! Contracts of the ports, for the tests of those who implement them (HO-2).
//!
//! Each function runs one suite against an implementation and panics with what it breaks. Our own
//! implementations pass the same suites.

mod reference;

pub use reference::{ProtocolExample, protocol};
