//! `sftp` and `ssh`: a file of a server, read over SFTP (REF-20, REF-23).
//!
//! Decisions: no command is ever run, `ssh` is another name for the same. Only servers whose key is
//! known are talked to, and nothing is added to what is known: who trusts a new key should see it.
//! A password is sent only when the address has one; else keys are offered, those of an agent
//! first.

mod hosts;
mod login;

pub use login::SshSettings;

use super::address::Endpoint;
use super::fault::Fault;
use super::network::{connect, one_file, within};
use contexture_core::reference::{LoadError, LoadFuture, Loaded, Protocol, Request, Role};
use hosts::{Guard, KnownHosts, PORT, Trouble, Verdict};
use login::explain;
use russh::client::{self, Handle};
use russh_sftp::client::error::Error as SftpError;
use russh_sftp::client::{Config, SftpSession};
use russh_sftp::protocol::{FileType, StatusCode};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::AsyncReadExt as _;

/// The wait for a server to take a goodbye, which nothing depends on.
const GOODBYE: Duration = Duration::from_millis(500);

/// The `sftp` or the `ssh` protocol.
#[derive(Debug, Clone)]
pub struct Sftp {
    name: &'static str,
    settings: Arc<SshSettings>,
}

impl Sftp {
    /// Returns both protocols.
    #[must_use]
    pub fn protocols(settings: SshSettings) -> [Arc<dyn Protocol>; 2] {
        let settings = Arc::new(settings);
        ["sftp", "ssh"].map(|name| -> Arc<dyn Protocol> {
            Arc::new(Self { name, settings: Arc::clone(&settings) })
        })
    }

    async fn get(&self, request: Request<'_>) -> Result<Loaded, LoadError> {
        let endpoint = Endpoint::parse(request.path, PORT);
        let endpoint = endpoint.map_err(|fault| fault.at(request.reference))?;
        let fetch = self.fetch(&endpoint, request.max_bytes);
        one_file(request, &endpoint, self.settings.network.timeouts.total, fetch).await
    }

    async fn fetch(&self, endpoint: &Endpoint, max_bytes: u64) -> Result<Vec<u8>, Fault> {
        let who = endpoint.to_string();
        let user = login::user(endpoint, &self.settings)?;
        let mut ssh = self.open(endpoint).await?;
        let offered = login::offer(&mut ssh, &user, endpoint, &self.settings);
        self.wait(&who, offered).await?;
        let reader = Reader { owner: self, who: &who };
        let bytes = reader.read(&ssh, &remote(&endpoint.path), max_bytes).await;
        let goodbye = ssh.disconnect(russh::Disconnect::ByApplication, "", "");
        // The file is read: how the talk ends is of no matter.
        let _ = tokio::time::timeout(GOODBYE, goodbye).await;
        bytes
    }

    /// Returns a connection to a server whose key is known.
    async fn open(&self, endpoint: &Endpoint) -> Result<Handle<Guard>, Fault> {
        let who = endpoint.to_string();
        let known = KnownHosts::read(self.settings.known_hosts.as_deref(), endpoint)?;
        let mut config = client::Config {
            inactivity_timeout: Some(self.settings.network.timeouts.idle),
            ..client::Config::default()
        };
        // Asked for first, so that the server shows the key that is known.
        config.preferred.key = known.algorithms_first(&config.preferred.key).into();
        let stream = connect(endpoint, &self.settings.network).await?;
        let verdict = Verdict::default();
        let guard = Guard::new(known, verdict.clone());
        let opened = async {
            let opened = client::connect_stream(Arc::new(config), stream, guard).await;
            opened.map_err(|error| verdict.take().unwrap_or_else(|| explain(&who, &error)))
        };
        self.wait(&who, opened).await
    }

    async fn wait<T>(
        &self,
        who: &str,
        step: impl Future<Output = Result<T, Fault>>,
    ) -> Result<T, Fault> {
        let limit = self.settings.network.timeouts.idle;
        within(limit, || Fault::late(who, "sent nothing", limit), step).await
    }
}

