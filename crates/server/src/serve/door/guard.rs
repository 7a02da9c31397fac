//! Access control (CP-19).
//!
//! Decision: a request is checked twice. First, for every path: its address, the host that it
//! names, and the origin of its page. Then, for owned data:
//! the token. Without a token only a server that just this machine reaches accepts requests, and an
//! invalid token is refused there, too, since its sender relies on it.

use super::credential::{Found, credential};
use super::{Shared, answer, openai};
use crate::cors::{self, Cors};
use crate::serve::app::App;
use crate::serve::caller::{Caller, Grant};
use crate::serve::guard::{Addresses, Breach, Full, Limits, Pace, Rates, Seat, Seats};
use crate::serve::operations::audit::{Deed, Record};
use crate::serve::operations::parent::Parent;
use axum::extract::{ConnectInfo, Request, State};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderValue, Method, header};
use axum::middleware::Next;
use axum::response::Response;
use contexture_protocol::{ErrorCode, Refusal};
use serde_json::json;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Instant;

/// The rules of access.
pub(crate) struct Guard {
    app: Arc<App>,
    /// True if no token is needed, as only this machine reaches the server.
    is_open: bool,
    hosts: Vec<String>,
    origins: Vec<String>,
    addresses: Addresses,
    rates: Rates,
    sockets: Arc<Seats<Arc<str>>>,
    local: Arc<Grant>,
}

impl Guard {
    pub(super) fn new(
        app: &Arc<App>,
        addresses: Addresses,
        limits: Limits,
        is_local: bool,
    ) -> Self {
        let settings = &app.project.config.serve;
        let lower = |names: &[String]| names.iter().map(|name| name.to_ascii_lowercase()).collect();
        Self {
            app: Arc::clone(app),
            is_open: is_local && !settings.require_token,
            hosts: lower(&settings.hosts),
            origins: lower(&settings.origins),
            addresses,
            rates: Rates::new(limits),
            sockets: Seats::new(limits.connections, limits.sockets_per_owner),
            local: Arc::new(Grant::local()),
        }
    }

    /// Checks every request.
    fn enter(&self, request: &Request) -> Result<(), Refusal> {
        let address = address(request);
        if let Some(address) = address {
            self.rates.request(address).map_err(|breach| self.breached(*breach, Some(address)))?;
            if !self.addresses.allow(address) {
                let text = "clients of this address may not call";
                let refused = Refusal::new(ErrorCode::PermissionDenied, text).policy("address");
                return Err(self.noted(
                    refused.suggest("Name its network under `serve.addresses` in contexture.toml."),
                    Some(address),
                ));
            }
        }
        let headers = request.headers();
        if is_probe(request) {
            return Ok(());
        }
        let Some(host) = self.host(headers) else {
            let text = "the host of the request is not served here";
            let refused = Refusal::new(ErrorCode::PermissionDenied, text).policy("host");
            return Err(self.noted(
                refused.suggest("Name the host under `serve.hosts` in contexture.toml."),
                address,
            ));
        };
        let mut origins = headers.get_all(header::ORIGIN).iter();
        if !origins.all(|origin| origin.to_str().is_ok_and(|origin| self.origin(origin, &host))) {
            let text = "pages of this origin may not call";
            let refused = Refusal::new(ErrorCode::PermissionDenied, text).policy("origin");
            return Err(self.noted(
                refused.suggest("Name the origin under `serve.origins` in contexture.toml."),
                address,
            ));
        }
        Ok(())
    }

