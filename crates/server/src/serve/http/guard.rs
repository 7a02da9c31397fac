//! Access control (CP-19).
//!
//! Decision: a request is checked twice. First, for every path: its address, the host that it
//! names, and the origin of its page. Then, for owned data:
//! the token. Without a token only a server that just this machine reaches accepts requests, and an
//! invalid token is refused there, too, since its sender relies on it.

use super::credential::{Credential, credential};
use crate::serve::app::App;
use crate::serve::caller::{Caller, Grant};
use crate::serve::limits::{
    Addresses, Breach, ConnectionLimit, ConnectionPermit, LimitReached, Limits, Pace, Rates,
};
use crate::serve::openai;
use crate::serve::operations::audit::{AuditEvent, AuditRecord};
use crate::serve::operations::parent::Parent;
use crate::web::Sites;
use axum::extract::{ConnectInfo, Request};
use axum::http::request::Parts;
use axum::http::{Extensions, HeaderMap, header};
use contexture_protocol::{ErrorCode, Refusal};
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

/// The rules of access.
pub(crate) struct Guard {
    app: Arc<App>,
    /// True if no token is needed, as only this machine reaches the server.
    is_open: bool,
    sites: Sites,
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
        is_local: bool,
    ) -> Self {
        let settings = &app.project.config.serve;
        Self {
            app: Arc::clone(app),
            is_open: is_local && !settings.require_token,
            sites: Sites::new(&settings.hosts, &settings.origins),
            addresses,
            rates: Rates::new(limits),
            sockets: ConnectionLimit::new(limits.connections, limits.sockets_per_owner),
            local: Arc::new(Grant::local()),
        }
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
        } else if let Some(host) = self.host(request.headers()) {
            if self.sites.accept_origins(request.headers(), Some(&host)) {
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

    /// Returns the sender of a request, or the reason to refuse it.
    pub(super) fn admit(&self, request: &Parts) -> Result<Caller, Refusal> {
        let address = address(&request.extensions);
        let refuse = |text: &str| Err(self.failed(text, address));
        // The clients of OpenAI always send some token.
        let is_placeholder = self.is_open && openai::is_own(request.uri.path());
        let grant = match credential(&request.headers) {
            Credential::None if self.is_open => Arc::clone(&self.local),
            Credential::None => return refuse("a token is needed"),
            Credential::Several => return refuse("the request has more than one token"),
            Credential::Invalid => {
                return refuse(
                    "the request has no token that can be read: expected \
                     `Authorization: Bearer TOKEN` or `X-API-Key: TOKEN`",
                );
            }
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

    /// Returns the host of a request, which names exactly one.
    fn host(&self, headers: &HeaderMap) -> Option<String> {
        let mut named = headers.get_all(header::HOST).iter();
        let (Some(host), None) = (named.next(), named.next()) else { return None };
        self.sites.host(host.to_str().ok()?)
    }
}

/// Reports whether a request is a health check without a host, as clients of HTTP/1.0 send. No page
/// can send that.
fn is_probe(request: &Request) -> bool {
    let headers = request.headers();
    let is_bare = !headers.contains_key(header::HOST) && !headers.contains_key(header::ORIGIN);
    is_bare && matches!(request.uri().path(), "/healthz" | "/readyz")
}

pub(super) fn address(extensions: &Extensions) -> Option<IpAddr> {
    let peer = extensions.get::<ConnectInfo<SocketAddr>>();
    peer.map(|ConnectInfo(address)| address.ip().to_canonical())
}
