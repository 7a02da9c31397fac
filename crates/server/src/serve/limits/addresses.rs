//! The addresses that clients may come from.

use crate::fault::Fault;
use crate::serve::codes;
use ipnet::IpNet;
use std::net::IpAddr;

/// A list of networks; an empty one allows all.
#[derive(Debug)]
pub(crate) struct Addresses(Vec<IpNet>);

impl Addresses {
    /// Reads `serve.addresses`.
    ///
    /// # Errors
    /// A [`Fault`] that names the entry which is neither an address nor a network.
    pub(crate) fn new(listed: &[String]) -> Result<Self, Fault> {
        listed.iter().map(|entry| network(entry)).collect::<Result<_, _>>().map(Self)
    }

    pub(crate) fn allow(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        self.0.is_empty() || self.0.iter().any(|network| network.contains(&address))
    }
}

fn network(text: &str) -> Result<IpNet, Fault> {
    let text = text.trim();
    let address = || text.parse::<IpAddr>().map(|address| IpNet::from(address.to_canonical()));
    text.parse::<IpNet>().or_else(|_| address()).map_err(|_| {
        let message = format!(
            "serve.addresses: expected an IP address or a network such as 10.1.0.0/16, found `{text}`"
        );
        Fault::of(codes::BAD_SETTING, message)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cp_19_addresses_are_allowed_by_networks() {
        let list = ["10.1.0.0/16", " 192.0.2.7 ", "2001:db8::/32"].map(str::to_owned);
        let addresses = Addresses::new(&list).unwrap();
        for (address, is_allowed) in [
            ("10.1.2.3", true),
            ("10.2.0.1", false),
            ("192.0.2.7", true),
            ("192.0.2.8", false),
            ("2001:db8:1::1", true),
            ("2001:db9::1", false),
            ("::ffff:10.1.2.3", true),
            ("127.0.0.1", false),
        ] {
            assert_eq!(addresses.allow(address.parse().unwrap()), is_allowed, "{address}");
        }
        assert!(Addresses::new(&[]).unwrap().allow([9, 9, 9, 9].into()), "none listed: all");
        for wrong in ["", "10.1", "10.0.0.0/33", "example.com", "10.0.0.0-10.0.0.9"] {
            let fault = Addresses::new(&[wrong.to_owned()]).unwrap_err();
            assert!(fault.message.contains(&format!("`{wrong}`")), "{}", fault.message);
        }
    }
}
