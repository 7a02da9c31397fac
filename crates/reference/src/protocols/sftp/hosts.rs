//! Which keys of servers are known (the file `known_hosts` of OpenSSH).

use super::super::address::Endpoint;
use super::super::fault::Fault;
use hmac::{Hmac, KeyInit as _, Mac as _};
use russh::client::Handler;
use russh::keys::ssh_key::known_hosts::{Entry, HostPatterns, Marker};
use russh::keys::{Algorithm, HashAlg, PublicKey, PublicKeyOrCertificate};
use sha1::Sha1;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use url::Host;

pub(super) const PORT: u16 = 22;

const LONGEST: u64 = 16 << 20;

#[derive(Debug)]
pub(super) struct KnownHosts {
    /// As it stands in the file: `host`, or `[host]:port`.
    name: String,
    keys: Vec<PublicKey>,
    revoked: Vec<PublicKey>,
}

impl KnownHosts {
    /// Reads the keys of a server from a file; a missing file has none.
    pub(super) fn read(file: Option<&Path>, endpoint: &Endpoint) -> Result<Self, Fault> {
        let text = file.map_or(Ok(String::new()), |file| {
            read(file).map_err(|error| {
                let message = format!("the known keys of servers could not be read: {error}");
                Fault::new("REF4020", message, "see whether ~/.ssh/known_hosts is a text file")
            })
        })?;
        Ok(Self::parse(&text, name_of(endpoint)))
    }

    fn parse(text: &str, name: String) -> Self {
        let mut known = Self { name, keys: Vec::new(), revoked: Vec::new() };
        for line in text.lines().filter(|line| !line.trim_start().starts_with('#')) {
            let words: Vec<&str> = line.split_whitespace().collect();
            // A line that can't be read may be of an algorithm that nobody here speaks.
            let Ok(entry) = words.join(" ").parse::<Entry>() else { continue };
            if !names(entry.host_patterns(), &known.name) {
                continue;
            }
            match entry.marker() {
                None => known.keys.push(entry.public_key().clone()),
                Some(Marker::Revoked) => known.revoked.push(entry.public_key().clone()),
                // Certificates are not asked for, so their authorities prove nothing.
                Some(Marker::CertAuthority) => {}
            }
        }
        known
    }

    /// Algorithms with those of the known keys first.
    pub(super) fn algorithms_first(&self, standard: &[Algorithm]) -> Vec<Algorithm> {
        let known = |algorithm: &Algorithm| {
            self.keys.iter().any(|key| match (key.algorithm(), algorithm) {
                (Algorithm::Rsa { .. }, Algorithm::Rsa { .. }) => true,
                (of_key, algorithm) => of_key == *algorithm,
            })
        };
        let (mut first, rest): (Vec<_>, Vec<_>) = standard.iter().cloned().partition(known);
        first.extend(rest);
        first
    }

    fn check(&self, key: &PublicKey) -> Result<(), Fault> {
        let same = |known: &PublicKey| known.key_data() == key.key_data();
        let shown = format!("{} {}", key.algorithm(), key.fingerprint(HashAlg::Sha256));
        if self.revoked.iter().any(same) {
            let message = format!("the key that {} shows is revoked ({shown})", self.name);
            return Err(self.changed(message));
        }
        if self.keys.iter().any(same) {
            return Ok(());
        }
        if self.keys.iter().any(|known| known.algorithm() == key.algorithm()) {
            let message = format!("{} shows another key than the known one ({shown})", self.name);
            return Err(self.changed(message));
        }
        let message = format!("the key of {} is not known ({shown})", self.name);
        let help = format!(
            "compare it with what the server's owner says, then: {} >> ~/.ssh/known_hosts",
            self.scan()
        );
        Err(Fault::new("REF4020", message, &help))
    }

    fn changed(&self, message: String) -> Fault {
        let help = format!(
            "somebody else may answer; if the owner confirms the change: ssh-keygen -R '{}', then \
             {} >> ~/.ssh/known_hosts",
            self.name,
            self.scan()
        );
        Fault::new("REF4021", message, &help)
    }

    /// Returns how the key is asked for.
    fn scan(&self) -> String {
        match self.name.strip_prefix('[').and_then(|name| name.rsplit_once("]:")) {
            Some((host, port)) => format!("ssh-keyscan -p {port} {host}"),
            None => format!("ssh-keyscan {}", self.name),
        }
    }
}

