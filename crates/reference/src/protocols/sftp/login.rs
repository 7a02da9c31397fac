//! The user and the keys of a login.

use super::super::address::Endpoint;
use super::super::fault::Fault;
use super::super::network::NetworkSettings;
use super::hosts::{Guard, Trouble};
use russh::client::{AuthResult, Handle};
use russh::keys::{Algorithm, HashAlg, PrivateKey, PrivateKeyWithHashAlg};
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const LONGEST_KEY: u64 = 64 * 1024;

/// The settings of `sftp` and `ssh`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SshSettings {
    /// Addresses and time-outs.
    pub network: NetworkSettings,
    /// The keys of servers that are known, as OpenSSH writes them; without a file none is.
    pub known_hosts: Option<PathBuf>,
    /// Private keys that are offered when the address has no password, in this order. Missing keys
    /// and those with a passphrase are skipped.
    pub keys: Vec<PathBuf>,
    /// The socket of an SSH agent, whose keys are offered first.
    pub agent: Option<PathBuf>,
    /// The user when the address names none.
    pub user: Option<String>,
}

impl SshSettings {
    /// Returns what OpenSSH uses of a home folder.
    #[must_use]
    pub fn in_home(home: &Path, network: NetworkSettings) -> Self {
        let folder = home.join(".ssh");
        let keys = ["id_ed25519", "id_ecdsa", "id_rsa"].map(|name| folder.join(name)).to_vec();
        let known_hosts = Some(folder.join("known_hosts"));
        Self { network, known_hosts, keys, agent: None, user: None }
    }
}

pub(super) fn explain(who: &str, trouble: &Trouble) -> Fault {
    match &trouble.0 {
        russh::Error::IO(error) => Fault::broken_off(who, error),
        error @ (russh::Error::Disconnect | russh::Error::HUP | russh::Error::SendError) => {
            Fault::broken_off(who, error)
        }
        error => Fault::strange(who, error),
    }
}

pub(super) fn user(endpoint: &Endpoint, settings: &SshSettings) -> Result<String, Fault> {
    let written = endpoint.login.as_ref().map(|login| &login.user).filter(|user| !user.is_empty());
    written.or(settings.user.as_ref()).cloned().ok_or_else(|| {
        Fault::new("REF4007", "nobody is named who logs in", "write user@ before the host")
    })
}

/// Logs in: by the password of the address, else by keys.
pub(super) async fn offer(
    ssh: &mut Handle<Guard>,
    user: &str,
    endpoint: &Endpoint,
    settings: &SshSettings,
) -> Result<(), Fault> {
    let who = endpoint.to_string();
    let failed = |error: russh::Error| explain(&who, &Trouble::from(error));
    if let Some(password) = endpoint.login.as_ref().and_then(|login| login.password.as_deref()) {
        let result = ssh.authenticate_password(user, password).await.map_err(failed)?;
        return if result.success() { Ok(()) } else { Err(wrong_password(&who, &result)) };
    }
    let mut tried = by_agent(ssh, user, settings.agent.as_deref()).await;
    if tried == Tried::Accepted {
        return Ok(());
    }
    let mut locked = 0;
    for path in &settings.keys {
        let key = match read(path) {
            Some(Key::Open(key)) => key,
            Some(Key::Locked) => {
                locked += 1;
                continue;
            }
            None => continue,
        };
        let hash = hash_for(ssh, key.algorithm()).await.map_err(failed)?;
        let key = PrivateKeyWithHashAlg::new(Arc::new(*key), hash);
        if ssh.authenticate_publickey(user, key).await.map_err(failed)?.success() {
            return Ok(());
        }
        tried = Tried::Refused;
    }
    Err(no_key(&who, tried, locked))
}

/// Returns the hash that a key signs with. Servers may be slow to answer what they accept, so they
/// are asked only for RSA keys, of which there are several kinds.
async fn hash_for(
    ssh: &Handle<Guard>,
    algorithm: Algorithm,
) -> Result<Option<HashAlg>, russh::Error> {
    if !algorithm.is_rsa() {
        return Ok(None);
    }
    Ok(ssh.best_supported_rsa_hash().await?.flatten())
}

fn wrong_password(who: &str, result: &AuthResult) -> Fault {
    let partial = matches!(result, AuthResult::Failure { partial_success: true, .. });
    let message = if partial {
        format!("{who} asks for more than a password")
    } else {
        format!("{who} refuses the password, or takes none")
    };
    Fault::new("REF4007", message, "see whether user and password in the address are right")
}

fn no_key(who: &str, tried: Tried, locked: usize) -> Fault {
    let passed = match locked {
        0 => String::new(),
        count => format!("; {count} with a passphrase passed over"),
    };
    let help =
        "write a password in the address, have an unencrypted key in ~/.ssh, or run an agent";
    if tried == Tried::Nothing {
        let message = format!("there is no key to log in to {who} with{passed}");
        return Fault::new("REF4022", message, help);
    }
    let message = format!("{who} refuses the keys it was offered{passed}");
    Fault::new("REF4007", message, "have the public key added on the server, or write a password")
}

/// The outcome of offering keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tried {
    Nothing,
    Refused,
    Accepted,
}

/// Offers the keys of an agent; without one, none.
#[cfg(unix)]
async fn by_agent(ssh: &mut Handle<Guard>, user: &str, socket: Option<&Path>) -> Tried {
    use russh::keys::agent::{AgentIdentity, client::AgentClient};
    let mut tried = Tried::Nothing;
    let Some(socket) = socket else { return tried };
    let Ok(mut agent) = AgentClient::connect_uds(socket).await else { return tried };
    for identity in agent.request_identities().await.unwrap_or_default() {
        let AgentIdentity::PublicKey { key, .. } = identity else { continue };
        let Ok(hash) = hash_for(ssh, key.algorithm()).await else { return tried };
        tried = Tried::Refused;
        let result = ssh.authenticate_publickey_with(user, key, hash, &mut agent).await;
        if result.is_ok_and(|result| result.success()) {
            return Tried::Accepted;
        }
    }
    tried
}

#[cfg(not(unix))]
async fn by_agent(_: &mut Handle<Guard>, _: &str, _: Option<&Path>) -> Tried {
    Tried::Nothing
}

enum Key {
    Open(Box<PrivateKey>),
    Locked,
}

/// Returns a key file; none if it is missing or can't be read.
fn read(path: &Path) -> Option<Key> {
    let mut text = String::new();
    std::fs::File::open(path).ok()?.take(LONGEST_KEY).read_to_string(&mut text).ok()?;
    match russh::keys::decode_secret_key(&text, None) {
        Ok(key) => Some(Key::Open(Box::new(key))),
        Err(russh::keys::Error::KeyIsEncrypted) => Some(Key::Locked),
        Err(_) => None,
    }
}
