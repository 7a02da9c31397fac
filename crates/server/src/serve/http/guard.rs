//! Access control (CP-19).
//!
//! Decision: a request is checked twice. First, for every path: its address, the host that it
//! names, and the origin of its page. Then, for owned data:
//! the token. Without a token only a server that just this machine reaches accepts requests, and an
//! invalid token is refused there, too, since its sender relies on it. On such a server any page that
//! the user opens could speak for the user: it answers its own pages, those of the settings, and the one
//! that was paired.

use super::pairing::{self, Pairing};
use crate::credential::{Credential, credential};
use crate::fault::Fault;
use crate::serve::app::App;
use crate::serve::caller::{Caller, Grant};
use crate::serve::limits::{
    Addresses, Breach, ConnectionLimit, ConnectionPermit, LimitReached, Limits, Pace, Rates,
};
use crate::serve::openai;
use crate::serve::operations::audit::{AuditEvent, AuditRecord};
use crate::serve::operations::parent::Parent;
use crate::serve::tokens::Secret;
use crate::web::{self, Host, Sites};
use axum::extract::{ConnectInfo, Request};
use axum::http::request::Parts;
use axum::http::{Extensions, Method, header};
use contexture_protocol::{ErrorCode, Refusal};
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Instant;

/// The rules of access.
pub(crate) struct Guard {
    app: Arc<App>,
    /// True if no token is needed, as only this machine reaches the server.
    is_open: bool,
    is_tls: bool,
    sites: Sites,
    /// The pairing of a page of another origin, on a server without tokens.
    pairing: Option<Pairing>,
    addresses: Addresses,
    rates: Rates,
    sockets: Arc<ConnectionLimit<Arc<str>>>,
    local: Arc<Grant>,
}

impl Guard {
    pub(super) fn new(
        app: &Arc<App>,
        addresses: Addresses,
        limits: Limits,
        (is_local, is_tls): (bool, bool),
    ) -> Result<Self, Fault> {
        let settings = &app.project.config.serve;
        let is_open = is_local && !settings.require_token;
        Ok(Self {
            app: Arc::clone(app),
            is_open,
            is_tls,
            pairing: is_open.then(|| Pairing::begin(Instant::now())).transpose()?,
            sites: Sites::new(&settings.hosts, &settings.origins),
            addresses,
            rates: Rates::new(limits),
            sockets: ConnectionLimit::new(limits.connections, limits.sockets_per_owner),
            local: Arc::new(Grant::local()),
        })
    }

    pub(super) fn is_tls(&self) -> bool {
        self.is_tls
    }

    /// Returns the code that pairs a page of another origin, while it can be used.
    pub(super) fn pairing_code(&self) -> Option<String> {
        self.pairing.as_ref()?.code()
    }

    /// Checks every request.
    pub(super) fn enter(&self, request: &Request) -> Result<(), Refusal> {
        let address = address(request.extensions());
        if let Some(address) = address {
            self.rates.request(address).map_err(|breach| self.breached(*breach, Some(address)))?;
        }
        let (policy, text, help) = if address.is_some_and(|one| !self.addresses.allow(one)) {
            (
                "address",
                "clients of this address may not call",
                "Name its network under `serve.addresses`",
            )
        } else if is_probe(request) {
            return Ok(());
        } else if let Some(host) = self.sites.host(request.uri(), request.headers()) {
            if self.accepts_page(request, &host) {
                return Ok(());
            }
            ("origin", "pages of this origin may not call", "Name the origin under `serve.origins`")
        } else {
            (
                "host",
                "the host of the request is not served here",
                "Name the host under `serve.hosts`",
            )
        };
        let refused = Refusal::new(ErrorCode::PermissionDenied, text)
            .policy(policy)
            .suggest(format!("{help} in contexture.toml."));
        let record = AuditRecord::new(AuditEvent::Refused).from(address).because(&refused);
        self.app.audit.note(&record);
        Err(refused)
    }

    /// Reports whether the page that sends a request may call, if a page does. A browser names no
    /// origin when a page only embeds or links something: then it must be a page of the server.
    fn accepts_page(&self, request: &Request, host: &Host) -> bool {
        let headers = request.headers();
        match web::origin(headers) {
            Err(()) => false,
            Ok(None) => !web::is_from_elsewhere(headers),
            Ok(Some(origin)) => {
                web::is_own(origin, host, self.is_tls)
                    || self.sites.names(origin)
                    || self.accepts_stranger(request, origin)
            }
        }
    }

    /// Reports whether a page of another origin may call: with a token where each request needs one,
    /// else when it was paired, or to be paired.
    fn accepts_stranger(&self, request: &Request, origin: &str) -> bool {
        let Some(pairing) = &self.pairing else { return web::is_local(origin) };
        let is_pairing = request.uri().path() == pairing::PATH
            && matches!(*request.method(), Method::POST | Method::OPTIONS)
            && origin != "null";
        is_pairing || pairing.has(origin)
    }

