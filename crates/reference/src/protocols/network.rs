//! Shared parts of all protocols of networks: settings, connections that keep to the rules of addresses,
//! time-outs, and failures that show no secret (REF-22, REF-23).

use super::address::Endpoint;
use super::fault::Fault;
use crate::text;
use contexture_context::Trust;
use contexture_core::reference::{Content, LoadError, Loaded, Request, Resource};
use contexture_tools::address::Reach;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::net::TcpStream;
use url::Host;

/// The settings of every connection.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NetworkSettings {
    /// The hosts that may be private, loopback or link-local, as `host` or `host:port`.
    pub allow_private: Vec<String>,
    /// The time limits.
    pub timeouts: Timeouts,
}

/// Time limits; each breach is an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeouts {
    /// For a name to be resolved and a connection to be made.
    pub connect: Duration,
    /// For the next piece of an answer.
    pub idle: Duration,
    /// For the whole of a load.
    pub total: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            idle: Duration::from_secs(30),
            total: Duration::from_secs(120),
        }
    }
}

/// Waits for a future at most so long.
pub(super) async fn within<T>(
    limit: Duration,
    late: impl FnOnce() -> Fault,
    future: impl Future<Output = Result<T, Fault>>,
) -> Result<T, Fault> {
    tokio::time::timeout(limit, future).await.unwrap_or_else(|_| Err(late()))
}

/// Returns the one file that a path of ftp, sftp or ssh names, fetched within the time for the
/// whole.
pub(super) async fn one_file(
    request: Request<'_>,
    endpoint: &Endpoint,
    limit: Duration,
    fetch: impl Future<Output = Result<Vec<u8>, Fault>>,
) -> Result<Loaded, LoadError> {
    let late = || Fault::late(&endpoint.to_string(), "did not answer whole", limit);
    let bytes = within(limit, late, fetch).await.map_err(|fault| fault.at(request.reference))?;
    let resource = Resource {
        reference: request.reference.to_owned(),
        media_type: text::media_type_of(&endpoint.path).to_owned(),
        content: Content::Bytes(bytes),
        trust: Trust::Web,
        place: None,
    };
    Ok(Loaded { resources: vec![resource], ..Loaded::default() })
}

/// Connects to an endpoint: to an address that was checked, and to no other.
pub(super) async fn connect(
    endpoint: &Endpoint,
    settings: &NetworkSettings,
) -> Result<TcpStream, Fault> {
    let who = endpoint.to_string();
    let limit = settings.timeouts.connect;
    let late = || Fault::late(&who, "could not be reached", limit);
    within(limit, late, async {
        let mut reason = "it has no address".to_owned();
        for address in addresses(endpoint, &settings.allow_private).await? {
            match TcpStream::connect(address).await {
                Ok(stream) => return Ok(stream),
                Err(error) => reason = error.to_string(),
            }
        }
        Err(Fault::unreachable(&who, reason))
    })
    .await
}

async fn addresses(
    endpoint: &Endpoint,
    allow_private: &[String],
) -> Result<Vec<SocketAddr>, Fault> {
    let port = endpoint.port;
    let reach = Reach::public(&endpoint.host, port, allow_private)?;
    Ok(match &endpoint.host {
        Host::Ipv4(address) => vec![SocketAddr::from((*address, port))],
        Host::Ipv6(address) => vec![SocketAddr::from((*address, port))],
        Host::Domain(name) => reach.resolve(name, port).await?,
    })
}
