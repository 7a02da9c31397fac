//! The protocols that read something: the one part of this crate that is a door to the outside
//! (REF-20 to REF-24).
#![allow(
    clippy::disallowed_methods,
    reason = "protocols are the door: files and networks are read here"
)]

mod environment;
mod file;
mod memory;

pub use environment::Environment;
pub use file::{Files, Located};
pub use memory::{Keys, KeysFuture, Memory, Remembered};
