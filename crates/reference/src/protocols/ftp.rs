//! `ftp`: a file of an FTP server (REF-23).
//!
//! Decisions: data connections are passive and go to the address of the control connection,
//! whatever the server sends, so that it can't send this side anywhere else. A path begins in the
//! folder of the login, as RFC 1738 has it; `//` or `%2F` begins at the root. The server's texts
//! are not repeated: they may quote the user.

use super::address::{Endpoint, Login};
use super::fault::Fault;
use super::network::{NetworkSettings, connect, one_file, within};
use contexture_core::reference::{LoadError, LoadFuture, Loaded, Protocol, Request, Role};
use std::io::ErrorKind;
use std::net::IpAddr;
use std::time::Duration;
use suppaftp::tokio::AsyncFtpStream;
use suppaftp::types::FileType;
use suppaftp::{Encoding, FtpError, FtpResult, Mode, ReplyTooLarge};
use tokio::io::AsyncReadExt as _;
use tokio::net::TcpStream;

const PORT: u16 = 21;

/// The wait for the goodbye of a server, which nothing depends on.
const GOODBYE: Duration = Duration::from_millis(500);

/// The `ftp` protocol.
#[derive(Debug, Clone)]
pub struct Ftp {
    settings: NetworkSettings,
}

impl Ftp {
    /// Creates the protocol with these settings.
    #[must_use]
    pub fn new(settings: NetworkSettings) -> Self {
        Self { settings }
    }

    async fn get(&self, request: Request<'_>) -> Result<Loaded, LoadError> {
        let endpoint = Endpoint::parse(request.path, PORT);
        let endpoint = endpoint.map_err(|fault| fault.at(request.reference))?;
        let fetch = self.fetch(&endpoint, request.max_bytes);
        one_file(request, &endpoint, self.settings.timeouts.total, fetch).await
    }

    async fn fetch(&self, endpoint: &Endpoint, max_bytes: u64) -> Result<Vec<u8>, Fault> {
        let who = endpoint.to_string();
        if endpoint.path.is_empty() || endpoint.path.ends_with('/') {
            return Err(folder(&who));
        }
        let control = connect(endpoint, &self.settings).await?;
        let peer = control.peer_addr().map_err(|error| Fault::unreachable(&who, error))?.ip();
        let ftp = self.wait(&who, AsyncFtpStream::connect_with_stream(control)).await?;
        let mut talk = Talk { ftp: through(ftp, peer), owner: self, who };
        talk.login(endpoint.login.as_ref()).await?;
        let bytes = talk.retrieve(&endpoint.path, max_bytes).await?;
        // The file is there: how the talk ends is of no matter.
        let _ = tokio::time::timeout(GOODBYE, talk.ftp.quit()).await;
        Ok(bytes)
    }

    async fn wait<T>(
        &self,
        who: &str,
        step: impl Future<Output = FtpResult<T>>,
    ) -> Result<T, Fault> {
        let limit = self.settings.timeouts.idle;
        let late = || Fault::late(who, "sent nothing", limit);
        within(limit, late, async { step.await.map_err(|error| explain(who, &error)) }).await
    }
}

/// Has data connections go to the server of the control connection alone.
fn through(mut ftp: AsyncFtpStream, peer: IpAddr) -> AsyncFtpStream {
    ftp.set_mode(Mode::ExtendedPassive);
    ftp.set_passive_nat_workaround(true);
    ftp.passive_stream_builder(move |address| {
        Box::pin(async move {
            if address.ip() != peer {
                let refused = std::io::Error::other("the server names another host for its data");
                return Err(FtpError::ConnectionError(refused));
            }
            TcpStream::connect(address).await.map_err(FtpError::ConnectionError)
        })
    })
}

struct Talk<'f> {
    ftp: AsyncFtpStream,
    owner: &'f Ftp,
    who: String,
}

impl Talk<'_> {
    async fn login(&mut self, login: Option<&Login>) -> Result<(), Fault> {
        self.ftp.set_encoding(Masked::of(login)).await;
        let (user, password) = Masked::shown();
        let step = self.ftp.login(user, password);
        let done = self.owner.wait(&self.who, step).await;
        done.map_err(|fault| match login {
            None if fault.code == "REF4007" => {
                fault.with_help("write user:password@ before the host")
            }
            _ => fault,
        })?;
        self.owner.wait(&self.who, self.ftp.transfer_type(FileType::Binary)).await
    }

    async fn retrieve(&mut self, path: &str, max_bytes: u64) -> Result<Vec<u8>, Fault> {
        // Not every server sends sizes; what is read is counted in any case.
        if let Ok(size) = self.owner.wait(&self.who, self.ftp.size(path)).await
            && size as u64 > max_bytes
        {
            return Err(Fault::too_large(max_bytes));
        }
        let opened = self.owner.wait(&self.who, self.ftp.retr_as_stream(path)).await;
        let mut stream = match opened {
            Err(fault) if fault.code == "REF4011" => {
                // Servers from before EPSV.
                self.ftp.set_mode(Mode::Passive);
                self.owner.wait(&self.who, self.ftp.retr_as_stream(path)).await?
            }
            Err(fault) if fault.code == "REF4008" => return Err(self.missing(path, fault).await),
            opened => opened?,
        };
        let mut bytes = Vec::new();
        let mut piece = vec![0; 64 * 1024];
        loop {
            let read = async { stream.read(&mut piece).await.map_err(FtpError::ConnectionError) };
            let count = self.owner.wait(&self.who, read).await?;
            if count == 0 {
                break;
            }
            bytes.extend_from_slice(piece.get(..count).unwrap_or_default());
            if bytes.len() as u64 > max_bytes {
                return Err(Fault::too_large(max_bytes));
            }
        }
        // The server reports whether that was all.
        self.owner.wait(&self.who, stream.finish()).await?;
        Ok(bytes)
    }

    /// A folder is refused with the same status as what is not there.
    async fn missing(&mut self, path: &str, fault: Fault) -> Fault {
        match self.owner.wait(&self.who, self.ftp.cwd(path)).await {
            Ok(()) => folder(&self.who),
            Err(_) => fault,
        }
    }
}

