//! The protocols that read something: the one part of this crate that is a door to the outside
//! (REF-20 to REF-24).
#![allow(
    clippy::disallowed_methods,
    reason = "protocols are the door: files and networks are read here"
)]

#[cfg(feature = "network")]
#[cfg_attr(
    not(all(feature = "ftp", feature = "http", feature = "ssh")),
    allow(dead_code, reason = "each protocol uses a part")
)]
mod address;
mod environment;
mod file;
#[cfg(feature = "ftp")]
mod ftp;
#[cfg(feature = "http")]
mod http;
mod memory;
mod missing;
#[cfg(feature = "network")]
#[cfg_attr(
    not(all(feature = "ftp", feature = "http", feature = "ssh")),
    allow(dead_code, reason = "each protocol uses a part")
)]
mod network;
#[cfg(feature = "ssh")]
mod sftp;

pub use environment::Environment;
pub use file::{Files, Located};
#[cfg(feature = "ftp")]
pub use ftp::Ftp;
#[cfg(feature = "http")]
pub use http::{CacheSettings, Http, HttpSettings};
pub use memory::{Keys, KeysFuture, Memory, Remembered};
pub(crate) use missing::missing;
#[cfg(feature = "network")]
pub use network::{NetworkSettings, Timeouts};
#[cfg(feature = "ssh")]
pub use sftp::{Sftp, SshSettings};
