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
#[cfg(feature = "network")]
#[cfg_attr(
    not(all(feature = "ftp", feature = "http", feature = "ssh")),
    allow(dead_code, reason = "each protocol uses a part")
)]
mod fault;
mod file;
#[cfg(feature = "ftp")]
mod ftp;
#[cfg(feature = "http")]
mod http;
mod memory;
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
#[cfg(feature = "network")]
pub use network::{NetworkSettings, Timeouts};
#[cfg(feature = "ssh")]
pub use sftp::{Sftp, SshSettings};

use contexture_diagnostic::MissingFeature;

/// Returns the feature that adds a protocol which this build leaves out.
pub(crate) fn missing(protocol: &str) -> Option<MissingFeature> {
    let (is_there, part, feature) = match protocol {
        "ftp" => (cfg!(feature = "ftp"), "references over ftp", "references-ftp"),
        "http" | "https" => (cfg!(feature = "http"), "references over http", "references-net"),
        "sftp" | "ssh" => (cfg!(feature = "ssh"), "references over ssh", "references-ssh"),
        _ => return None,
    };
    (!is_there).then_some(MissingFeature { part, feature })
}