fn folder(who: &str) -> Fault {
    Fault::new("REF4009", format!("the path is a folder of {who}"), "name a file in it")
}

fn explain(who: &str, error: &FtpError) -> Fault {
    match error {
        FtpError::UnexpectedResponse(response) => refused(who, code(&response.body)),
        FtpError::ConnectionError(error) if is_too_long(error) => Fault::strange(who, error),
        FtpError::ConnectionError(error) => match error.kind() {
            ErrorKind::ConnectionRefused | ErrorKind::HostUnreachable => {
                Fault::unreachable(who, error)
            }
            _ => Fault::broken_off(who, error),
        },
        other => Fault::strange(who, other),
    }
}

fn is_too_long(error: &std::io::Error) -> bool {
    error.get_ref().is_some_and(|inner| inner.is::<ReplyTooLarge>())
}

fn code(reply: &[u8]) -> u16 {
    let digits = reply.get(..3).and_then(|digits| std::str::from_utf8(digits).ok());
    digits.and_then(|digits| digits.parse().ok()).unwrap_or_default()
}

fn refused(who: &str, status: u16) -> Fault {
    let (code, what, help) = match status {
        331 | 332 | 430 | 530 | 532 => {
            ("REF4007", "the login is refused", "see whether user and password are right")
        }
        550 => (
            "REF4008",
            "nothing is at the path, or it may not be read",
            "see whether the path is spelt right; it begins in the folder of the login",
        ),
        426 | 451 | 552 => return Fault::broken_off(who, format!("status {status}")),
        421 | 425 | 450 | 452 => ("REF4011", "the server is busy", "try again later"),
        100..=599 => ("REF4011", "the server does not do that", "see what the server supports"),
        _ => return Fault::strange(who, "it has no status"),
    };
    Fault::new(code, format!("{who} answered with status {status}: {what}"), help)
}

impl Protocol for Ftp {
    fn name(&self) -> &str {
        "ftp"
    }

    fn role(&self) -> Role {
        Role::Source
    }

    fn load<'a>(&'a self, request: Request<'a>) -> LoadFuture<'a> {
        Box::pin(self.get(request))
    }
}

const STAND_IN: &str = "(hidden)";

/// The encoding of commands, UTF-8, which puts in the login for the stand-ins. The library writes
/// each command to the program's log before it encodes it, so it never sees the login itself.
struct Masked(Login);

impl Masked {
    fn of(login: Option<&Login>) -> Self {
        let nobody =
            || Login { user: "anonymous".to_owned(), password: Some("contexture@".to_owned()) };
        Self(login.cloned().unwrap_or_else(nobody))
    }

    /// Returns the user and the password for the library.
    fn shown() -> (&'static str, &'static str) {
        (STAND_IN, STAND_IN)
    }
}

impl Encoding for Masked {
    fn decode(&self, bytes: &[u8]) -> String {
        String::from_utf8_lossy(bytes).into_owned()
    }

    fn encode(&self, text: &str) -> std::io::Result<Vec<u8>> {
        let meant = match text.trim_end().split_once(' ') {
            Some(("USER", STAND_IN)) => format!("USER {}\r\n", self.0.user),
            Some(("PASS", STAND_IN)) => {
                format!("PASS {}\r\n", self.0.password.as_deref().unwrap_or_default())
            }
            _ => text.to_owned(),
        };
        Ok(meant.into_bytes())
    }
}

impl std::fmt::Debug for Masked {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Masked(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ref_23_library_sees_stand_in_and_server_login() {
        let login = Login { user: "ann".to_owned(), password: Some("s3cret".to_owned()) };
        let masked = Masked::of(Some(&login));
        assert!(!format!("{masked:?}").contains("s3cret"));
        let sent = |line: &str| String::from_utf8(masked.encode(line).unwrap()).unwrap();
        assert_eq!(sent("USER (hidden)\r\n"), "USER ann\r\n");
        assert_eq!(sent("PASS (hidden)\r\n"), "PASS s3cret\r\n");
        assert_eq!(sent("RETR (hidden)\r\n"), "RETR (hidden)\r\n");
        let nobody = Masked::of(None).encode("USER (hidden)\r\n").unwrap();
        assert_eq!(nobody, b"USER anonymous\r\n");
    }
}