/// Returns where a path leads: from the root, or from the home folder of the login.
fn remote(path: &str) -> String {
    match path.strip_prefix('~') {
        Some("" | "/") => ".".to_owned(),
        Some(rest) if rest.starts_with('/') => rest.trim_start_matches('/').to_owned(),
        _ => format!("/{path}"),
    }
}

struct Reader<'r> {
    owner: &'r Sftp,
    who: &'r str,
}

impl Reader<'_> {
    async fn read(
        &self,
        ssh: &Handle<Guard>,
        path: &str,
        max_bytes: u64,
    ) -> Result<Vec<u8>, Fault> {
        let sftp = self.owner.wait(self.who, self.subsystem(ssh)).await?;
        let facts = self.step(sftp.metadata(path)).await?;
        // What is not a file may never end, or wait for ever.
        if facts.permissions.is_some() && facts.file_type() != FileType::File {
            return Err(no_file(self.who, facts.is_dir()));
        }
        if facts.size.is_some_and(|size| size > max_bytes) {
            return Err(Fault::too_large(max_bytes));
        }
        let mut file = self.step(sftp.open(path)).await?;
        let mut bytes = Vec::new();
        let mut piece = vec![0; 64 * 1024];
        loop {
            let count = self.step(async { Ok(file.read(&mut piece).await?) }).await?;
            if count == 0 {
                return Ok(bytes);
            }
            bytes.extend_from_slice(piece.get(..count).unwrap_or_default());
            if bytes.len() as u64 > max_bytes {
                return Err(Fault::too_large(max_bytes));
            }
        }
    }

    async fn subsystem(&self, ssh: &Handle<Guard>) -> Result<SftpSession, Fault> {
        let refused = |error: russh::Error| match error {
            russh::Error::ChannelOpenFailure(_) | russh::Error::RequestDenied => no_sftp(self.who),
            other => explain(self.who, &Trouble::from(other)),
        };
        let channel = ssh.channel_open_session().await.map_err(refused)?;
        channel.request_subsystem(true, "sftp").await.map_err(refused)?;
        let seconds = self.owner.settings.network.timeouts.idle.as_secs().max(1);
        let config = Config { request_timeout_secs: seconds, ..Config::default() };
        let started = SftpSession::new_with_config(channel.into_stream(), config).await;
        started.map_err(|_| no_sftp(self.who))
    }

    async fn step<T>(&self, step: impl Future<Output = Result<T, SftpError>>) -> Result<T, Fault> {
        let step = async { step.await.map_err(|error| self.refused(&error)) };
        self.owner.wait(self.who, step).await
    }

    fn refused(&self, error: &SftpError) -> Fault {
        let who = self.who;
        match error {
            SftpError::Status(status) => match status.status_code {
                StatusCode::NoSuchFile => Fault::new(
                    "REF4008",
                    format!("{who} has nothing at the path"),
                    "see whether the path is spelt right; it begins at the root, /~/ in the home",
                ),
                StatusCode::PermissionDenied => Fault::new(
                    "REF4010",
                    format!("{who} does not let the login read it"),
                    "log in as somebody who may",
                ),
                other => Fault::new(
                    "REF4011",
                    format!("{who} answered with a failure: {other}"),
                    "see whether the path names an ordinary file",
                ),
            },
            SftpError::Timeout => {
                Fault::late(who, "sent nothing", self.owner.settings.network.timeouts.idle)
            }
            other => Fault::broken_off(who, other),
        }
    }
}

fn no_file(who: &str, folder: bool) -> Fault {
    let what = if folder { "a folder" } else { "no ordinary file" };
    Fault::new("REF4009", format!("the path is {what} of {who}"), "name a file")
}

fn no_sftp(who: &str) -> Fault {
    let message = format!("{who} does not offer SFTP");
    Fault::new("REF4011", message, "have the SFTP subsystem of the server switched on")
}

impl Protocol for Sftp {
    fn name(&self) -> &str {
        self.name
    }

    fn role(&self) -> Role {
        Role::Source
    }

    fn load<'a>(&'a self, request: Request<'a>) -> LoadFuture<'a> {
        Box::pin(self.get(request))
    }
}
