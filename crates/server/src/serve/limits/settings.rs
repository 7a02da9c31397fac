//! The limits of a server, and the address that they count by.

use contexture::config;
use std::net::IpAddr;
use std::num::{NonZeroU64, NonZeroUsize};

/// The limits of `[serve]` for a server that listens where it does.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    pub(crate) connections: usize,
    pub(crate) connections_per_address: Option<usize>,
    pub(crate) sockets_per_owner: Option<usize>,
    pub(crate) owner_rate: Option<NonZeroU64>,
    pub(crate) address_rate: Option<NonZeroU64>,
    pub(crate) failed_logins: NonZeroU64,
}

impl Limits {
    /// `is_local`: only this machine reaches the server, so that its clients are one person's.
    pub(crate) fn new(serve: &config::Serve, is_local: bool) -> Self {
        let limits = &serve.limits;
        let rate = |set: Option<NonZeroU64>, else_: u64| {
            set.or(if is_local { None } else { NonZeroU64::new(else_) })
        };
        let size = |set: Option<NonZeroUsize>, else_: usize| {
            set.map(NonZeroUsize::get).or((!is_local).then_some(else_))
        };
        Self {
            connections: limits.connections.get(),
            connections_per_address: size(limits.connections_per_address, 256),
            sockets_per_owner: size(limits.sockets_per_owner, 1_000),
            owner_rate: rate(serve.rate_per_minute, 6_000),
            address_rate: rate(limits.address_rate_per_minute, 60_000),
            failed_logins: limits.failed_logins_per_minute,
        }
    }
}

/// Returns the address that limits count by: of IPv6, where one client has many, its network.
pub(crate) fn counted(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            let network = address.to_bits() & !u128::from(u64::MAX);
            IpAddr::V6(network.into())
        }
        address @ IpAddr::V4(_) => address,
    }
}
