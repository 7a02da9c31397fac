//! Who may come in (CP-19).

use crate::serve::caller::{Caller, Grant};
use axum::extract::{ConnectInfo, Request};
use axum::http::HeaderMap;
use axum::http::header;
use axum::http::uri::Authority;
use contexture::config::Serve;
use contexture_protocol::{ErrorCode, Refusal};
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

/// What requests are held against.
#[derive(Debug)]
pub(crate) struct Guard {
    /// Only this machine reaches the server.
    is_local: bool,
    hosts: Vec<String>,
    origins: Vec<String>,
    local: Arc<Grant>,
}

impl Guard {
    pub(super) fn new(settings: &Serve, address: SocketAddr) -> Self {
        let lower = |names: &[String]| names.iter().map(|name| name.to_ascii_lowercase()).collect();
        Self {
            is_local: address.ip().is_loopback(),
            hosts: lower(&settings.hosts),
            origins: lower(&settings.origins),
            local: Arc::new(Grant::local()),
        }
    }

    /// Lets a request in, or says why not.
    pub(crate) fn admit(&self, request: &Request) -> Result<Caller, Refusal> {
        let headers = request.headers();
        if !self.host(headers) {
            let text = "the host of the request is not served here";
            return Err(Refusal::new(ErrorCode::PermissionDenied, text)
                .policy("host")
                .suggest("Name the host under `serve.hosts` in contexture.toml."));
        }
        let mut origins = headers.get_all(header::ORIGIN).iter();
        if !origins.all(|origin| origin.to_str().is_ok_and(|origin| self.origin(origin))) {
            let text = "pages of this origin may not call";
            return Err(Refusal::new(ErrorCode::PermissionDenied, text)
                .policy("origin")
                .suggest("Name the origin under `serve.origins` in contexture.toml."));
        }
        let peer = request.extensions().get::<ConnectInfo<SocketAddr>>();
        let address = peer.map(|ConnectInfo(address)| address.ip());
        let grant = if self.is_local {
            Arc::clone(&self.local)
        } else {
            return Err(Refusal::new(ErrorCode::AuthFailed, "a token is needed").policy("token"));
        };
        Ok(Caller { grant, address, session: None })
    }

    /// A page can rebind its own name to this machine, but never an IP address or `localhost`.
    fn host(&self, headers: &HeaderMap) -> bool {
        let mut named = headers.get_all(header::HOST).iter();
        let (Some(host), None) = (named.next(), named.next()) else { return false };
        let host = host.to_str().ok().and_then(|host| host.parse::<Authority>().ok());
        let Some(host) = host else { return false };
        let (name, whole) = (host.host().to_ascii_lowercase(), host.as_str().to_ascii_lowercase());
        let is_named = self.hosts.iter().any(|known| *known == name || *known == whole);
        // A user name does not belong there.
        !whole.contains('@') && (is_own(&name, |_| true) || is_named)
    }

    fn origin(&self, origin: &str) -> bool {
        let origin = origin.trim().to_ascii_lowercase();
        let is_web = |uri: &axum::http::Uri| matches!(uri.scheme_str(), Some("http" | "https"));
        let own = || {
            origin.parse().is_ok_and(|uri: axum::http::Uri| {
                is_web(&uri) && uri.host().is_some_and(|host| is_own(host, IpAddr::is_loopback))
            })
        };
        self.origins.contains(&origin) || own()
    }
}

/// Whether a host is `localhost` or an IP address of that kind.
fn is_own(host: &str, kind: impl FnOnce(&IpAddr) -> bool) -> bool {
    let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    host.eq_ignore_ascii_case("localhost") || bare.parse::<IpAddr>().is_ok_and(|ip| kind(&ip))
}