fn read(file: &Path) -> std::io::Result<String> {
    use std::io::Read as _;
    let opened = match std::fs::File::open(file) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(String::new()),
        opened => opened?,
    };
    let mut text = String::new();
    opened.take(LONGEST).read_to_string(&mut text)?;
    Ok(text)
}

fn name_of(endpoint: &Endpoint) -> String {
    let host = match &endpoint.host {
        Host::Ipv6(address) => address.to_string(),
        other => other.to_string().to_ascii_lowercase(),
    };
    if endpoint.port == PORT { host } else { format!("[{host}]:{}", endpoint.port) }
}

/// Reports whether the names at the beginning of a line mean a server.
fn names(patterns: &HostPatterns, name: &str) -> bool {
    match patterns {
        HostPatterns::HashedName { salt, hash } => Hmac::<Sha1>::new_from_slice(salt)
            .is_ok_and(|mac| mac.chain_update(name).verify_slice(hash).is_ok()),
        HostPatterns::Patterns(patterns) => {
            let is =
                |pattern: &str| matches(pattern.to_ascii_lowercase().as_bytes(), name.as_bytes());
            let excluded = |pattern: &String| pattern.strip_prefix('!').is_some_and(is);
            !patterns.iter().any(excluded) && patterns.iter().any(|pattern| is(pattern))
        }
    }
}

/// Reports whether a name is of a pattern with `*` and `?`.
fn matches(pattern: &[u8], name: &[u8]) -> bool {
    let (mut at, mut from) = (0, 0);
    let mut star = None;
    loop {
        match (pattern.get(at), name.get(from)) {
            (Some(b'*'), _) => {
                star = Some((at, from));
                at += 1;
            }
            (Some(b'?'), Some(_)) => (at, from) = (at + 1, from + 1),
            (Some(one), Some(other)) if one == other => (at, from) = (at + 1, from + 1),
            (None, None) => return true,
            // Have the last star take one more.
            _ => match star {
                Some((place, taken)) if taken < name.len() => {
                    star = Some((place, taken + 1));
                    (at, from) = (place + 1, taken + 1);
                }
                _ => return false,
            },
        }
    }
}

/// The reason why a key was refused, from the guard to who opened the connection.
#[derive(Debug, Clone, Default)]
pub(super) struct Verdict(Arc<Mutex<Option<Fault>>>);

impl Verdict {
    pub(super) fn take(&self) -> Option<Fault> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn put(&self, fault: Fault) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(fault);
    }
}

/// Looks at the key of the server; all that servers ask for by themselves is declined.
#[derive(Debug)]
pub(super) struct Guard {
    known: KnownHosts,
    verdict: Verdict,
}

impl Guard {
    pub(super) fn new(known: KnownHosts, verdict: Verdict) -> Self {
        Self { known, verdict }
    }
}

#[derive(Debug)]
pub(super) struct Trouble(pub(super) russh::Error);

impl From<russh::Error> for Trouble {
    fn from(error: russh::Error) -> Self {
        Self(error)
    }
}

impl Handler for Guard {
    type Error = Trouble;

    async fn check_server_key(&mut self, key: &PublicKeyOrCertificate) -> Result<bool, Trouble> {
        let checked = match key {
            PublicKeyOrCertificate::PublicKey { key, .. } => self.known.check(key),
            PublicKeyOrCertificate::Certificate(_) => {
                let message = format!("{} shows a certificate, not a key", self.known.name);
                Err(Fault::new("REF4020", message, "have the server show a key, too"))
            }
        };
        let known = checked.is_ok();
        if let Err(fault) = checked {
            self.verdict.put(fault);
        }
        Ok(known)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ONE: &str =
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJdD7y3aLq454yWBdwLWbieU1ebz9/cu7/QEXn9OIeZJ";
    const TWO: &str =
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAILIG2T/B0l0gaqj3puu510tu9N1OkQ4znY3LYuEm5zCF";

    fn key(text: &str) -> PublicKey {
        PublicKey::from_openssh(text).unwrap()
    }

    fn check(file: &str, address: &str, shown: &str) -> Result<(), &'static str> {
        let endpoint = Endpoint::parse(address, 22).unwrap();
        let known = KnownHosts::parse(file, name_of(&endpoint));
        known.check(&key(shown)).map_err(|fault| fault.code)
    }

