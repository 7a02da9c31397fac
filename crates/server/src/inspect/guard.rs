//! The check of every request: its host, the page that sends it, and its token (IN-1, IN-15).

use super::Refused;
use crate::Fault;
use crate::credential::{Credential, credential};
use crate::serve::codes;
use crate::serve::tokens::{Registry, Scope, Tokens};
use crate::web::{Sites, events_until, is_from_elsewhere, is_own, origin};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use contexture::store::stamp::now_us;
use std::sync::Arc;
use std::time::Duration;

/// The time between two looks at whether a token is still good, while a run is followed.
const LOOK: Duration = Duration::from_secs(1);

/// Who may read the runs.
pub enum Access {
    /// Everybody on this machine.
    Local,
    /// Who has a token with the permission `inspect`.
    Token {
        /// The tokens of the project.
        tokens: Tokens,
        /// Names of hosts that clients call the inspector by, besides `localhost` and IP addresses.
        hosts: Vec<String>,
    },
}

/// The rules of access of an inspector that listens.
pub(super) struct Guard {
    sites: Sites,
    /// The tokens, if one is needed.
    tokens: Option<Registry>,
}

impl Guard {
    /// Creates the rules.
    ///
    /// # Errors
    /// [`Fault`] when tokens can't be read, or none of them would let anybody in.
    pub(super) fn new(access: Access) -> Result<Arc<Self>, Fault> {
        let Access::Token { tokens, hosts } = access else {
            return Ok(Arc::new(Self { sites: Sites::new(&[], &[]), tokens: None }));
        };
        let tokens = Registry::open(tokens)?;
        if !tokens.lets_in(now(), &[Scope::Inspect]) {
            let message = "no token has the permission `inspect`, so nobody could read the runs";
            return Err(Fault::of(codes::NO_TOKEN, message)
                .with_help("make one with `contexture token add NAME --scope inspect`"));
        }
        Ok(Arc::new(Self { sites: Sites::new(&hosts, &[]), tokens: Some(tokens) }))
    }

    /// Checks the host of a request and the page that sends it.
    fn enter(&self, request: &Request) -> Result<(), Refused> {
        let Some(host) = self.sites.host(request.uri(), request.headers()) else {
            let message = "the host of the request is not served here";
            return Err(Refused::new(StatusCode::MISDIRECTED_REQUEST, "host_not_served", message));
        };
        let is_own_page = match origin(request.headers()) {
            Ok(Some(origin)) => is_own(origin, &host, false),
            Ok(None) => !is_from_elsewhere(request.headers()),
            Err(()) => false,
        };
        if is_own_page {
            return Ok(());
        }
        let message = "pages of other origins may not read runs";
        Err(Refused::new(StatusCode::FORBIDDEN, "origin_not_allowed", message))
    }

    /// Checks that a token is good at present. May read the file of tokens or ask a database.
    fn admit(&self, token: &str) -> Result<(), Refused> {
        let Some(tokens) = &self.tokens else { return Ok(()) };
        let now = now();
        tokens.refresh(now);
        let grant = tokens.find(token, now).ok_or_else(|| {
            let message = "the token is not valid: it is unknown, expired or revoked";
            Refused::new(StatusCode::UNAUTHORIZED, "token_invalid", message)
        })?;
        if grant.scopes.contains(&Scope::Inspect) {
            return Ok(());
        }
        let message = "the token does not have the permission `inspect`";
        Err(Refused::new(StatusCode::FORBIDDEN, "permission_missing", message))
    }
}

/// Lets a request through whose host is served, and that comes from no page or from the own one.
pub(super) async fn check(
    State(guard): State<Arc<Guard>>,
    request: Request,
    next: Next,
) -> Response {
    let mut response = match guard.enter(&request) {
        Ok(()) => next.run(request).await,
        Err(refused) => refused.into_response(),
    };
    let headers = response.headers_mut();
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    response
}

/// Lets a request for data through that brings a token, where one is needed.
pub(super) async fn admit(
    State(guard): State<Arc<Guard>>,
    request: Request,
    next: Next,
) -> Result<Response, Refused> {
    if guard.tokens.is_none() {
        return Ok(next.run(request).await);
    }
    let token = token(request.headers())?;
    admitted(&guard, &token).await?;
    let response = next.run(request).await;
    Ok(events_until(response, async move {
        while admitted(&guard, &token).await.is_ok() {
            tokio::time::sleep(LOOK).await;
        }
    }))
}

/// Checks a token away from the threads that answer.
async fn admitted(guard: &Arc<Guard>, token: &str) -> Result<(), Refused> {
    let (guard, token) = (Arc::clone(guard), token.to_owned());
    tokio::task::spawn_blocking(move || guard.admit(&token)).await.unwrap_or_else(|error| {
        Err(Refused::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", error.to_string()))
    })
}

fn token(headers: &HeaderMap) -> Result<String, Refused> {
    let message = match credential(headers) {
        Credential::Token(token) => return Ok(token),
        Credential::None => "a token is needed",
        Credential::Several => "the request has more than one token",
        Credential::Invalid => "the request has no token that can be read",
    };
    let message = format!("{message}: expected `Authorization: Bearer TOKEN`");
    Err(Refused::new(StatusCode::UNAUTHORIZED, "token_invalid", message))
}

/// Returns the time in milliseconds since 1970-01-01 UTC.
fn now() -> u64 {
    now_us() / 1_000
}
