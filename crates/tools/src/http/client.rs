//! One client per origin: its rules for redirects and addresses are the origin's.

use super::Origin;
use super::error::HttpError;
use crate::address::{Guard, Reach};
use reqwest::Client;
use reqwest::redirect::{Attempt, Policy};
use rustls::crypto::ring;
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::BuilderVerifierExt as _;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How many redirects are followed.
const REDIRECTS: usize = 10;

/// The longest wait for a connection.
const CONNECT: Duration = Duration::from_secs(10);

/// How many clients are kept: where a call's origin is data, there is no end of them.
const MOST_CLIENTS: usize = 64;

/// The clients made so far, each at the first call to its origin.
#[derive(Debug, Default)]
pub(crate) struct Clients(Mutex<HashMap<Origin, Client>>);

impl Clients {
    pub(super) fn of(
        &self,
        origin: &Origin,
        allow_private: &[String],
    ) -> Result<Client, HttpError> {
        let mut clients = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(client) = clients.get(origin) {
            return Ok(client.clone());
        }
        let client = build(origin, reach(origin, allow_private)?)?;
        if clients.len() >= MOST_CLIENTS {
            clients.clear();
        }
        clients.insert(origin.clone(), client.clone());
        Ok(client)
    }
}

/// Returns what an origin may lead to. One without a host is none, so its names are never resolved.
fn reach(origin: &Origin, allow_private: &[String]) -> Result<Reach, HttpError> {
    let Some(host) = origin.host() else { return Ok(Reach::Public) };
    Ok(Reach::public_or_named(&host, origin.port(), allow_private)?)
}

fn build(origin: &Origin, reach: Reach) -> Result<Client, HttpError> {
    let home = origin.clone();
    Client::builder()
        .tls_backend_preconfigured(tls(origin.is_secure())?)
        .user_agent(concat!("contexture/", env!("CARGO_PKG_VERSION")))
        .no_proxy()
        .referer(false)
        .connect_timeout(CONNECT)
        .redirect(Policy::custom(move |attempt| redirect(&home, attempt)))
        .dns_resolver(Arc::new(Guard(reach)))
        .build()
        .map_err(|error| HttpError::Client(error.without_url().to_string()))
}

/// rustls with ring and the system's certificates. Without TLS no certificates are read, so that a
/// machine without any can ask a local server.
fn tls(secure: bool) -> Result<ClientConfig, HttpError> {
    let fail = |error: rustls::Error| HttpError::Client(error.to_string());
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(fail)?;
    if secure {
        return Ok(config.with_platform_verifier().map_err(fail)?.with_no_client_auth());
    }
    Ok(config.with_root_certificates(RootCertStore::empty()).with_no_client_auth())
}

fn redirect(home: &Origin, attempt: Attempt<'_>) -> reqwest::redirect::Action {
    let origin = || home.to_string();
    if !home.holds(attempt.url()) {
        let target = attempt.url().origin().ascii_serialization();
        return attempt.error(HttpError::RedirectLeaves { origin: origin(), target });
    }
    if attempt.previous().len() > REDIRECTS {
        return attempt.error(HttpError::TooManyRedirects { origin: origin(), limit: REDIRECTS });
    }
    attempt.follow()
}
