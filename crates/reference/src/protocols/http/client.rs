//! One client per origin: which addresses it may connect to is the origin's.

use super::super::network::{Fault, NetworkSettings};
use contexture_tools::address::{Guard, Reach};
use reqwest::Client;
use reqwest::redirect::Policy;
use rustls::crypto::ring;
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::BuilderVerifierExt as _;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use url::{Origin, Url};

/// How many clients are kept; references may name any number of origins.
const KEPT: usize = 64;

/// The clients made so far, each at the first request to its origin.
#[derive(Debug, Default)]
pub(super) struct Clients(Mutex<HashMap<Origin, Client>>);

impl Clients {
    pub(super) fn of(&self, url: &Url, settings: &NetworkSettings) -> Result<Client, Fault> {
        let origin = url.origin();
        let mut clients = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(client) = clients.get(&origin) {
            return Ok(client.clone());
        }
        let client = build(url, settings)?;
        if clients.len() >= KEPT {
            clients.clear();
        }
        clients.insert(origin, client.clone());
        Ok(client)
    }
}

fn build(url: &Url, settings: &NetworkSettings) -> Result<Client, Fault> {
    let host = url.host().ok_or_else(|| no_client("the address has no host"))?;
    let port = url.port_or_known_default().unwrap_or_default();
    let reach = Reach::public(&host, port, &settings.allow_private)?;
    Client::builder()
        .tls_backend_preconfigured(tls(url.scheme() == "https")?)
        .user_agent(concat!("contexture/", env!("CARGO_PKG_VERSION")))
        // Behind a proxy nobody could tell which address is connected to.
        .no_proxy()
        .referer(false)
        .connect_timeout(settings.timeouts.connect)
        .read_timeout(settings.timeouts.idle)
        .redirect(Policy::none())
        .retry(reqwest::retry::never())
        .dns_resolver(Arc::new(Guard(reach)))
        .build()
        .map_err(|error| no_client(error.without_url()))
}

/// rustls with ring and the system's certificates. Without TLS no certificates are read, so that a
/// machine without any can ask a local server.
fn tls(secure: bool) -> Result<ClientConfig, Fault> {
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(no_client)?;
    if secure {
        return Ok(config.with_platform_verifier().map_err(no_client)?.with_no_client_auth());
    }
    Ok(config.with_root_certificates(RootCertStore::empty()).with_no_client_auth())
}

fn no_client(reason: impl std::fmt::Display) -> Fault {
    let message = format!("no HTTP client could be made: {reason}");
    Fault::new("REF4017", message, "see whether the system's certificates are installed")
}
