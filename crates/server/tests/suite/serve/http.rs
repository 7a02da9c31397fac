//! A blocking client of HTTP/1.1: one connection for each request.

use serde_json::Value;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::Duration;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};

/// No answer takes longer.
pub const PATIENCE: Duration = Duration::from_secs(90);

/// A client: an address, and headers that every request has.
#[derive(Clone)]
pub struct Http {
    address: SocketAddr,
    headers: Vec<(String, String)>,
    tls: bool,
}

/// What came back.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    pub body: String,
}

impl Answer {
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(own, _)| own == name);
        found.map(|(_, value)| value.as_str())
    }

    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

impl Http {
    pub fn new(address: SocketAddr) -> Self {
        Self { address, headers: Vec::new(), tls: false }
    }

    /// With a header more, instead of one of the same name.
    #[must_use]
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.headers.retain(|(own, _)| own != name);
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Over TLS, trusting the certificate of the tests.
    #[must_use]
    pub fn over_tls(mut self) -> Self {
        self.tls = true;
        self
    }

    pub fn get(&self, path: &str) -> Answer {
        self.send("GET", path, None)
    }

    pub fn delete(&self, path: &str) -> Answer {
        self.send("DELETE", path, None)
    }

    /// Posts one message or several.
    pub fn post(&self, messages: &Value) -> Answer {
        self.send("POST", "/v1/messages", Some(&messages.to_string()))
    }

    pub fn send(&self, method: &str, path: &str, body: Option<&str>) -> Answer {
        let mut head = format!("{method} {path} HTTP/1.1\r\nconnection: close\r\n");
        if !self.headers.iter().any(|(name, _)| name == "host") {
            head.push_str(&format!("host: {}\r\n", self.address));
        }
        for (name, value) in &self.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        if let Some(body) = body {
            if !self.headers.iter().any(|(name, _)| name == "content-type") {
                head.push_str("content-type: application/json\r\n");
            }
            head.push_str(&format!("content-length: {}\r\n", body.len()));
        }
        let request = format!("{head}\r\n{}", body.unwrap_or_default());
        self.raw(request.as_bytes())
    }

    /// Sends bytes and reads the answer.
    pub fn raw(&self, request: &[u8]) -> Answer {
        let stream = connect(self.address);
        let bytes = if self.tls {
            let connection = ClientConnection::new(tls(), name()).unwrap();
            talk(StreamOwned::new(connection, stream), request)
        } else {
            talk(stream, request)
        };
        read(&bytes)
    }
}

/// A connection that does not wait for ever.
pub fn connect(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream.set_write_timeout(Some(PATIENCE)).unwrap();
    stream
}

fn talk(mut stream: impl Read + Write, request: &[u8]) -> Vec<u8> {
    // A server that refuses early may close before it read everything.
    let _ = stream.write_all(request).and_then(|()| stream.flush());
    let mut bytes = Vec::new();
    let mut portion = [0; 8192];
    while let Ok(read @ 1..) = stream.read(&mut portion) {
        bytes.extend_from_slice(&portion[..read]);
    }
    bytes
}

pub fn name() -> ServerName<'static> {
    ServerName::try_from("localhost").unwrap()
}

/// Trusts the certificate of the tests.
pub fn tls() -> Arc<ClientConfig> {
    let mut roots = RootCertStore::empty();
    let certificate = CertificateDer::from_pem_file(super::fixture("server.cert.pem")).unwrap();
    roots.add(certificate).unwrap();
    let provider = Arc::new(tokio_rustls::rustls::crypto::ring::default_provider());
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Arc::new(config)
}

/// Reads an answer that is whole.
pub fn read(bytes: &[u8]) -> Answer {
    let text = String::from_utf8_lossy(bytes);
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no answer: {text:?}"));
    let mut lines = head.lines();
    let status = lines.next().and_then(|line| line.split(' ').nth(1)?.parse().ok()).unwrap();
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
        .collect();
    let is_chunked =
        headers.iter().any(|(name, value)| name == "transfer-encoding" && value == "chunked");
    let body = if is_chunked { joined(body) } else { body.to_owned() };
    Answer { status, headers, body }
}

/// A body that came in chunks.
fn joined(body: &str) -> String {
    let mut whole = Vec::new();
    let mut rest = body.as_bytes();
    while let Some(end) = rest.windows(2).position(|pair| pair == b"\r\n") {
        let size = std::str::from_utf8(&rest[..end]).unwrap();
        let size = usize::from_str_radix(size.split(';').next().unwrap(), 16).unwrap();
        let Some(chunk) = rest.get(end + 2..end + 2 + size) else { break };
        whole.extend_from_slice(chunk);
        rest = rest.get(end + 2 + size + 2..).unwrap_or_default();
    }
    String::from_utf8(whole).unwrap()
}
