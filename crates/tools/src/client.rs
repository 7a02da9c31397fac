//! HTTP clients: the one place that sets up TLS and keeps clients by their key.
//!
//! Decision: `reqwest` over rustls with ring, verified by the system's certificates. A client follows
//! no redirect unless its caller passes a policy.

use crate::address::{Guard, Reach};
use reqwest::redirect::Policy;
use reqwest::{Client, ClientBuilder};
use rustls::crypto::ring;
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::BuilderVerifierExt as _;
use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};

/// The most clients that are kept: data may name any number of servers.
const MOST_CLIENTS: usize = 64;

/// A client that can't be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ClientError(String);

/// Sets up rustls with ring and the system's certificates. Without TLS no certificates are read, so
/// that a machine without any can ask a local server.
///
/// # Errors
/// [`ClientError`] when the certificates can't be read.
pub fn tls(secure: bool) -> Result<ClientConfig, ClientError> {
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| ClientError(format!("TLS can't be set up: {error}")))?;
    if secure {
        let unread =
            |error| ClientError(format!("the system's certificates can't be read: {error}"));
        return Ok(config.with_platform_verifier().map_err(unread)?.with_no_client_auth());
    }
    Ok(config.with_root_certificates(RootCertStore::empty()).with_no_client_auth())
}

/// Begins a client that follows no redirects.
///
/// # Errors
/// As [`tls`].
pub fn builder(secure: bool) -> Result<ClientBuilder, ClientError> {
    Ok(Client::builder()
        .tls_backend_preconfigured(tls(secure)?)
        .user_agent(concat!("contexture/", env!("CARGO_PKG_VERSION")))
        .redirect(Policy::none()))
}

/// Begins a client that connects only to the addresses that `reach` allows. It uses no proxy: behind
/// one, nobody knows which address is connected to.
///
/// # Errors
/// As [`tls`].
pub fn guarded(secure: bool, reach: Reach) -> Result<ClientBuilder, ClientError> {
    Ok(builder(secure)?.no_proxy().referer(false).dns_resolver(Arc::new(Guard(reach))))
}

/// Finishes a client.
///
/// # Errors
/// [`ClientError`], without an address.
pub fn build(builder: ClientBuilder) -> Result<Client, ClientError> {
    builder.build().map_err(|error| ClientError(error.without_url().to_string()))
}

/// The clients made so far, each at the first call with its key.
#[derive(Debug)]
pub struct Clients<K>(Mutex<HashMap<K, Client>>);

impl<K> Default for Clients<K> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<K: Clone + Eq + Hash> Clients<K> {
    /// Returns the client of a key, made now if there is none.
    ///
    /// # Errors
    /// Those of `make`.
    pub fn get<E>(&self, key: &K, make: impl FnOnce() -> Result<Client, E>) -> Result<Client, E> {
        let mut clients = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(client) = clients.get(key) {
            return Ok(client.clone());
        }
        let client = make()?;
        if clients.len() >= MOST_CLIENTS {
            clients.clear();
        }
        clients.insert(key.clone(), client.clone());
        Ok(client)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_25_clients_are_kept_by_key_up_to_limit() {
        let clients = Clients::default();
        let mut made = 0;
        for key in (0..MOST_CLIENTS).chain(0..MOST_CLIENTS) {
            clients
                .get(&key, || {
                    made += 1;
                    build(builder(false)?)
                })
                .unwrap();
        }
        assert_eq!(made, MOST_CLIENTS);
        clients.get(&MOST_CLIENTS, || build(builder(false)?)).unwrap();
        assert_eq!(clients.0.lock().unwrap().len(), 1);
        assert!(clients.get(&0, || Err::<Client, _>("refused")).is_err());
    }
}
