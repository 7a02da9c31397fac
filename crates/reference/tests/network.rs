//! Protocols of networks against servers on loopback that behave badly (REF-20, REF-22, REF-23).
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    reason = "tests"
)]

#[path = "network/cache.rs"]
mod cache;
#[path = "network/ftp.rs"]
mod ftp;
#[path = "network/http.rs"]
mod http;
#[path = "network/ssh.rs"]
mod ssh;
#[path = "network/support.rs"]
mod support;
