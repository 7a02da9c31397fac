//! One question to one server, and its answer.

use super::super::fault::Fault;
use super::super::network::NetworkSettings;
use super::address::Target;
use super::answer::{Answer, refused};
use super::cache::{Cache, Entry};
use super::freshness::{Freshness, header, now};
use contexture_tools::address::{Reach, ResolveError};
use contexture_tools::{cause, client};
use reqwest::header::{
    ACCEPT, ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, HeaderMap,
    IF_MODIFIED_SINCE, IF_NONE_MATCH, LOCATION,
};
use reqwest::{Client, Response, StatusCode};
use url::{Origin, Url};

pub(super) struct Exchange<'a> {
    pub(super) clients: &'a Clients,
    pub(super) network: &'a NetworkSettings,
    pub(super) cache: Option<&'a Cache>,
    /// True if caches on the way are to ask the server, too.
    pub(super) renewed: bool,
    pub(super) accept: &'static str,
    pub(super) max_bytes: u64,
}

pub(super) enum Hop {
    Answer(Answer),
    Redirect(String),
}

impl Exchange<'_> {
    /// Asks, or takes what is kept.
    pub(super) async fn ask(&self, target: &Target) -> Result<Hop, Fault> {
        // Checked before the cache is looked into: what may not be reached gives nothing.
        client_of(self.clients, &target.url, self.network)?;
        // What credentials give is not for the next one who asks.
        let cache = self.cache.filter(|_| target.login.is_none());
        let key = Cache::key(&target.url, self.accept);
        let kept = cache.and_then(|cache| cache.find(&key, self.max_bytes));
        if let Some(kept) = kept.as_ref().filter(|kept| kept.freshness.is_fresh(now())) {
            return Ok(Hop::Answer(kept.answer.clone()));
        }
        let response = self.send(target, kept.as_ref()).await?;
        let response = match (response.status(), kept) {
            (StatusCode::NOT_MODIFIED, Some(mut kept)) => {
                if kept.freshness.is_renewed_by(response.headers()) {
                    kept.freshness.renew(response.headers(), now());
                    cache.inspect(|cache| cache.put(&key, &kept));
                    return Ok(Hop::Answer(kept.answer));
                }
                // It speaks of another version than the one that is kept.
                self.send(target, None).await?
            }
            (_, _) => response,
        };
        self.read(target, response, cache.map(|cache| (cache, &*key))).await
    }

    async fn send(&self, target: &Target, kept: Option<&Entry>) -> Result<Response, Fault> {
        let client = client_of(self.clients, &target.url, self.network)?;
        let mut request = client
            .get(target.url.clone())
            .header(ACCEPT, self.accept)
            .header(ACCEPT_ENCODING, "identity");
        if self.renewed {
            request = request.header(CACHE_CONTROL, "no-cache");
        }
        if let Some(login) = &target.login {
            request = request.basic_auth(&login.user, login.password.as_deref());
        }
        if let Some(kept) = kept {
            let validators = [
                (IF_NONE_MATCH, &kept.freshness.etag),
                (IF_MODIFIED_SINCE, &kept.freshness.last_modified),
            ];
            for (name, value) in validators {
                request = value.iter().fold(request, |request, value| request.header(&name, value));
            }
        }
        request.send().await.map_err(|error| self.explain(error, target))
    }

    async fn read(
        &self,
        target: &Target,
        response: Response,
        cache: Option<(&Cache, &str)>,
    ) -> Result<Hop, Fault> {
        let status = response.status();
        let who = target.to_string();
        if matches!(status.as_u16(), 301 | 302 | 303 | 307 | 308) {
            return header(response.headers(), LOCATION).map(Hop::Redirect).ok_or_else(|| {
                let message = format!("{who} redirects without saying where to");
                Fault::new("REF4013", message, "see whether the address is right")
            });
        }
        if !status.is_success() {
            return Err(refused(&who, status, target.login.is_some()));
        }
        uncompressed(&who, response.headers())?;
        let freshness = Freshness::of(response.headers(), now());
        let content_type = header(response.headers(), CONTENT_TYPE);
        let body = self.body(target, response).await?;
        let answer = Answer { content_type, body };
        if let (Some((cache, key)), Some(freshness), StatusCode::OK) = (cache, freshness, status) {
            cache.put(key, &Entry { freshness, answer: answer.clone() });
        }
        Ok(Hop::Answer(answer))
    }

    async fn body(&self, target: &Target, mut response: Response) -> Result<Vec<u8>, Fault> {
        let limit = self.max_bytes;
        let mut left = usize::try_from(limit).unwrap_or(usize::MAX);
        if response.content_length().is_some_and(|bytes| bytes > limit) {
            return Err(Fault::too_large(limit));
        }
        let mut body = Vec::new();
        while let Some(piece) =
            response.chunk().await.map_err(|error| self.explain(error, target))?
        {
            left = left.checked_sub(piece.len()).ok_or_else(|| Fault::too_large(limit))?;
            body.extend_from_slice(&piece);
        }
        Ok(body)
    }

    /// Returns what a failure of the client means, without its URL.
    fn explain(&self, error: reqwest::Error, target: &Target) -> Fault {
        let who = target.to_string();
        if let Some(refused) = cause::find::<ResolveError>(&error) {
            return refused.clone().into();
        }
        let timeouts = self.network.timeouts;
        if error.is_timeout() && error.is_connect() {
            return Fault::late(&who, "could not be reached", timeouts.connect);
        }
        if error.is_timeout() {
            return Fault::late(&who, "sent nothing", timeouts.idle);
        }
        let (body, connect) = (error.is_body() || error.is_decode(), error.is_connect());
        let error = error.without_url();
        let reason = cause::root(&error);
        if connect {
            return Fault::unreachable(&who, reason);
        }
        // Only its cause distinguishes an answer that is not HTTP from one that ends too soon.
        let strange = ["invalid HTTP", "message head is too large", "unexpected message"];
        if !body && strange.iter().any(|known| reason.contains(known)) {
            return Fault::strange(&who, reason);
        }
        Fault::broken_off(&who, reason)
    }
}

/// No answer is decompressed, so one that is compressed all the same is of no use.
fn uncompressed(who: &str, headers: &HeaderMap) -> Result<(), Fault> {
    let Some(encoding) = header(headers, CONTENT_ENCODING) else { return Ok(()) };
    if encoding.trim().is_empty() || encoding.trim().eq_ignore_ascii_case("identity") {
        return Ok(());
    }
    let shown: String = encoding.chars().filter(|one| !one.is_control()).take(40).collect();
    let message = format!("{who} sends a compressed answer ({shown}), though asked not to");
    let help = "save it, decompress it and refer to the file";
    Err(Fault::new("REF4015", message, help))
}

/// The clients by origin.
pub(super) type Clients = client::Clients<Origin>;

/// Returns the client of a URL's origin.
fn client_of(clients: &Clients, url: &Url, settings: &NetworkSettings) -> Result<Client, Fault> {
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
