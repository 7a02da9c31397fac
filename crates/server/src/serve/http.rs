//! The transports: WebSocket and HTTP (CP-6).
//!
//! One table lists paths, methods, requests and responses; the router and
//! `GET /v1/openapi.json` are made from it.

mod answer;
mod check;
mod compression;
mod connection;
mod contexts;
mod demo;
mod drained;
mod extract;
mod flows;
mod guard;
mod inspector;
mod listen;
mod messages;
mod offered;
mod openai;
mod openapi;
mod pairing;
mod refused;
mod routes;
mod runs;
mod schemas;
mod settings;
mod settle;
mod shared;
mod socket;
mod status;
mod stream;
mod timeout;
mod tls;
mod validity;
mod waits;

pub use tls::TlsFiles;

use super::app::App;
use super::limits::{Addresses, ConnectionLimit, Limits};
use super::operations::audit::{AuditEvent, AuditRecord};
use super::phase::Phase;
use super::{Serve, codes, neighbours};
use crate::fault::Fault;
use crate::inspect::{self, Sources};
use crate::serve::turn::parked;
use axum::Router;
use axum::middleware::{from_fn, from_fn_with_state};
use contexture::database::Database;
use contexture::packs;
use guard::Guard;
use listen::Listener;
use shared::Shared;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use yawc::DeflatePool;

/// The interval of checking tokens.
const TOKENS: Duration = Duration::from_secs(1);
/// The interval of checking for abandoned sessions.
const SWEEP: Duration = Duration::from_secs(15);
/// The most compressors that are kept for reuse.
const POOL: usize = 8;
/// The time that cancelled work and connections have to end.
const PATIENCE: Duration = Duration::from_secs(10);

/// The address and the security of the server.
#[derive(Debug, Clone)]
pub struct Options {
    /// The address; port 0 selects a free port.
    pub address: SocketAddr,
    /// True if other machines may reach the address without TLS.
    pub allow_remote: bool,
    /// True if other machines may reach the address before a token exists.
    pub allow_no_token: bool,
    /// The certificate; plain HTTP without one.
    pub tls: Option<TlsFiles>,
}

impl Options {
    /// Creates options for plain HTTP on an address of this machine.
    #[must_use]
    pub const fn new(address: SocketAddr) -> Self {
        Self { address, allow_remote: false, allow_no_token: false, tls: None }
    }
}

/// A server that listens.
pub struct Listening {
    listener: TcpListener,
    address: SocketAddr,
    tls: Option<TlsAcceptor>,
    guard: Arc<Guard>,
    limit: Arc<ConnectionLimit<IpAddr>>,
    serve: Serve,
}

impl std::fmt::Debug for Listening {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Listening").field("address", &self.address).finish_non_exhaustive()
    }
}

impl Listening {
    /// Starts to listen.
    ///
    /// # Errors
    /// A [`Fault`] when the address can't be listened on, or could be reached by others unguarded,
    /// or a setting or the certificate can't be used.
    pub async fn begin(serve: Serve, options: &Options) -> Result<Self, Fault> {
        let address = options.address;
        let app = &serve.0;
        let is_local = address.ip().to_canonical().is_loopback();
        if !is_local {
            check_remote(app, options)?;
        }
        let tls = options.tls.as_ref().map(tls::acceptor).transpose()?;
        let settings = &app.project.config.serve;
        settings::check(settings)?;
        let limits = Limits::new(settings, is_local);
        let addresses = Addresses::new(&settings.addresses)?;
        let guard = Arc::new(Guard::new(app, addresses, limits, (is_local, tls.is_some()))?);
        let limit = ConnectionLimit::new(limits.connections, limits.connections_per_address);
        let failed = |error: std::io::Error| {
            Fault::of(codes::CANNOT_LISTEN, format!("can't listen on {address}: {error}"))
                .with_help("port 0 takes any free port")
        };
        let listener = TcpListener::bind(address).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        app.engine.settle().await;
        Ok(Self { listener, address, tls, guard, limit, serve })
    }

    /// Returns what a person who starts the server has to know and its log says later: that the engine
    /// of sets does not answer.
    #[must_use]
    pub fn warning(&self) -> Option<String> {
        let fault = self.serve.0.engine.fault()?;
        Some(format!("{fault}: new sets are refused until it does"))
    }

    /// Returns the URL for clients.
    #[must_use]
    pub fn url(&self) -> String {
        let scheme = if self.tls.is_some() { "https" } else { "http" };
        format!("{scheme}://{}", self.address)
    }

    /// Returns the URL of the page that talks to the agents, unless the settings turn it off.
    #[must_use]
    pub fn page(&self) -> Option<String> {
        self.has_page().then(|| format!("{}/demo/", self.url()))
    }

    /// Returns the URL of the inspector.
    #[must_use]
    pub fn inspector(&self) -> String {
        format!("{}{}/", self.url(), inspector::FOLDER)
    }

    fn has_page(&self) -> bool {
        let demo = self.serve.0.project.config.serve.demo;
        demo.unwrap_or(self.address.ip().to_canonical().is_loopback())
    }

    /// Returns the code that lets in one page of another origin within ten minutes, on a server
    /// without tokens.
    #[must_use]
    pub fn pairing_code(&self) -> Option<String> {
        self.guard.pairing_code()
    }

