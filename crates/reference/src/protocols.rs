//! The protocols that read something: the one part of this crate that is a door to the outside
//! (REF-20 to REF-24).
#![allow(
    clippy::disallowed_methods,
    reason = "protocols are the door: files and networks are read here"
)]

mod address;
mod environment;
mod file;
mod ftp;
mod http;
mod memory;
mod network;
mod sftp;

pub use environment::Environment;
pub use file::{Files, Located};
pub use ftp::Ftp;
pub use http::{CacheSettings, Http, HttpSettings};
pub use memory::{Keys, KeysFuture, Memory, Remembered};
pub use network::{NetworkSettings, Timeouts};
pub use sftp::{Sftp, SshSettings};
