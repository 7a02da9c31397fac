//! One client per origin: its rules for redirects and addresses are the origin's.

use super::Origin;
use super::error::HttpError;
use crate::address::Reach;
use crate::client::{self, ClientError};
use reqwest::Client;
use reqwest::redirect::{Attempt, Policy};
use std::time::Duration;

/// How many redirects are followed.
const REDIRECTS: usize = 10;

/// The longest wait for a connection.
const CONNECT: Duration = Duration::from_secs(10);

/// The clients by origin.
pub(crate) type Clients = client::Clients<Origin>;

/// Returns the client of an origin.
pub(super) fn of(
    clients: &Clients,
    origin: &Origin,
    allow_private: &[String],
) -> Result<Client, HttpError> {
    clients.get(origin, || make(origin, allow_private))
}

fn make(origin: &Origin, allow_private: &[String]) -> Result<Client, HttpError> {
    let failed = |error: ClientError| HttpError::Client(error.to_string());
    let home = origin.clone();
    let builder = client::guarded(origin.is_secure(), reach(origin, allow_private)?)
        .map_err(failed)?
        .connect_timeout(CONNECT)
        .redirect(Policy::custom(move |attempt| redirect(&home, attempt)));
    client::build(builder).map_err(failed)
}

/// Returns the addresses that an origin may lead to. One without a host has no names to resolve.
fn reach(origin: &Origin, allow_private: &[String]) -> Result<Reach, HttpError> {
    let Some(host) = origin.host() else { return Ok(Reach::Public) };
    Ok(Reach::public_or_named(&host, origin.port(), allow_private)?)
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