    /// Serves until `stop` is done, then finishes running work.
    ///
    /// # Errors
    /// A [`Fault`] when no connection can be accepted any more.
    pub async fn serve(self, stop: impl Future<Output = ()>) -> Result<(), Fault> {
        let app = Arc::clone(&self.serve.0);
        let has_demo = self.has_page();
        let shared = Shared {
            app: Arc::clone(&app),
            guard: self.guard,
            deflate: DeflatePool::new(POOL),
            inspector: inspect::Shared::new(Sources {
                runs: contexture::runs(&app.project),
                flows: Some(app.flows.journals.journal()),
                contexts: Some(Arc::clone(&app.store)),
                packs: Some((app.project.clone(), pack_options(&app))),
                evals: Vec::new(),
                can_change: true,
                can_recheck: false,
            }),
        };
        let address = self.address.to_string();
        app.audit.note(&AuditRecord::new(AuditEvent::ServerStarted).with("listen", address));
        let listener = Listener { app: Arc::clone(&app), tls: self.tls, limit: self.limit };
        let serving = listen::run(self.listener, listener, router(shared, has_demo));
        let mut serving = std::pin::pin!(serving);
        let mut tokens = tokio::time::interval(TOKENS);
        let mut stop = std::pin::pin!(async {
            stop.await;
            app.is_leaving.store(true, Ordering::Relaxed);
            tokio::time::sleep(Duration::from_secs(app.project.config.serve.drain_delay)).await;
        });
        let mut tick = tokio::time::interval(SWEEP);
        let looking = tokio::spawn(neighbours::look(Arc::clone(&app)));
        loop {
            tokio::select! {
                () = &mut serving => return Ok(()),
                _ = tokens.tick() => {
                    refresh_tokens(&app).await;
                    if app.database.as_ref().is_some_and(Database::is_lost) {
                        // Nothing can be kept any more, so nothing is finished either.
                        looking.abort();
                        return Err(lease_lost());
                    }
                }
                _ = tick.tick() => self.serve.sweep(),
                () = &mut stop => break,
            }
        }
        looking.abort();
        app.phase.send_replace(Phase::Draining);
        parked::tell_all_draining(&app);
        // Connections are still accepted: clients learn that the server is about to end. A revoked
        // token still ends its connections.
        let watching = async {
            loop {
                tokens.tick().await;
                refresh_tokens(&app).await;
            }
        };
        tokio::select! {
            () = &mut serving => {}
            () = drain(&app) => {}
            () = watching => {}
        }
        app.phase.send_replace(Phase::Closed);
        let _ = tokio::time::timeout(PATIENCE, &mut serving).await;
        self.serve.close().await;
        Ok(())
    }
}

/// Checks that an address for other machines is protected.
fn check_remote(app: &App, options: &Options) -> Result<(), Fault> {
    let address = options.address;
    if options.tls.is_none() && !options.allow_remote {
        let message = format!("{address} can be reached from other machines, over plain HTTP");
        let help =
            "listen on 127.0.0.1 or [::1], give --tls-cert and --tls-key, or say --allow-remote";
        return Err(Fault::of(codes::NOT_LOOPBACK, message).with_help(help));
    }
    if !options.allow_no_token && !app.tokens.lets_in(app.now(), &[]) {
        let message =
            format!("{address} can be reached from other machines, and there is no token");
        let help = "make one with `contexture token add NAME`, or say --allow-no-token";
        return Err(Fault::of(codes::NO_TOKEN, message).with_help(help));
    }
    Ok(())
}

/// Reports that another server took over.
fn lease_lost() -> Fault {
    let message = "this server was away for longer than its lease, and another one took over";
    Fault::of(codes::LEASE_LOST, message)
        .with_help("start it again; what it worked on is another one's now")
}

/// Reacts to added, revoked and expired tokens, and to what the calls of other servers took.
async fn refresh_tokens(app: &Arc<App>) {
    let asked = Arc::clone(app);
    let refresh = move || {
        let is_changed = asked.tokens.refresh(asked.now());
        if is_changed {
            asked.accounts.learn();
        }
        is_changed
    };
    // The tokens may be in a database.
    let is_changed = tokio::task::spawn_blocking(refresh).await.unwrap_or_default();
    if is_changed && let Some(fault) = app.tokens.fault() {
        app.audit.note(&AuditRecord::new(AuditEvent::TokensUnreadable).with("outcome", "INTERNAL"));
        app.log.info("tokens_unreadable", serde_json::json!({ "reason": fault }));
    }
}

/// Waits a while for running turns; then they are cancelled, and their text so far
/// is stored.
pub(super) async fn drain(app: &App) {
    let over = async || {
        while app.turns.running() > 0 || app.flows.running() > 0 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    let patience = Duration::from_secs(app.project.config.serve.drain_timeout.get());
    if tokio::time::timeout(patience, over()).await.is_err() {
        app.turns.cancel_all();
        // Nothing of a set is lost: the next server resumes it.
        app.flows.leave_all();
        let _ = tokio::time::timeout(PATIENCE, over()).await;
    }
}

/// Returns which packs the inspector may read: those that turns may.
fn pack_options(app: &App) -> packs::Options {
    let turns = &app.turn_request;
    packs::Options {
        allow: turns.allow_packs.clone(),
        approve_project: turns.approve_packs,
        ..packs::Options::default()
    }
}

fn router(shared: Shared, has_demo: bool) -> Router {
    routes::router(&shared, has_demo)
        .fallback(answer::no_such_path)
        .method_not_allowed_fallback(answer::no_such_method)
        .layer(from_fn_with_state(shared.clone(), refused::render))
        .layer(from_fn_with_state(shared.clone(), compression::layer))
        .layer(from_fn_with_state(shared.clone(), check::check))
        .layer(from_fn_with_state(shared.clone(), status::count))
        .layer(from_fn(drained::layer))
        .with_state(shared)
}
