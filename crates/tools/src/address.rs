//! Which addresses may be reached: by the HTTP tool, and by whatever else opens connections.
//!
//! Decision: public addresses may. Any other address only when the settings list the host: what
//! answers there (a cloud's metadata, a router, a neighbour's service) trusts its callers for being
//! inside. Loopback may also be reached where the caller allows it and the host itself names it,
//! since then the program's author, not a name server, chose it. What is checked is the address
//! that is connected to, so that a name server can't answer differently in between.
//!
//! ```
//! use contexture_tools::address::Reach;
//! use url::Host;
//!
//! let host = Host::parse("10.0.0.8")?;
//! let refused = Reach::public(&host, 443, &[]).unwrap_err();
//! assert_eq!(refused.to_string(), "10.0.0.8 leads to 10.0.0.8, which is a private address");
//! assert_eq!(Reach::public(&host, 443, &["10.0.0.8:443".to_owned()]), Ok(Reach::Any));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#[cfg(feature = "http")]
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use url::Host;

/// Which addresses one host may lead to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// Public addresses.
    Public,
    /// Loopback addresses.
    Loopback,
    /// Any address.
    Any,
}

/// An address that must not be reached.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{host} leads to {address}, which is {kind}")]
pub struct Refused {
    /// The host that led to it.
    pub host: String,
    /// The address.
    pub address: IpAddr,
    /// Its kind, such as `a private address`.
    pub kind: &'static str,
}

/// The reason why a host has no address that may be reached.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ResolveError {
    /// All its addresses are refused; this is one of them.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// No name server knows it, or none could be asked.
    #[error("the name {host} could not be resolved: {reason}")]
    Unknown {
        /// The host.
        host: String,
        /// The reason that the system gives.
        reason: String,
    },
}

impl Reach {
    /// Returns what `host` may lead to when the settings list those hosts, as `host` or
    /// `host:port`, that may be private; an address that it names outright is checked here.
    ///
    /// # Errors
    /// [`Refused`] when the host is an address that is not public and not listed.
    pub fn public(
        host: &Host<impl AsRef<str>>,
        port: u16,
        allow_private: &[String],
    ) -> Result<Self, Refused> {
        if is_listed(host, port, allow_private) {
            return Ok(Self::Any);
        }
        if let Some(address) = literal(host) {
            Self::Public.check(&named(host), address)?;
        }
        Ok(Self::Public)
    }

    /// Does the same as [`Self::public`], and allows loopback where the host itself names it.
    ///
    /// # Errors
    /// As [`Self::public`].
    pub fn public_or_named(
        host: &Host<impl AsRef<str>>,
        port: u16,
        allow_private: &[String],
    ) -> Result<Self, Refused> {
        let loopback = match host {
            Host::Domain(name) => is_localhost(name.as_ref()),
            _ => literal(host).is_some_and(is_loopback),
        };
        if loopback && !is_listed(host, port, allow_private) {
            return Ok(Self::Loopback);
        }
        Self::public(host, port, allow_private)
    }

    /// Refuses an address that `host` must not lead to.
    ///
    /// # Errors
    /// [`Refused`] when the address is not among those that may be reached.
    pub fn check(self, host: &str, address: IpAddr) -> Result<(), Refused> {
        let refused = match self {
            Self::Any => None,
            Self::Loopback if is_loopback(address) => None,
            Self::Loopback => Some("not this machine"),
            Self::Public => not_public(address),
        };
        refused.map_or(Ok(()), |kind| Err(Refused { host: host.to_owned(), address, kind }))
    }

    /// Returns the addresses of a host that may be reached, those that must not be left out:
    /// connect to them and not to the name.
    ///
    /// # Errors
    /// [`ResolveError`] when there are none.
    pub async fn resolve(self, host: &str, port: u16) -> Result<Vec<SocketAddr>, ResolveError> {
        let unknown = |reason: String| ResolveError::Unknown { host: host.to_owned(), reason };
        let found = tokio::net::lookup_host((host, port)).await;
        let mut refused = None;
        let mut allowed = Vec::new();
        for address in found.map_err(|error| unknown(error.to_string()))? {
            match self.check(host, address.ip()) {
                Ok(()) => allowed.push(address),
                Err(error) => refused = Some(error),
            }
        }
        match refused {
            _ if !allowed.is_empty() => Ok(allowed),
            Some(refused) => Err(refused.into()),
            None => Err(unknown("it has no address".to_owned())),
        }
    }
}

/// Returns the address that a host names outright.
fn literal(host: &Host<impl AsRef<str>>) -> Option<IpAddr> {
    match host {
        Host::Domain(_) => None,
        Host::Ipv4(address) => Some(IpAddr::V4(*address)),
        Host::Ipv6(address) => Some(IpAddr::V6(*address)),
    }
}