    /// Returns the sender of a request, or the reason to refuse it.
    pub(crate) fn admit(&self, request: &Request) -> Result<Caller, Refusal> {
        let address = address(request);
        let grant = match credential(request.headers()) {
            Found::None if self.is_open => Arc::clone(&self.local),
            Found::None => {
                let text = "a token is needed";
                return Err(self.failed(Refusal::new(ErrorCode::AuthFailed, text), address));
            }
            Found::Several => {
                let text = "the request has more than one token";
                return Err(self.failed(Refusal::new(ErrorCode::AuthFailed, text), address));
            }
            Found::Unknown => {
                let text = "the request has no token that can be read: expected \
                            `Authorization: Bearer TOKEN` or `X-API-Key: TOKEN`";
                return Err(self.failed(Refusal::new(ErrorCode::AuthFailed, text), address));
            }
            Found::Token(token) => match self.app.tokens.find(&token, self.app.now()) {
                Some(grant) => grant,
                None if self.is_open && is_of_other_clients(request) => Arc::clone(&self.local),
                None => {
                    let text = "the token does not let in: it is unknown, expired or revoked";
                    return Err(self.failed(Refusal::new(ErrorCode::AuthFailed, text), address));
                }
            },
        };
        let meter = self.rates.meter(&grant.owner, address);
        let trace = Parent::of_headers(request.headers());
        Ok(Caller { grant, address, meter, session: None, trace })
    }

    /// Counts a request that carries no message.
    pub(super) fn count(&self, caller: &Caller) -> Result<(), Refusal> {
        match caller.meter.take() {
            Pace::Free | Pace::Near(_) => Ok(()),
            Pace::Over(breach) => Err(self.breached(*breach, caller.address)),
        }
    }

    /// Reserves a WebSocket for an owner.
    pub(super) fn socket(&self, caller: &Caller) -> Result<Seat<Arc<str>>, Refusal> {
        self.sockets.take(Arc::clone(caller.owner())).map_err(|full| {
            let (Full::All(most) | Full::Each(most)) = full;
            let text = format!("the owner has {most} WebSockets open already");
            let refused = Refusal::new(ErrorCode::RateLimited, text)
                .policy("socket_limit")
                .detail("limit", most)
                .detail("retryAfter", 5)
                .suggest("Close WebSockets that are not needed, or wait.");
            self.breached(Breach { refusal: refused, is_first: true }, caller.address)
        })
    }

    /// Creates the refusal of a request without a valid token.
    fn failed(&self, refused: Refusal, address: Option<IpAddr>) -> Refusal {
        let refused = refused.policy("token").suggest(
            "Send a token: `contexture token add NAME` makes one on the server's machine.",
        );
        if let Some(address) = address
            && let Err(breach) = self.rates.failed_login(address)
        {
            return self.breached(*breach, Some(address));
        }
        self.app.audit.note(&Record::new(Deed::Login).from(address).because(&refused));
        refused
    }

    fn noted(&self, refused: Refusal, address: Option<IpAddr>) -> Refusal {
        self.app.audit.note(&Record::new(Deed::Refused).from(address).because(&refused));
        refused
    }

    fn breached(&self, breach: Breach, address: Option<IpAddr>) -> Refusal {
        self.app.breached(&breach, Record::new(Deed::Limit).from(address));
        breach.refusal
    }

    /// Checks the host. A page can rebind its own name to this machine, but not an IP
    /// address or `localhost`.
    fn host(&self, headers: &HeaderMap) -> Option<String> {
        let mut named = headers.get_all(header::HOST).iter();
        let (Some(host), None) = (named.next(), named.next()) else { return None };
        let host = host.to_str().ok()?.parse::<Authority>().ok()?;
        let (name, whole) = (host.host().to_ascii_lowercase(), host.as_str().to_ascii_lowercase());
        let is_named = self.hosts.iter().any(|known| *known == name || *known == whole);
        // A user name is not allowed there.
        let is_served = !whole.contains('@') && (is_own(&name, |_| true) || is_named);
        is_served.then_some(whole)
    }

