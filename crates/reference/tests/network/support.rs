//! A loader with all protocols of networks, and a web server that says what it is told to.

use contexture_context::tokens::tokenizer_for;
use contexture_core::contract::ProtocolExample;
use contexture_reference::protocols::{
    CacheSettings, Ftp, Http, HttpSettings, NetworkSettings, Sftp, SshSettings, Timeouts,
};
use contexture_reference::syntax::Reference;
use contexture_reference::{LoadError, LoadLimits, Loaded, Loader, Place, Protocol};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

pub(crate) struct Net {
    loader: Loader,
}

/// Runs the contract of protocols (REF-24).
pub(crate) fn keeps_contract(protocol: &dyn Protocol, example: &ProtocolExample) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(contexture_core::contract::protocol(protocol, example));
}

/// The settings of networks in which loopback is allowed.
pub(crate) fn loopback() -> NetworkSettings {
    let timeouts = Timeouts {
        connect: Duration::from_secs(10),
        idle: Duration::from_secs(5),
        total: Duration::from_secs(20),
    };
    NetworkSettings { allow_private: vec!["127.0.0.1".to_owned()], timeouts }
}

impl Net {
    /// Loopback is allowed.
    pub(crate) fn new() -> Self {
        Self::with(&["127.0.0.1", "localhost"], None)
    }

    pub(crate) fn cached(folder: &Path) -> Self {
        Self::with(&["127.0.0.1"], Some(folder))
    }

    pub(crate) fn with(allowed: &[&str], cache: Option<&Path>) -> Self {
        let timeouts = Timeouts {
            connect: Duration::from_secs(10),
            idle: Duration::from_millis(700),
            total: Duration::from_secs(20),
        };
        Self::timed(allowed, cache, timeouts)
    }

    pub(crate) fn timed(allowed: &[&str], cache: Option<&Path>, timeouts: Timeouts) -> Self {
        let allow_private = allowed.iter().map(|host| (*host).to_owned()).collect();
        let network = NetworkSettings { allow_private, timeouts };
        let http = HttpSettings {
            network: network.clone(),
            cache: cache.map(CacheSettings::in_folder),
            ..HttpSettings::default()
        };
        let ssh = SshSettings { network: network.clone(), ..SshSettings::default() };
        let limits = LoadLimits { max_bytes: 10_000, ..LoadLimits::default() };
        let loader = Loader::new(tokenizer_for("gpt-4o")).with_limits(limits);
        let loader = Http::protocols(http).into_iter().fold(loader, Loader::with);
        let loader = Sftp::protocols(ssh).into_iter().fold(loader, Loader::with);
        Self { loader: loader.with(std::sync::Arc::new(Ftp::new(network))) }
    }

    pub(crate) fn load(&self, reference: &str) -> Result<Loaded, LoadError> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let reference = Reference::parse(reference).unwrap();
        runtime.block_on(self.loader.load(&reference, &Place::workspace()))
    }

    pub(crate) fn text(&self, reference: &str) -> String {
        let loaded = self.load(reference).unwrap();
        loaded.resources[0].text().unwrap().to_owned()
    }

    /// The code, and all that is said.
    pub(crate) fn refused(&self, reference: &str) -> (&'static str, String) {
        let error = self.load(reference).unwrap_err();
        assert!(contexture_reference::codes::ALL.find(error.code).is_some(), "{}", error.code);
        (error.code, format!("{error} ({}) {error:?}", error.help.clone().unwrap()))
    }
}

/// A server that gives the next of these answers to each connection; its address, and what it was
/// asked.
pub(crate) fn serve(answers: Vec<Vec<u8>>) -> (SocketAddr, Receiver<String>) {
    serve_with(move |asked, stream| {
        for answer in answers {
            if let Ok((mut stream, _)) = stream.accept() {
                asked.send(request(&mut stream)).ok();
                stream.write_all(&answer).ok();
            }
        }
    })
}

/// A server that does as it likes.
pub(crate) fn serve_with(
    behave: impl FnOnce(Sender<String>, TcpListener) + Send + 'static,
) -> (SocketAddr, Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let (tell, told) = channel();
    thread::spawn(move || behave(tell, listener));
    (address, told)
}

pub(crate) fn request(stream: &mut TcpStream) -> String {
    let mut seen = Vec::new();
    let mut piece = [0; 4096];
    while !seen.windows(4).any(|end| end == b"\r\n\r\n") {
        match stream.read(&mut piece) {
            Ok(count) if count > 0 => seen.extend_from_slice(&piece[..count]),
            _ => break,
        }
    }
    String::from_utf8_lossy(&seen).into_owned()
}

pub(crate) fn answer(status: &str, headers: &str, body: impl AsRef<[u8]>) -> Vec<u8> {
    let body = body.as_ref();
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-length: {length}\r\nconnection: close\r\n{headers}\r\n"
    );
    [head.as_bytes(), body].concat()
}

pub(crate) fn ok(headers: &str, body: impl AsRef<[u8]>) -> Vec<u8> {
    answer("200 OK", headers, body)
}
