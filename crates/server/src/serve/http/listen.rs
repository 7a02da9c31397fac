//! Connections: accepted, limited, encrypted and served (CP-6, CP-19).
//!
//! Decision: the loop is ours, not axum's, since a client that sends its head or reads its response
//! too slowly must be disconnected, connections must be counted, and TLS comes between.

use super::timeout::TimeoutStream;
use crate::serve::app::App;
use crate::serve::limits::{ConnectionLimit, ConnectionPermit, LimitReached, counted};
use crate::serve::operations::audit::{AuditEvent, AuditRecord};
use crate::serve::phase::Phase;
use axum::Router;
use axum::body::Body;
use axum::extract::{ConnectInfo, Request};
use contexture::config::ServeLimits;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio_rustls::TlsAcceptor;
use tower_service::Service as _;

/// The wait after the system can't accept a connection, for example for lack of file descriptors.
const PAUSE: Duration = Duration::from_millis(200);
/// The interval of logging connections beyond the limits of an address.
const LOGGED: Duration = Duration::from_secs(10);
/// The most headers of a request.
const HEADERS: usize = 100;
/// The largest head of a request, in bytes.
const HEAD_BYTES: usize = 64 << 10;

#[derive(Clone)]
pub(super) struct Listener {
    pub(super) app: Arc<App>,
    pub(super) tls: Option<TlsAcceptor>,
    pub(super) limit: Arc<ConnectionLimit<IpAddr>>,
}

/// The reservation of a connection, which a WebSocket keeps beyond its request.
pub(super) type Permit = Arc<ConnectionPermit<IpAddr>>;

/// Accepts connections until the server is closed, then waits for open ones.
pub(super) async fn run(listener: TcpListener, state: Listener, router: Router) {
    let mut phase = state.app.phase.subscribe();
    let mut logged = HashMap::new();
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            _ = phase.wait_for(|phase| *phase == Phase::Closed) => break,
        };
        match accepted {
            Ok((stream, peer)) => match state.limit.take(counted(peer.ip())) {
                Ok(permit) => {
                    let (state, router) = (state.clone(), router.clone());
                    tokio::spawn(connection(stream, peer, Arc::new(permit), state, router));
                }
                Err(reached) => turn_away(&stream, peer.ip(), reached, &state.app, &mut logged),
            },
            Err(error) if is_of_connection(&error) => {}
            Err(_) => tokio::time::sleep(PAUSE).await,
        }
    }
    drop(listener);
    while state.limit.count() > 0 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

fn is_of_connection(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
}

/// Refuses a connection beyond the limits; there is no request yet to answer in full.
fn turn_away(
    stream: &TcpStream,
    address: IpAddr,
    reached: LimitReached,
    app: &App,
    logged: &mut HashMap<IpAddr, Instant>,
) {
    let (policy, most) = match reached {
        LimitReached::Total(most) => ("connection_limit", most),
        LimitReached::PerKey(most) => ("address_connection_limit", most),
    };
    app.metrics.rate_limits.count(policy, "");
    // A TLS client can't read it, and sees the closed connection.
    let _ = stream.try_write(
        b"HTTP/1.1 429 Too Many Requests\r\nRetry-After: 5\r\nConnection: close\r\n\
          Content-Length: 0\r\n\r\n",
    );
    let now = Instant::now();
    logged.retain(|_, at| now.saturating_duration_since(*at) < LOGGED);
    if logged.insert(counted(address), now).is_none() {
        let record =
            AuditRecord::new(AuditEvent::Limit).from(Some(address)).with("outcome", "RATE_LIMITED");
        app.audit.note(&record.with("violatedPolicies", vec![policy]).with("limit", most));
    }
}

async fn connection(
    stream: TcpStream,
    peer: SocketAddr,
    permit: Permit,
    state: Listener,
    router: Router,
) {
    // Small writes should not wait for more.
    let _ = stream.set_nodelay(true);
    let limits = &state.app.project.config.serve.limits;
    let stream = TimeoutStream::new(stream, Duration::from_secs(limits.write_seconds.get()));
    let phase = state.app.phase.subscribe();
    match &state.tls {
        None => serve(stream, peer, permit, router, limits, phase).await,
        Some(tls) => {
            let timeout = Duration::from_secs(limits.handshake_seconds.get());
            let handshake = tokio::time::timeout(timeout, tls.accept(stream)).await;
            if let Ok(Ok(stream)) = handshake {
                serve(stream, peer, permit, router, limits, phase).await;
            }
        }
    }
}

async fn serve(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    peer: SocketAddr,
    permit: Permit,
    router: Router,
    limits: &ServeLimits,
    mut phase: watch::Receiver<Phase>,
) {
    let service = hyper::service::service_fn(move |mut request: hyper::Request<Incoming>| {
        request.extensions_mut().insert(ConnectInfo(peer));
        request.extensions_mut().insert(Arc::clone(&permit));
        let request: Request = request.map(Body::new);
        router.clone().call(request)
    });
    let mut builder = http1::Builder::new();
    builder
        .timer(TokioTimer::new())
        .header_read_timeout(Duration::from_secs(limits.header_seconds.get()))
        .max_headers(HEADERS)
        .max_buf_size(HEAD_BYTES);
    let connection = builder.serve_connection(TokioIo::new(stream), service).with_upgrades();
    let mut connection = std::pin::pin!(connection);
    let over = async { drop(phase.wait_for(|phase| *phase == Phase::Closed).await) };
    tokio::select! {
        // The end of a connection concerns only its client.
        _ = &mut connection => return,
        () = over => connection.as_mut().graceful_shutdown(),
    }
    let _ = connection.await;
}
