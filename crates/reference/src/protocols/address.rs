//! Addresses of `ftp`, `sftp` and `ssh`: `user:password@host:port/path` (REF-23).
//!
//! Decision: an address is taken apart as written first, and each part is decoded then, so that an
//! encoded `/`, `@` or `:` in a password separates nothing. No message repeats what stands before
//! the `@`.

use super::fault::Fault;
use std::fmt;
use url::Host;

/// The address of a server, and the path on it.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Endpoint {
    pub(super) host: Host<String>,
    pub(super) port: u16,
    pub(super) login: Option<Login>,
    /// The path, decoded, without the slash behind the host.
    pub(super) path: String,
}

/// The user and the password.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Login {
    pub(super) user: String,
    pub(super) password: Option<String>,
}

/// A password is never shown, nor is who it belongs to.
impl fmt::Debug for Login {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Login(…)")
    }
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Endpoint({self}/{})", self.path)
    }
}

/// `host:port`, as messages name a server.
impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.host, self.port)
    }
}

const HELP: &str = "write user:password@host:port/path; in user and password `/` is written %2F, \
                    `@` %40, `:` %3A and `%` %25";

fn fault(message: &str) -> Fault {
    Fault::new("REF4001", message, HELP)
}

impl Endpoint {
    /// Takes the path of a reference apart.
    pub(super) fn parse(path: &str, standard_port: u16) -> Result<Self, Fault> {
        let (authority, path) = path.split_once('/').unwrap_or((path, ""));
        let (login, address) = match authority.rsplit_once('@') {
            Some((login, address)) => (Some(Login::parse(login)?), address),
            None => (None, authority),
        };
        let (host, port) = split_port(address)?;
        let port = port.map_or(Ok(standard_port), |port| {
            port.parse().map_err(|_| fault("its port is not a number from 0 to 65535"))
        })?;
        if host.is_empty() {
            return Err(fault("it names no host"));
        }
        let host =
            Host::parse(host).map_err(|error| fault(&format!("its host is none: {error}")))?;
        Ok(Self { host, port, login, path: decode(path)? })
    }
}

impl Login {
    fn parse(text: &str) -> Result<Self, Fault> {
        let (user, password) = match text.split_once(':') {
            Some((user, password)) => (user, Some(decode(password)?)),
            None => (text, None),
        };
        Ok(Self { user: decode(user)?, password })
    }
}

fn split_port(address: &str) -> Result<(&str, Option<&str>), Fault> {
    if let Some((inner, behind)) = address.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        let host = address.get(..inner.len() + 2).unwrap_or_default();
        return match behind.strip_prefix(':') {
            _ if behind.is_empty() => Ok((host, None)),
            Some(port) => Ok((host, Some(port))),
            None => Err(fault("something else than a port stands behind its host")),
        };
    }
    match address.split_once(':') {
        Some((_, port)) if port.contains(':') => {
            Err(fault("an IPv6 address stands in brackets: [::1]:22"))
        }
        Some((host, port)) => Ok((host, Some(port))),
        None => Ok((address, None)),
    }
}

/// Returns a text percent-decoded. Control characters end commands in some protocols: there are
/// none.
pub(super) fn decode(text: &str) -> Result<String, Fault> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let mut digit = || char::from(rest.next()?).to_digit(16);
        let value = digit().zip(digit()).and_then(|(high, low)| u8::try_from(high * 16 + low).ok());
        bytes.push(value.ok_or_else(|| fault("a `%` in it is not followed by two hex digits"))?);
    }
    let text = String::from_utf8(bytes).map_err(|_| fault("its encoded bytes are not UTF-8"))?;
    if text.chars().any(char::is_control) {
        return Err(fault("a control character stands in it"));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parse(path: &str) -> Endpoint {
        Endpoint::parse(path, 22).unwrap()
    }

    #[test]
    fn ref_23_address_is_taken_apart() {
        let whole = parse("ann:p%40s%2Fs@files.example:2222/a%20b/%E4%B8%AD.md");
        assert_eq!((whole.to_string(), &*whole.path), ("files.example:2222".into(), "a b/中.md"));
        let login = whole.login.unwrap();
        assert_eq!((&*login.user, login.password.as_deref()), ("ann", Some("p@s/s")));
        let least = parse("h/p");
        assert_eq!((least.to_string(), least.login), ("h:22".to_owned(), None));
        assert_eq!(parse("[::1]:99/p").to_string(), "[::1]:99");
        assert_eq!(parse("[::1]/p").port, 22);
        assert_eq!(parse("h").path, "");
        // A host that is a number is the address that it stands for.
        assert_eq!(parse("2130706433/p").to_string(), "127.0.0.1:22");
    }

    #[test]
    fn ref_23_invalid_address_is_reported_without_secrets() {
        for path in [
            "/p",
            "ann:secret@/p",
            "ann:secret@h:x/p",
            "ann:sec/ret@h/p",
            "ann:secret@h:70000/p",
            "ann:secret@::1/p",
            "ann:secret@[::1/p",
            "ann:secret@[::1]x/p",
            "ann:secret%0d@h/p",
            "ann:secret@h/a%0Ab",
            "ann:secret%zz@h/p",
            "ann:secret@h/%ff",
            "ann:secret@a b/p",
        ] {
            let error = Endpoint::parse(path, 22).unwrap_err();
            assert_eq!(error.code, "REF4001", "{path}");
            assert!(!format!("{error:?}").contains("sec"), "{error:?}");
        }
    }

    proptest! {
        #[test]
        fn ref_23_any_path_is_address_or_error_and_shows_no_secret(
            user in "[a-z]{1,4}", secret in "Q[A-Z0-9%:@/?#\\[\\]]{3,12}Q", rest in "\\PC{0,20}",
        ) {
            let shown = match Endpoint::parse(&format!("{user}:{secret}@{rest}"), 21) {
                Ok(endpoint) if endpoint.login.is_some() => format!("{endpoint} {:?}", endpoint.login),
                Ok(_) => String::new(),
                Err(error) => format!("{error:?}"),
            };
            prop_assert!(!shown.contains(&secret), "{shown}");
        }
    }
}