fn named(host: &Host<impl AsRef<str>>) -> String {
    match host {
        Host::Domain(name) => name.as_ref().to_owned(),
        Host::Ipv4(address) => address.to_string(),
        Host::Ipv6(address) => format!("[{address}]"),
    }
}

fn is_listed(host: &Host<impl AsRef<str>>, port: u16, allow_private: &[String]) -> bool {
    let host = named(host);
    let with_port = format!("{host}:{port}");
    let bare = host.trim_matches(['[', ']']);
    allow_private.iter().any(|allowed| {
        [&*host, bare, &*with_port].iter().any(|name| name.eq_ignore_ascii_case(allowed))
    })
}

fn is_localhost(name: &str) -> bool {
    let name = name.trim_end_matches('.').to_ascii_lowercase();
    name == "localhost" || name.ends_with(".localhost")
}

fn is_loopback(address: IpAddr) -> bool {
    address.to_canonical().is_loopback()
}

/// Returns the reason why an address is not a public one.
fn not_public(address: IpAddr) -> Option<&'static str> {
    match address.to_canonical() {
        IpAddr::V4(address) => not_public_v4(address),
        IpAddr::V6(address) => not_public_v6(address),
    }
}

fn not_public_v4(address: Ipv4Addr) -> Option<&'static str> {
    let [a, b, c, _] = address.octets();
    match (a, b, c) {
        (127, ..) => Some("this machine"),
        (0, ..) => Some("an unspecified address"),
        (10, ..) | (172, 16..=31, _) | (192, 168, _) => Some("a private address"),
        (169, 254, _) => Some("a link-local address"),
        (100, 64..=127, _) => Some("a carrier's inner address"),
        (224..=239, ..) => Some("a multicast address"),
        (192, 0, 0 | 2) | (198, 18 | 19, _) | (198, 51, 100) | (203, 0, 113) | (240.., ..) => {
            Some("a reserved address")
        }
        _ => None,
    }
}

fn not_public_v6(address: Ipv6Addr) -> Option<&'static str> {
    let [a, b, _, _, _, _, g, h] = address.segments();
    let embedded = |high: u16, low: u16| {
        let [a, b] = high.to_be_bytes();
        let [c, d] = low.to_be_bytes();
        not_public_v4(Ipv4Addr::new(a, b, c, d))
    };
    if address.is_loopback() {
        return Some("this machine");
    }
    if address.is_unspecified() {
        return Some("an unspecified address");
    }
    match (a, b) {
        (0xfc00..=0xfdff, _) => Some("a private address"),
        (0xfe80..=0xfebf, _) => Some("a link-local address"),
        (0xfec0..=0xfeff, _) => Some("a private address"),
        (0xff00.., _) => Some("a multicast address"),
        // Documentation, Teredo (which carries an address that its maker chose), discard.
        (0x2001, 0x0db8 | 0) | (0x0100, 0) => Some("a reserved address"),
        // Addresses that carry an IPv4 one: translation, 6to4, and the old compatible form.
        (0x0064, 0xff9b) | (0, 0) => embedded(g, h),
        (0x2002, high) => {
            let [_, _, low, ..] = address.segments();
            embedded(high, low)
        }
        _ => None,
    }
}

/// Resolves names for an HTTP client and lets through only the addresses that may be reached. What
/// it refuses comes out of the client as a [`ResolveError`] among the causes.
///
/// A client does not resolve a host that is an address: that is checked by [`Reach::public`].
#[cfg(feature = "http")]
#[derive(Debug, Clone, Copy)]
pub struct Guard(pub Reach);