    #[test]
    fn ref_20_server_is_verified_by_key() {
        let file = format!("# a comment\n\nother {TWO}\nfiles.example,10.0.0.1 {ONE} ann@home\n");
        assert_eq!(check(&file, "files.example/p", ONE), Ok(()));
        assert_eq!(check(&file, "FILES.example/p", ONE), Ok(()));
        assert_eq!(check(&file, "10.0.0.1/p", ONE), Ok(()));
        assert_eq!(check(&file, "files.example/p", TWO), Err("REF4021"));
        assert_eq!(check(&file, "files.example:2222/p", ONE), Err("REF4020"));
        assert_eq!(check(&file, "new.example/p", ONE), Err("REF4020"));
        assert_eq!(check("", "files.example/p", ONE), Err("REF4020"));
    }

    #[test]
    fn ref_20_known_hosts_are_read_as_openssh_writes_them() {
        let port = format!("[files.example]:2222\t{ONE}");
        assert_eq!(check(&port, "files.example:2222/p", ONE), Ok(()));
        assert_eq!(check(&port, "files.example/p", ONE), Err("REF4020"));
        let six = format!("[::1]:2222,::1 {ONE}");
        assert_eq!(check(&six, "[::1]:2222/p", ONE), Ok(()));
        assert_eq!(check(&six, "[::1]/p", ONE), Ok(()));
        let hashed = format!("|1|O33ESRMWPVkMYIwJ1Uw+n877jTo=|nuuC5vEqXlEZ/8BXQR7m619W6Ak= {TWO}");
        assert_eq!(check(&hashed, "example.com/p", TWO), Ok(()));
        assert_eq!(check(&hashed, "example.org/p", TWO), Err("REF4020"));
        let pattern = format!("*.example,!bad.example {ONE}");
        assert_eq!(check(&pattern, "a.example/p", ONE), Ok(()));
        assert_eq!(check(&pattern, "bad.example/p", ONE), Err("REF4020"));
    }

    #[test]
    fn ref_20_revoked_key_is_refused_wherever_it_stands() {
        let file = format!("a.example {ONE}\n@revoked * {ONE}\n@cert-authority b.example {TWO}\n");
        assert_eq!(check(&file, "a.example/p", ONE), Err("REF4021"));
        assert_eq!(check(&file, "b.example/p", TWO), Err("REF4020"));
    }

    #[test]
    fn ref_20_refusal_reports_how_key_is_added() {
        let endpoint = Endpoint::parse("ann:secret@files.example:2222/p", 22).unwrap();
        let known = KnownHosts::parse("", name_of(&endpoint));
        let error = known.check(&key(ONE)).unwrap_err().at("@sftp://files.example:2222/p");
        let help = error.help.clone().unwrap();
        assert!(help.contains("ssh-keyscan -p 2222 files.example >> ~/.ssh/known_hosts"), "{help}");
        assert!(error.message.contains("SHA256:") && !format!("{error:?}").contains("secret"));
    }

    #[test]
    fn ref_20_algorithms_of_known_keys_are_asked_for_first() {
        let known = KnownHosts::parse(&format!("h {ONE}"), "h".to_owned());
        let rsa = Algorithm::Rsa { hash: Some(HashAlg::Sha512) };
        let first = known.algorithms_first(&[rsa.clone(), Algorithm::Ed25519]);
        assert_eq!(first, [Algorithm::Ed25519, rsa]);
    }

    proptest! {
        #[test]
        fn ref_20_any_file_is_read(text in "\\PC{0,80}", line in "[a-z@!*?|,\\[\\]1 ]{0,30}") {
            let _ = KnownHosts::parse(&format!("{text}\n{line} {ONE}"), "h".to_owned());
        }

        #[test]
        fn ref_20_patterns_match_as_they_are_meant(name in "[ab.]{0,8}", pattern in "[ab.*?]{0,8}") {
            let expected = try_all(pattern.as_bytes(), name.as_bytes());
            prop_assert_eq!(matches(pattern.as_bytes(), name.as_bytes()), expected);
        }
    }

    /// Returns the same question, answered by trying everything.
    fn try_all(pattern: &[u8], name: &[u8]) -> bool {
        match pattern.split_first() {
            None => name.is_empty(),
            Some((b'*', rest)) => (0..=name.len()).any(|taken| try_all(rest, &name[taken..])),
            Some((b'?', rest)) => !name.is_empty() && try_all(rest, &name[1..]),
            Some((one, rest)) => name.first() == Some(one) && try_all(rest, &name[1..]),
        }
    }
}
