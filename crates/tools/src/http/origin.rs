//! The origin of an import, and the URLs that stay on it.

use super::error::HttpError;
use crate::address::Reach;
use crate::client::{self, ClientError};
use crate::error::{ToolError, shown};
use reqwest::Client;
use reqwest::redirect::{Attempt, Policy};
use std::time::Duration;
use url::{Host, Url};

/// A scheme, a host and a port, with the path that relative URLs start from.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Origin {
    base: Url,
}

impl Origin {
    /// Reads the URI of an import.
    ///
    /// # Errors
    /// [`ToolError`] (`http_origin`) when it is not an HTTP URL, or holds credentials, a query or a
    /// fragment.
    pub fn parse(uri: &str) -> Result<Self, ToolError> {
        let bad = |reason: &str, help: &str| {
            Err(ToolError::new("http_origin", reason.to_owned()).with_help(help))
        };
        let Ok(mut base) = Url::parse(uri) else {
            let reason = format!("`{}` is not a URL", shown(uri));
            return bad(&reason, "import an origin such as \"https://api.example.com\"");
        };
        if !base.username().is_empty() || base.password().is_some() {
            // The URI is not repeated: it holds a credential.
            let help = "pass the credential as an Authorization header, read with env://process";
            return bad("the origin of an import must not hold credentials", help);
        }
        if base.host().is_none() || base.query().is_some() || base.fragment().is_some() {
            let reason = format!("`{}` is more than an origin", shown(uri));
            return bad(&reason, "leave out the query and the fragment");
        }
        if !base.path().ends_with('/') {
            let folder = format!("{}/", base.path());
            base.set_path(&folder);
        }
        Ok(Self { base })
    }

    /// Returns the URL that a call means.
    pub(super) fn resolve(&self, url: &str) -> Result<Url, HttpError> {
        let joined = self.base.join(url).map_err(|error| HttpError::Url {
            url: without_query(url),
            reason: error.to_string(),
        })?;
        if !joined.username().is_empty() || joined.password().is_some() {
            return Err(HttpError::Credentials);
        }
        if self.holds(&joined) {
            return Ok(joined);
        }
        Err(HttpError::OtherOrigin { origin: self.to_string(), url: without_query(url) })
    }

    /// Reports whether a URL is on this origin.
    pub(super) fn holds(&self, url: &Url) -> bool {
        url.origin() == self.base.origin()
    }

    pub(super) fn is_secure(&self) -> bool {
        self.base.scheme() == "https"
    }

    pub(super) fn host(&self) -> Option<Host<&str>> {
        self.base.host()
    }

    pub(super) fn port(&self) -> u16 {
        self.base.port_or_known_default().unwrap_or_default()
    }
}

impl std::fmt::Display for Origin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.base.origin().ascii_serialization())
    }
}

/// Returns a URL as an error may repeat it: a query or user info may hold a credential.
fn without_query(url: &str) -> String {
    let url = url.split(['?', '#']).next().unwrap_or_default();
    match url.rsplit_once('@') {
        Some((_, rest)) => format!("…@{rest}"),
        None => url.to_owned(),
    }
}

/// The number of redirects that are followed.
const REDIRECTS: usize = 10;

/// The longest wait for a connection.
const CONNECT: Duration = Duration::from_secs(10);

/// The clients by origin.
pub(crate) type Clients = client::Clients<Origin>;

/// Returns the client of an origin.
pub(super) fn client_of(
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