#[cfg(feature = "http")]
impl Resolve for Guard {
    fn resolve(&self, name: Name) -> Resolving {
        let reach = self.0;
        Box::pin(async move {
            let allowed = reach.resolve(name.as_str(), 0).await?;
            Ok(Box::new(allowed.into_iter()) as Addrs)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(address: &str) -> Option<&'static str> {
        not_public(address.parse().unwrap())
    }

    #[test]
    fn as_25_addresses_that_are_not_public_are_reported() {
        for address in [
            "127.0.0.1",
            "127.9.9.9",
            "0.0.0.0",
            "10.1.2.3",
            "172.16.0.1",
            "172.31.255.255",
            "192.168.1.1",
            "169.254.169.254",
            "100.64.0.1",
            "224.0.0.1",
            "255.255.255.255",
            "192.0.2.1",
            "198.18.0.1",
            "::1",
            "::",
            "fc00::1",
            "fd12::1",
            "fe80::1",
            "fec0::1",
            "ff02::1",
            "2001:db8::1",
            "2001:0:4136:e378:8000:63bf:3fff:fdd2",
            "100::1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "::127.0.0.1",
            "64:ff9b::7f00:1",
            "64:ff9b::a9fe:a9fe",
            "64:ff9b:1::a00:1",
            "2002:7f00:1::",
            "2002:c0a8:101::",
        ] {
            assert!(kind(address).is_some(), "{address}");
        }
        for address in [
            "8.8.8.8",
            "172.15.0.1",
            "172.32.0.1",
            "100.128.0.1",
            "192.0.1.1",
            "1.1.1.1",
            "2606:4700::1111",
            "::ffff:8.8.8.8",
            "64:ff9b::808:808",
            "2002:808:808::",
        ] {
            assert_eq!(kind(address), None, "{address}");
        }
    }

    fn reach(url: &str, allowed: &[&str]) -> Result<Reach, Refused> {
        let url = url::Url::parse(url).unwrap();
        let allowed: Vec<_> = allowed.iter().map(|host| (*host).to_owned()).collect();
        let port = url.port_or_known_default().unwrap();
        Reach::public_or_named(&url.host().unwrap(), port, &allowed)
    }

    #[test]
    fn as_25_loopback_is_reached_when_import_names_it() {
        assert_eq!(reach("http://127.0.0.1:8080", &[]), Ok(Reach::Loopback));
        assert_eq!(reach("http://[::1]:8080", &[]), Ok(Reach::Loopback));
        assert_eq!(reach("http://LOCALHOST", &[]), Ok(Reach::Loopback));
        // The same address, written as one number.
        assert_eq!(reach("http://2130706433", &[]), Ok(Reach::Loopback));
        assert_eq!(reach("https://api.example.com", &[]), Ok(Reach::Public));
        assert!(Reach::Public.check("x", "127.0.0.1".parse().unwrap()).is_err());
        assert!(Reach::Loopback.check("x", "10.0.0.1".parse().unwrap()).is_err());
    }

    #[test]
    fn as_25_private_hosts_are_reached_when_settings_list_them() {
        for url in ["http://169.254.169.254", "http://10.0.0.8:9000", "http://[fd00::1]"] {
            assert!(reach(url, &[]).is_err(), "{url}");
        }
        assert_eq!(reach("http://10.0.0.8:9000", &["10.0.0.8"]), Ok(Reach::Any));
        assert_eq!(reach("http://10.0.0.8:9000", &["10.0.0.8:9000"]), Ok(Reach::Any));
        assert!(reach("http://10.0.0.8:9000", &["10.0.0.8:9001"]).is_err());
        assert_eq!(reach("https://git.corp", &["GIT.corp:443"]), Ok(Reach::Any));
        for listed in ["[fd00::1]", "fd00::1", "[fd00::1]:80"] {
            assert_eq!(reach("http://[fd00::1]", &[listed]), Ok(Reach::Any), "{listed}");
        }
    }

    #[test]
    fn ref_22_loopback_is_refused_unless_it_is_listed() {
        let host = |text: &str| Host::parse(text).unwrap();
        for text in ["127.0.0.1", "[::1]", "2130706433", "0x7f.1", "[::ffff:127.0.0.1]"] {
            assert!(Reach::public(&host(text), 80, &[]).is_err(), "{text}");
        }
        let listed = ["127.0.0.1:8080".to_owned()];
        assert_eq!(Reach::public(&host("127.0.0.1"), 8080, &listed), Ok(Reach::Any));
        assert!(Reach::public(&host("127.0.0.1"), 8081, &listed).is_err());
        // A name is checked where it is resolved.
        assert_eq!(Reach::public(&host("localhost"), 80, &[]), Ok(Reach::Public));
    }
}

#[cfg(test)]
#[cfg(feature = "http")]
mod guard_tests {
    use super::ResolveError;
    use super::*;

    fn run<T>(future: impl Future<Output = T>) -> T {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(future)
    }

    #[test]
    fn as_25_name_that_leads_to_this_machine_is_refused_where_it_is_resolved() {
        let resolve = |reach| {
            let name: Name = "localhost".parse().unwrap();
            run(Guard(reach).resolve(name)).map(Iterator::count)
        };
        let refused = resolve(Reach::Public).unwrap_err();
        assert!(matches!(refused.downcast_ref(), Some(ResolveError::Refused(_))), "{refused}");
        assert!(resolve(Reach::Loopback).unwrap() > 0);
        assert!(resolve(Reach::Any).unwrap() > 0);
    }

    #[test]
    fn ref_22_name_that_nobody_knows_is_reported() {
        let error = run(Reach::Public.resolve("no-such-host.invalid", 80)).unwrap_err();
        assert!(
            matches!(&error, ResolveError::Unknown { host, .. } if host == "no-such-host.invalid")
        );
    }
}
