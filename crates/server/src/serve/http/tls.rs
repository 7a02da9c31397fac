//! TLS: the server's certificate and key (CP-19).
//!
//! Decision: a certificate that is not valid now is refused at the start: no client would trust it,
//! and each would report another error.

use super::validity::validity;
use crate::fault::Fault;
use crate::serve::codes;
use contexture::store::stamp::iso_time;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::{Error as PemError, PemObject as _};
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::{self, ServerConfig};

/// The largest file of certificates or of a key, in bytes.
const FILE_BYTES: u64 = 1 << 20;
const CERTIFICATE: FileKind = FileKind { option: "--tls-cert", expected: "a certificate in PEM" };
const KEY: FileKind =
    FileKind { option: "--tls-key", expected: "a private key in PEM that is not encrypted" };

/// The files of a certificate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TlsFiles {
    /// The certificate with its chain up to one that clients trust, in PEM.
    pub certificates: PathBuf,
    /// Its private key, in PEM: PKCS #8, PKCS #1 or SEC1, not encrypted.
    pub key: PathBuf,
}

/// The purpose of a file.
struct FileKind {
    option: &'static str,
    expected: &'static str,
}

/// Reads the files, for TLS 1.2 and later with HTTP/1.1.
pub(super) fn acceptor(files: &TlsFiles) -> Result<TlsAcceptor, Fault> {
    let chain = certificates(&files.certificates)?;
    let key = key(&files.key)?;
    let unfit = |error: rustls::Error| {
        let (certificates, key) = (files.certificates.display(), files.key.display());
        bad(format!("the certificate {certificates} and the key {key} can't be used: {error}"))
            .with_help(
                "the key has to be that of the first certificate in its file: RSA, ECDSA with \
                 P-256 or P-384, or Ed25519",
            )
    };
    let provider = Arc::new(ring::default_provider());
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(unfit)?
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .map_err(unfit)?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(TlsAcceptor::from(Arc::new(config)))
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, Fault> {
    let text = CERTIFICATE.read(path)?;
    let failed = |error: PemError| CERTIFICATE.fault(path, &reason(&error));
    let chain: Vec<_> =
        CertificateDer::pem_slice_iter(&text).collect::<Result<_, _>>().map_err(failed)?;
    if chain.is_empty() {
        return Err(failed(PemError::NoItemsFound));
    }
    let now = digits(&iso_time(contexture::store::stamp::system().now_us()));
    chain.iter().try_for_each(|certificate| in_time(certificate, path, &now))?;
    Ok(chain)
}

/// Reports whether a certificate is valid at a time.
fn in_time(certificate: &CertificateDer<'_>, path: &Path, now: &str) -> Result<(), Fault> {
    let Some((from, until)) = validity(certificate) else {
        return Err(CERTIFICATE.fault(path, "its content is not a certificate"));
    };
    let (word, time) = match () {
        () if now > until.as_str() => ("was valid until", until),
        () if now < from.as_str() => ("is not valid before", from),
        () => return Ok(()),
    };
    let file = path.display();
    let fault = bad(format!("{} {file}: a certificate {word} {}", CERTIFICATE.option, day(&time)));
    Err(fault.with_help("clients refuse it: take one that is valid now"))
}

fn key(path: &Path) -> Result<PrivateKeyDer<'static>, Fault> {
    let text = KEY.read(path)?;
    PrivateKeyDer::from_pem_slice(&text).map_err(|error| {
        if text.windows(9).any(|part| part == b"ENCRYPTED") {
            return KEY
                .fault(path, "it is encrypted")
                .with_help("`openssl pkey -in KEY -out PLAIN` takes the passphrase off");
        }
        KEY.fault(path, &reason(&error))
    })
}

impl FileKind {
    /// Reads a file or pipe within the limit.
    fn read(&self, path: &Path) -> Result<Vec<u8>, Fault> {
        let failed = |error: std::io::Error| self.fault(path, &error.to_string());
        if path.metadata().map_err(failed)?.is_dir() {
            return Err(self.fault(path, "it is not a file"));
        }
        let mut text = Vec::new();
        let file = File::open(path).map_err(failed)?;
        let read =
            file.take(FILE_BYTES.saturating_add(1)).read_to_end(&mut text).map_err(failed)?;
        if read as u64 > FILE_BYTES {
            return Err(self.fault(path, "the file is too large for that"));
        }
        Ok(text)
    }

    fn fault(&self, path: &Path, found: &str) -> Fault {
        bad(format!("{} {}: expected {}: {found}", self.option, path.display(), self.expected))
    }
}

fn reason(error: &PemError) -> String {
    match error {
        PemError::NoItemsFound => "the file has none".to_owned(),
        PemError::MissingSectionEnd { .. } => "it is cut off: its last line is missing".to_owned(),
        PemError::IllegalSectionStart { .. } => "a part of it begins wrongly".to_owned(),
        PemError::Base64Decode(_) => "its content is not base64".to_owned(),
        error => error.to_string(),
    }
}

/// Converts `2026-01-31T12:30:00.000Z` to `20260131123000`.
fn digits(time: &str) -> String {
    time.chars().filter(char::is_ascii_digit).take(14).collect()
}

/// Converts `20260131123000` to `2026-01-31 12:30 UTC`.
fn day(time: &str) -> String {
    let mut shown = String::new();
    for (place, digit) in time.chars().take(12).enumerate() {
        shown.push_str(match place {
            4 | 6 => "-",
            8 => " ",
            10 => ":",
            _ => "",
        });
        shown.push(digit);
    }
    shown + " UTC"
}

fn bad(message: String) -> Fault {
    Fault::of(codes::BAD_CERTIFICATE, message)
}
