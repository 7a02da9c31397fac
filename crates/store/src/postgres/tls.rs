//! TLS of connections, by the rustls that is there.

use std::io::{Error, ErrorKind, Result};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_postgres::tls::{ChannelBinding, MakeTlsConnect, TlsConnect, TlsStream};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream as Stream;
use tokio_rustls::rustls::ClientConfig;
use tokio_rustls::rustls::pki_types::ServerName;

/// Begins TLS with a host.
#[derive(Clone)]
pub(super) struct Tls(Arc<ClientConfig>);

impl Tls {
    pub(super) fn new(config: ClientConfig) -> Self {
        Self(Arc::new(config))
    }
}

/// TLS with one host.
pub(super) struct ToHost {
    tls: Tls,
    host: String,
}

/// A stream under TLS.
pub(super) struct Encrypted<S>(Stream<S>);

type Connecting<S> = Pin<Box<dyn Future<Output = Result<Encrypted<S>>> + Send>>;

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> MakeTlsConnect<S> for Tls {
    type Stream = Encrypted<S>;
    type TlsConnect = ToHost;
    type Error = Error;

    fn make_tls_connect(&mut self, host: &str) -> Result<ToHost> {
        Ok(ToHost { tls: self.clone(), host: host.to_owned() })
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> TlsConnect<S> for ToHost {
    type Stream = Encrypted<S>;
    type Error = Error;
    type Future = Connecting<S>;

    fn connect(self, stream: S) -> Connecting<S> {
        Box::pin(async move {
            let invalid = |_| Error::new(ErrorKind::InvalidInput, "the host has no name for TLS");
            let name = ServerName::try_from(self.host).map_err(invalid)?;
            let connector = TlsConnector::from(self.tls.0);
            connector.connect(name, stream).await.map(Encrypted)
        })
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> TlsStream for Encrypted<S> {
    fn channel_binding(&self) -> ChannelBinding {
        ChannelBinding::none()
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for Encrypted<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<Result<()>> {
        Pin::new(&mut self.0).poll_read(context, into)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Encrypted<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        from: &[u8],
    ) -> Poll<Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, from)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}
