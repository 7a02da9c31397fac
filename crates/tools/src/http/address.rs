//! Which addresses may be reached.
//!
//! Decision: public addresses may. Loopback may when the import itself names it, since then the
//! program's author, not a name server, says so. Any other address only when the settings list the
//! host: what answers there (a cloud's metadata, a router, a neighbour's service) trusts its callers
//! for being inside.

use super::Origin;
use super::error::HttpError;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use url::Host;

/// Which addresses one origin may lead to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    /// Public addresses.
    Public,
    /// Loopback addresses.
    Loopback,
    /// Any address.
    Any,
}

impl Reach {
    /// What `origin` may lead to; an address that it names outright is checked here.
    pub(super) fn of(origin: &Origin, allow_private: &[String]) -> Result<Self, HttpError> {
        let names = origin.names();
        if allow_private
            .iter()
            .any(|allowed| names.iter().any(|name| name.eq_ignore_ascii_case(allowed)))
        {
            return Ok(Self::Any);
        }
        let address = match origin.host() {
            Some(Host::Domain(name)) if is_localhost(name) => return Ok(Self::Loopback),
            Some(Host::Ipv4(address)) => IpAddr::V4(address),
            Some(Host::Ipv6(address)) => IpAddr::V6(address),
            _ => return Ok(Self::Public),
        };
        let reach = if is_loopback(address) { Self::Loopback } else { Self::Public };
        reach.check(&origin.to_string(), address)?;
        Ok(reach)
    }

    /// Refuses an address that `host` must not lead to.
    fn check(self, host: &str, address: IpAddr) -> Result<(), HttpError> {
        let refused = match self {
            Self::Any => None,
            Self::Loopback if is_loopback(address) => None,
            Self::Loopback => Some("not this machine"),
            Self::Public => not_public(address),
        };
        refused
            .map_or(Ok(()), |kind| Err(HttpError::Address { host: host.to_owned(), address, kind }))
    }
}

/// Resolves names and lets through only the addresses that may be reached: what it returns is what
/// is connected to, so a name server can't answer differently in between.
pub(super) struct Guard(pub(super) Reach);

impl Resolve for Guard {
    fn resolve(&self, name: Name) -> Resolving {
        let reach = self.0;
        Box::pin(async move {
            let host = name.as_str().to_owned();
            let found: Vec<SocketAddr> =
                tokio::net::lookup_host((host.as_str(), 0)).await?.collect();
            let mut refused = None;
            let mut allowed = Vec::new();
            for address in found {
                match reach.check(&host, address.ip()) {
                    Ok(()) => allowed.push(address),
                    Err(error) => refused = Some(error),
                }
            }
            match refused {
                Some(error) if allowed.is_empty() => Err(error.into()),
                _ => Ok(Box::new(allowed.into_iter()) as Addrs),
            }
        })
    }
}

fn is_localhost(name: &str) -> bool {
    let name = name.trim_end_matches('.').to_ascii_lowercase();
    name == "localhost" || name.ends_with(".localhost")
}

fn is_loopback(address: IpAddr) -> bool {
    address.to_canonical().is_loopback()
}

/// Why an address is not a public one.
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
        (0x2001, 0x0db8) => Some("a reserved address"),
        // Addresses that carry an IPv4 one: translation, 6to4, and the old compatible form.
        (0x0064, 0xff9b) | (0, 0) => embedded(g, h),
        (0x2002, high) => {
            let [_, _, low, ..] = address.segments();
            embedded(high, low)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(address: &str) -> Option<&'static str> {
        not_public(address.parse().unwrap())
    }

    #[test]
    fn as_25_addresses_that_are_not_public_are_told() {
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
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "::127.0.0.1",
            "64:ff9b::7f00:1",
            "64:ff9b::a9fe:a9fe",
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

    fn reach(origin: &str, allowed: &[&str]) -> Result<Reach, HttpError> {
        let allowed: Vec<_> = allowed.iter().map(|host| (*host).to_owned()).collect();
        Reach::of(&Origin::parse(origin).unwrap(), &allowed)
    }

    #[test]
    fn as_25_loopback_is_reached_when_the_import_names_it() {
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
    fn as_25_private_hosts_are_reached_when_the_settings_list_them() {
        for origin in ["http://169.254.169.254", "http://10.0.0.8:9000", "http://[fd00::1]"] {
            assert!(matches!(reach(origin, &[]), Err(HttpError::Address { .. })), "{origin}");
        }
        assert_eq!(reach("http://10.0.0.8:9000", &["10.0.0.8"]), Ok(Reach::Any));
        assert_eq!(reach("http://10.0.0.8:9000", &["10.0.0.8:9000"]), Ok(Reach::Any));
        assert!(reach("http://10.0.0.8:9000", &["10.0.0.8:9001"]).is_err());
        assert_eq!(reach("https://git.corp", &["GIT.corp:443"]), Ok(Reach::Any));
    }

    #[test]
    fn as_25_a_name_that_leads_to_this_machine_is_refused_where_it_is_resolved() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let resolve = |reach| {
            let name: Name = "localhost".parse().unwrap();
            runtime.block_on(Guard(reach).resolve(name)).map(Iterator::count)
        };
        let refused = resolve(Reach::Public).unwrap_err();
        assert!(matches!(refused.downcast_ref(), Some(HttpError::Address { .. })), "{refused}");
        assert!(resolve(Reach::Loopback).unwrap() > 0);
        assert!(resolve(Reach::Any).unwrap() > 0);
    }
}
