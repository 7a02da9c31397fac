//! TLS: the server's certificate and key (CP-19).

use crate::fault::Fault;
use crate::serve::codes;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::{Error as PemError, PemObject as _};
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::{self, ServerConfig};

/// The files of a certificate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TlsFiles {
    /// The certificate, then those that lead from it to one that clients trust, in PEM.
    pub certificates: PathBuf,
    /// Its private key, in PEM: PKCS #8, PKCS #1 or SEC1, not encrypted.
    pub key: PathBuf,
}

/// Reads the files; TLS 1.2 and later are spoken, HTTP/1.1 in it.
pub(super) fn acceptor(files: &TlsFiles) -> Result<TlsAcceptor, Fault> {
    let chain = certificates(&files.certificates)?;
    let key = key(&files.key)?;
    let unfit = |error: rustls::Error| {
        let (certificates, key) = (files.certificates.display(), files.key.display());
        bad(format!("the certificate {certificates} and the key {key} can't be used: {error}"))
            .with_help("the key has to be that of the first certificate in its file")
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
    let failed = |error: PemError| unreadable("--tls-cert", "a certificate in PEM", path, &error);
    let chain: Vec<_> = CertificateDer::pem_file_iter(path)
        .map_err(failed)?
        .collect::<Result<_, _>>()
        .map_err(failed)?;
    if chain.is_empty() { Err(failed(PemError::NoItemsFound)) } else { Ok(chain) }
}

fn key(path: &Path) -> Result<PrivateKeyDer<'static>, Fault> {
    PrivateKeyDer::from_pem_file(path).map_err(|error| {
        unreadable("--tls-key", "a private key in PEM that is not encrypted", path, &error)
    })
}

fn unreadable(option: &str, expected: &str, path: &Path, error: &PemError) -> Fault {
    let found = match error {
        PemError::NoItemsFound => "the file has none".to_owned(),
        PemError::Io(error) => error.to_string(),
        error => error.to_string(),
    };
    bad(format!("{option} {}: expected {expected}: {found}", path.display()))
}

fn bad(message: String) -> Fault {
    Fault::of(codes::BAD_CERTIFICATE, message)
}