    /// Reports whether an origin is allowed: this machine, the server itself, and the configured ones.
    fn origin(&self, origin: &str, host: &str) -> bool {
        let origin = origin.trim().to_ascii_lowercase();
        let is_web = |uri: &axum::http::Uri| matches!(uri.scheme_str(), Some("http" | "https"));
        let own = || {
            origin.parse().is_ok_and(|uri: axum::http::Uri| {
                let is_loopback = uri.host().is_some_and(|host| is_own(host, IpAddr::is_loopback));
                let is_served = uri.authority().is_some_and(|authority| authority == host);
                is_web(&uri) && (is_loopback || is_served)
            })
        };
        self.origins.contains(&origin) || own()
    }
}

/// Reports whether it only asks how the server is and names no host, as clients of HTTP/1.0 do. No page can
/// send that.
fn is_probe(request: &Request) -> bool {
    let headers = request.headers();
    let is_bare = !headers.contains_key(header::HOST) && !headers.contains_key(header::ORIGIN);
    is_bare && matches!(request.uri().path(), "/healthz" | "/readyz")
}

/// Reports whether the token is a placeholder that clients of another API always send.
fn is_of_other_clients(request: &Request) -> bool {
    openai::is_own(request.uri().path())
}

/// Returns the address of a request.
fn address(request: &Request) -> Option<IpAddr> {
    let peer = request.extensions().get::<ConnectInfo<SocketAddr>>();
    peer.map(|ConnectInfo(address)| address.ip().to_canonical())
}

/// Reports whether a host is `localhost` or an IP address of that kind.
fn is_own(host: &str, kind: impl FnOnce(&IpAddr) -> bool) -> bool {
    let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    host.eq_ignore_ascii_case("localhost") || bare.parse::<IpAddr>().is_ok_and(|ip| kind(&ip))
}

/// The headers that pages of allowed origins may send and read.
const PAGES: Cors = Cors {
    headers: "authorization, content-type, content-encoding, accept, if-none-match, last-event-id, \
         mcp-cp-version, x-api-key, x-context-id, traceparent, openai-organization, openai-project, \
         x-stainless-arch, x-stainless-helper-method, x-stainless-lang, x-stainless-os, \
         x-stainless-package-version, x-stainless-retry-count, x-stainless-runtime, \
         x-stainless-runtime-version, x-stainless-timeout",
    exposed: "etag, location, mcp-cp-version, retry-after",
};

/// Passes a request on, or refuses it; a page of an allowed origin can read the answer.
pub(super) async fn check(State(shared): State<Shared>, request: Request, next: Next) -> Response {
    let began = Instant::now();
    let told = Told::of(&request);
    let origin = request.headers().get(header::ORIGIN).cloned();
    let is_preflight = cors::is_preflight(&request);
    let entered = shared.guard.enter(&request);
    let is_let_in = entered.is_ok();
    let mut response = match entered {
        Ok(()) if is_preflight => PAGES.preflight(),
        Ok(()) => next.run(request).await,
        Err(refused) => answer::for_path(&shared, &told.path, refused, None),
    };
    if let Some(origin) = origin.filter(|_| is_let_in) {
        PAGES.allow(response.headers_mut(), origin);
    }
    harden(response.headers_mut());
    told.log(&shared.app, &response, began);
    response
}

/// Marks responses as not being pages, unless they are.
fn harden(headers: &mut HeaderMap) {
    for (name, value) in [
        (header::CONTENT_SECURITY_POLICY, "default-src 'none'; frame-ancestors 'none'"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-store"),
    ] {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    }
}

/// Logs a request.
struct Told {
    method: Method,
    path: String,
    address: Option<IpAddr>,
}

impl Told {
    fn of(request: &Request) -> Self {
        let path = request.uri().path().to_owned();
        Self { method: request.method().clone(), path, address: address(request) }
    }

    fn log(self, app: &App, response: &Response, began: Instant) {
        if !app.log.says(crate::serve::operations::log::Level::Info) {
            return;
        }
        let fields = json!({
            "method": self.method.as_str(),
            "path": self.path,
            "status": response.status().as_u16(),
            "ms": u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX),
            "address": self.address.map(|address| address.to_string()),
        });
        app.log.info("request", fields);
    }
}
