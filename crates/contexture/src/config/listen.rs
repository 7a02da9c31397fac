//! The address that a server listens on, as people write it.

use serde::{Deserialize, Deserializer};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

/// The port of an example.
const PORT: u16 = 7878;

/// Reads `127.0.0.1:7878`, `[::1]:7878`, or `localhost:7878`, which is 127.0.0.1. Other names are
/// refused: what they stand for may change, and with it who reaches the server.
///
/// # Errors
/// The expected form, with an address that may have been meant.
///
/// ```
/// use contexture::config::listen_address;
/// assert_eq!(listen_address("localhost:9000")?.to_string(), "127.0.0.1:9000");
/// let expected = "expected an IP address and a port, such as 127.0.0.1:9000";
/// assert_eq!(listen_address(":9000").unwrap_err(), expected);
/// # Ok::<(), String>(())
/// ```
pub fn listen_address(text: &str) -> Result<SocketAddr, String> {
    let here = |port: u16| SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let local = || text.strip_prefix("localhost:")?.parse().ok().map(here);
    if let Some(address) = text.parse().ok().or_else(local) {
        return Ok(address);
    }
    let port = text.strip_prefix(':').unwrap_or(text).parse().ok().map(here);
    let host = || text.parse().ok().map(|host: IpAddr| SocketAddr::new(host, PORT));
    let meant = port.or_else(host).unwrap_or(here(PORT));
    Err(format!("expected an IP address and a port, such as {meant}"))
}

/// Reads the address of a setting.
pub(super) fn read<'de, D: Deserializer<'de>>(from: D) -> Result<Option<SocketAddr>, D::Error> {
    let text = String::deserialize(from)?;
    listen_address(&text).map(Some).map_err(serde::de::Error::custom)
}