    /// Returns the origin of a page that was paired, and whose requests need its token.
    fn paired<'r>(&self, request: &'r Parts) -> Option<&'r str> {
        let origin = web::origin(&request.headers).ok()??;
        let host = self.sites.host(&request.uri, &request.headers)?;
        let is_trusted = web::is_own(origin, &host, self.is_tls) || self.sites.names(origin);
        (!is_trusted && self.pairing.is_some()).then_some(origin)
    }

    /// Pairs the pages of an origin by the code that was printed.
    pub(super) fn pair(
        &self,
        origin: &str,
        code: &str,
        address: Option<IpAddr>,
    ) -> Result<Secret, Refusal> {
        let refused = |text: &str| {
            Refusal::new(ErrorCode::AuthFailed, text).policy("pairing").suggest(
                "Start the server again for another code, or name the origin under \
                 `serve.origins` in contexture.toml.",
            )
        };
        let record = |event| AuditRecord::new(event).from(address).with("origin", origin);
        let Some(pairing) = &self.pairing else {
            return Err(refused("pages bring a token to this server, and are not paired"));
        };
        if let Some(address) = address {
            let counted = self.rates.failed_login(address);
            counted.map_err(|breach| self.breached(*breach, Some(address)))?;
        }
        let paired = pairing.pair(origin, code, Instant::now());
        match paired.map_err(|fault| Refusal::new(ErrorCode::Internal, fault.message))? {
            Some(secret) => {
                self.app.audit.note(&record(AuditEvent::PagePaired));
                Ok(secret)
            }
            None => {
                let refused = refused("the code is wrong, used or older than ten minutes");
                self.app.audit.note(&record(AuditEvent::LoginFailed).because(&refused));
                Err(refused)
            }
        }
    }

    /// Returns the sender of a request, or the reason to refuse it.
    pub(super) fn admit(&self, request: &Parts) -> Result<Caller, Refusal> {
        let address = address(&request.extensions);
        let refuse = |text: &str| Err(self.failed(text, address));
        // The clients of OpenAI always send some token.
        let paired = self.paired(request);
        let is_free = self.is_open && paired.is_none();
        let is_placeholder = is_free && openai::is_own(request.uri.path());
        let is_of_page = |token: &str| {
            let pairing = self.pairing.as_ref().zip(paired);
            pairing.is_some_and(|(pairing, origin)| pairing.admits(origin, token))
        };
        let grant = match credential(&request.headers) {
            Credential::None if is_free => Arc::clone(&self.local),
            Credential::None => return refuse("a token is needed"),
            Credential::Several => return refuse("the request has more than one token"),
            Credential::Invalid => {
                return refuse(
                    "the request has no token that can be read: expected \
                     `Authorization: Bearer TOKEN` or `X-API-Key: TOKEN`",
                );
            }
            Credential::Token(token) if is_of_page(&token) => Arc::clone(&self.local),
            Credential::Token(token) => match self.app.tokens.find(&token, self.app.now()) {
                Some(grant) => grant,
                None if is_placeholder => Arc::clone(&self.local),
                None => {
                    return refuse("the token is not valid: it is unknown, expired or revoked");
                }
            },
        };
        let meter = self.rates.meter(&grant.owner, address);
        let trace = Parent::of_headers(&request.headers);
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
    pub(super) fn socket(&self, caller: &Caller) -> Result<ConnectionPermit<Arc<str>>, Refusal> {
        self.sockets.take(Arc::clone(caller.owner())).map_err(|reached| {
            let (LimitReached::Total(most) | LimitReached::PerKey(most)) = reached;
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
    fn failed(&self, text: &str, address: Option<IpAddr>) -> Refusal {
        if let Some(address) = address
            && let Err(breach) = self.rates.failed_login(address)
        {
            return self.breached(*breach, Some(address));
        }
        let refused = Refusal::new(ErrorCode::AuthFailed, text).policy("token").suggest(
            "Send a token: `contexture token add NAME` makes one on the server's machine.",
        );
        let record = AuditRecord::new(AuditEvent::LoginFailed).from(address).because(&refused);
        self.app.audit.note(&record);
        refused
    }

    fn breached(&self, breach: Breach, address: Option<IpAddr>) -> Refusal {
        self.app.breached(&breach, AuditRecord::new(AuditEvent::Limit).from(address));
        breach.refusal
    }
}

/// Reports whether a request is a health check without a host, as clients of HTTP/1.0 send. No page
/// can send that.
fn is_probe(request: &Request) -> bool {
    let headers = request.headers();
    let is_bare = !headers.contains_key(header::HOST)
        && !headers.contains_key(header::ORIGIN)
        && request.uri().authority().is_none();
    is_bare && matches!(request.uri().path(), "/healthz" | "/readyz")
}

pub(super) fn address(extensions: &Extensions) -> Option<IpAddr> {
    let peer = extensions.get::<ConnectInfo<SocketAddr>>();
    peer.map(|ConnectInfo(address)| address.ip().to_canonical())
}
