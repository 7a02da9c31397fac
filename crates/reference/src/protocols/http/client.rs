//! One client per origin: which addresses it may connect to is the origin's.

use super::super::network::{Fault, NetworkSettings};
use contexture_tools::address::Reach;
use contexture_tools::client;
use reqwest::Client;
use url::{Origin, Url};

/// The clients by origin.
pub(super) type Clients = client::Clients<Origin>;

/// Returns the client of a URL's origin.
pub(super) fn of(
    clients: &Clients,
    url: &Url,
    settings: &NetworkSettings,
) -> Result<Client, Fault> {
    clients.get(&url.origin(), || make(url, settings))
}

fn make(url: &Url, settings: &NetworkSettings) -> Result<Client, Fault> {
    let host = url.host().ok_or_else(|| no_client("the address has no host"))?;
    let port = url.port_or_known_default().unwrap_or_default();
    let reach = Reach::public(&host, port, &settings.allow_private)?;
    let builder = client::guarded(url.scheme() == "https", reach)
        .map_err(no_client)?
        .connect_timeout(settings.timeouts.connect)
        .read_timeout(settings.timeouts.idle)
        .retry(reqwest::retry::never());
    client::build(builder).map_err(no_client)
}

fn no_client(reason: impl std::fmt::Display) -> Fault {
    let message = format!("no HTTP client could be made: {reason}");
    Fault::new("REF4017", message, "see whether the system's certificates are installed")
}
