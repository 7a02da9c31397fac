//! The head of a request to `contexture serve`, over a socket.

use super::{Check, hold};
use crate::fuzz::Outcome;
use crate::generated::root;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use tempfile::TempDir;

pub(super) const WORDS: &[&str] = &[
    "GET",
    "POST",
    "OPTIONS",
    "/v1/contexts",
    "/v1/messages",
    "/v1/ws",
    "/healthz",
    "HTTP/1.1",
    "HTTP/1.0",
    "HTTP/2.0",
    "Host: ",
    "Host: evil.example",
    "http://evil.example/v1/contexts",
    "Origin: null",
    "Transfer-Encoding: chunked",
    "Content-Length: 5",
    "\r\n\r\n",
    "Upgrade: websocket",
    "Connection: close",
    "Authorization: Bearer x",
    "Expect: 100-continue",
    "0\r\n\r\n",
    "@",
    "%00",
];

/// What is short for the address of the server in a seed.
const ADDRESS: &[u8] = b"127.0.0.1:7878";
const PATIENCE: Duration = Duration::from_secs(4);

struct Server {
    process: Child,
    address: SocketAddr,
    _folder: TempDir,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

pub(super) fn head() -> Outcome<Check> {
    let mut server = begin()?;
    Ok(Box::new(move |input| {
        let own = server.address.to_string();
        let request = replaced(input, own.as_bytes());
        let answer = answer(server.address, &request)
            .map_err(|error| format!("the server does not answer: {error}"))?;
        let ended = server.process.try_wait().map_err(|error| error.to_string())?;
        hold(ended.is_none(), || format!("the server ended: {ended:?}"))?;
        let text = String::from_utf8_lossy(&answer);
        let status = text.split(' ').nth(1).unwrap_or("none").to_owned();
        let is_answer = text.is_empty() || text.starts_with("HTTP/1.");
        hold(is_answer, || format!("an answer is not one of HTTP/1: {text:?}"))?;
        hold(status != "500", || format!("an internal error: {text:?}"))?;
        let is_served = status == "200" && text.contains("{\"contexts\":");
        hold(!is_served || names(&request, &own), || {
            format!("another host's name is answered: {:?}", String::from_utf8_lossy(&request))
        })?;
        Ok(status)
    }))
}

/// Reports whether the first request names this machine in its target and its one host.
fn names(request: &[u8], own: &str) -> bool {
    let text = String::from_utf8_lossy(request).to_ascii_lowercase();
    let is_here = |name: &str| {
        let bare = name.rsplit_once(':').filter(|(_, port)| !port.ends_with(']'));
        let bare = bare.map_or(name, |(host, _)| host);
        let bare = bare.trim_start_matches('[').trim_end_matches(']');
        !name.contains('@') && (bare == "localhost" || bare.parse::<std::net::IpAddr>().is_ok())
    };
    let mut lines = text.trim_start_matches(['\r', '\n']).lines();
    let target = lines.next().unwrap_or_default();
    let head = lines.take_while(|line| !line.is_empty());
    let mut hosts = head.filter_map(|line| line.strip_prefix("host:")).map(str::trim);
    let (host, more) = (hosts.next().unwrap_or_default(), hosts.next());
    let absolute = target.split(' ').nth(1).and_then(|target| target.split_once("://"));
    let absolute = absolute.map(|(_, rest)| rest.split(['/', '?', '#']).next().unwrap_or_default());
    let agrees = |name: &str| name == host || (is_here(name) && name == own) || is_here(name);
    more.is_none() && is_here(host) && absolute.is_none_or(agrees)
}

fn replaced(input: &[u8], own: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(input.len());
    let mut rest = input;
    while let Some(at) = rest.windows(ADDRESS.len()).position(|part| part == ADDRESS) {
        out.extend_from_slice(rest.get(..at).unwrap_or_default());
        out.extend_from_slice(own);
        rest = rest.get(at + ADDRESS.len()..).unwrap_or_default();
    }
    out.extend_from_slice(rest);
    // A file has lines as editors write them.
    let text = String::from_utf8_lossy(&out);
    if text.contains("\r\n") { out } else { (text.replace('\n', "\r\n") + "\r\n\r\n").into_bytes() }
}

fn answer(address: SocketAddr, request: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut stream = TcpStream::connect_timeout(&address, PATIENCE)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    // One that refuses early may close before it read everything.
    let _ = stream.write_all(request).and_then(|()| stream.shutdown(Shutdown::Write));
    let (mut bytes, mut portion) = (Vec::new(), [0; 4096]);
    while let Ok(read @ 1..) = stream.read(&mut portion) {
        bytes.extend_from_slice(portion.get(..read).unwrap_or_default());
        if bytes.len() > 64 << 10 {
            break;
        }
    }
    Ok(bytes)
}

fn begin() -> Outcome<Server> {
    let failed = |error: std::io::Error| error.to_string();
    let folder = tempfile::tempdir().map_err(failed)?;
    let program = folder.path().join("echo.as");
    std::fs::write(&program, "main func(said string) { said }\n").map_err(failed)?;
    let limits = "[serve.limits]\nheader_seconds = 1\nbody_seconds = 1\nfailed_logins_per_minute = 1000000\n";
    std::fs::write(folder.path().join("contexture.toml"), limits).map_err(failed)?;
    let mut command = Command::new(binary()?);
    command.arg("serve").arg(&program).args(["--listen", "127.0.0.1:0", "--log", "off"]);
    command.current_dir(folder.path()).env("HOME", folder.path());
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut process = command.spawn().map_err(failed)?;
    let mut lines = BufReader::new(process.stderr.take().ok_or("no messages")?).lines();
    let address = lines.by_ref().find_map(|line| {
        line.ok()?.split_once("http://").and_then(|(_, address)| address.trim().parse().ok())
    });
    std::thread::spawn(move || lines.for_each(drop));
    let address = address.ok_or("`contexture serve` does not start")?;
    Ok(Server { process, address, _folder: folder })
}

/// Returns the program under test: that of `CONTEXTURE_BIN`, else one that is built now.
fn binary() -> Outcome<PathBuf> {
    if let Some(given) = std::env::var_os("CONTEXTURE_BIN") {
        return PathBuf::from(given).canonicalize().map_err(|error| error.to_string());
    }
    let mut build = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    build.args(["build", "--quiet", "-p", "contexture-cli"]).current_dir(root());
    let status = build.status().map_err(|error| error.to_string())?;
    hold(status.success(), || "the program does not build".to_owned())?;
    let target = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    Ok(root().join(target.unwrap_or_else(|| "target".into())).join("debug/contexture"))
}
