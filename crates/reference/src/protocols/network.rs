//! What all protocols of networks share: settings, connections that keep to the rules of addresses,
//! time-outs, and failures that show no secret (REF-22, REF-23).

use super::address::Endpoint;
use super::file::media;
use crate::syntax::redact;
use contexture_context::Trust;
use contexture_core::reference::{Content, LoadError, Loaded, Request, Resource};
use contexture_tools::address::{Reach, Refused, ResolveError};
use std::net::SocketAddr;
use std::time::Duration;
use tokio::net::TcpStream;
use url::Host;

/// The settings of every connection.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NetworkSettings {
    /// The hosts that may be private, loopback or link-local, as `host` or `host:port`.
    pub allow_private: Vec<String>,
    /// How long is waited.
    pub timeouts: Timeouts,
}

/// How long is waited; each breach is an error.
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

/// Why a protocol of the network failed, without the reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) code: &'static str,
    message: String,
    help: String,
}

impl Fault {
    /// Returns a failure; user info of addresses in its message is removed.
    pub(super) fn new(code: &'static str, message: impl AsRef<str>, help: &str) -> Self {
        let message = redact(message.as_ref()).into_owned();
        Self { code, message, help: help.to_owned() }
    }

    pub(super) fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = help.into();
        self
    }

    pub(super) fn at(self, reference: &str) -> LoadError {
        LoadError::new(self.code, reference, self.message).with_help(self.help)
    }

    /// The answer has more bytes than may be loaded.
    pub(super) fn too_large(limit: u64) -> Self {
        let message = format!("it has more than {limit} bytes");
        Self::new("REF3013", message, "name a smaller resource, or raise the limit")
    }

    /// Returns a wait that took too long.
    pub(super) fn late(who: &str, what: &str, limit: Duration) -> Self {
        let message = format!("{who} {what} within {}", shown(limit));
        Self::new("REF4005", message, "try again later, or allow more time")
    }

    /// Returns a connection that ended where more was announced.
    pub(super) fn broken_off(who: &str, reason: impl std::fmt::Display) -> Self {
        Self::new("REF4006", format!("the answer of {who} broke off: {reason}"), "try again")
    }

    pub(super) fn unreachable(who: &str, reason: impl std::fmt::Display) -> Self {
        let message = format!("{who} could not be reached: {reason}");
        Self::new("REF4004", message, "see whether the server runs and can be reached from here")
    }

    /// Returns an answer that is not of the protocol.
    pub(super) fn strange(who: &str, reason: impl std::fmt::Display) -> Self {
        let message = format!("the answer of {who} can't be understood: {reason}");
        Self::new("REF4014", message, "see whether the address and the port are the server's")
    }
}

impl From<Refused> for Fault {
    fn from(refused: Refused) -> Self {
        Self::new(
            "REF4002",
            refused.to_string(),
            "if this is meant, add the host to `network.allow_private` in contexture.toml",
        )
    }
}

impl From<ResolveError> for Fault {
    fn from(error: ResolveError) -> Self {
        match error {
            ResolveError::Refused(refused) => refused.into(),
            unknown @ ResolveError::Unknown { .. } => {
                Self::new("REF4003", unknown.to_string(), "see whether the host is spelt right")
            }
        }
    }
}

/// Returns a limit as people write it.
fn shown(limit: Duration) -> String {
    if limit.subsec_millis() == 0 && limit.as_secs() > 0 {
        return format!("{} s", limit.as_secs());
    }
    format!("{} ms", limit.as_millis())
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
        media_type: media::of_name(&endpoint.path).to_owned(),
        content: Content::Bytes(bytes),
        trust: Trust::Web,
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
