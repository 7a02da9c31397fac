//! The doors: a WebSocket and HTTP (CP-6).
//!
//! | path | what |
//! |---|---|
//! | `GET /v1/ws` | WebSocket, subprotocol `mcp-cp.1` |
//! | `POST /v1/messages` | one message or an array; with `Accept: text/event-stream` a stream |
//! | `GET /v1/contexts`, `GET`, `DELETE /v1/contexts/{id}` | contexts |
//! | `GET /v1/contexts/{id}/messages`, `…/changes` | pages of them |
//! | `GET /v1/schemas`, `GET /v1/schemas/{type}` | JSON Schemas |
//! | `GET /demo/` | a page that talks to the agents |

mod answer;
mod connection;
mod contexts;
mod demo;
mod guard;
mod messages;
mod query;
mod schemas;
mod socket;
mod stream;

use super::app::{App, Phase};
use super::{Serve, codes};
use crate::fault::Fault;
use axum::Router;
use axum::routing::{get, post};
use guard::Guard;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use yawc::DeflatePool;

/// How often sessions are looked at that nobody came back to.
const SWEEP: Duration = Duration::from_secs(15);
/// So many compressors are kept for the next message.
const POOL: usize = 8;
/// How long open work may take to end.
const PATIENCE: Duration = Duration::from_secs(10);

/// Where to listen.
#[derive(Debug, Clone)]
pub struct Options {
    /// The address; port 0 takes any free port.
    pub address: SocketAddr,
    /// Whether the address may be reachable from other machines.
    pub allow_remote: bool,
}

/// A server that listens.
#[derive(Debug)]
pub struct Listening {
    listener: TcpListener,
    address: SocketAddr,
    serve: Serve,
}

/// What all requests share.
#[derive(Clone)]
pub(super) struct Shared {
    app: Arc<App>,
    guard: Arc<Guard>,
    /// What compresses messages: shared, since most connections are idle.
    deflate: DeflatePool,
}

impl Listening {
    /// Begins to listen.
    ///
    /// # Errors
    /// A [`Fault`] when the address can't be listened on, or could be reached by others unguarded.
    pub async fn begin(serve: Serve, options: &Options) -> Result<Self, Fault> {
        let address = options.address;
        if !address.ip().is_loopback() && !options.allow_remote {
            let message = format!("{address} can be reached from other machines, over plain HTTP");
            let help = "listen on 127.0.0.1 or [::1], give --tls-cert and --tls-key, or say --allow-remote";
            return Err(Fault::of(codes::NOT_LOOPBACK, message).with_help(help));
        }
        let failed = |error: std::io::Error| {
            Fault::of(codes::CANNOT_LISTEN, format!("can't listen on {address}: {error}"))
                .with_help("port 0 takes any free port")
        };
        let listener = TcpListener::bind(address).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        Ok(Self { listener, address, serve })
    }

    /// The URL that clients use.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Serves until `stop` is done, then lets what is under way end.
    ///
    /// # Errors
    /// A [`Fault`] when no connection can be taken any more.
    pub async fn serve(self, stop: impl Future<Output = ()>) -> Result<(), Fault> {
        let app = Arc::clone(&self.serve.0);
        let guard = Arc::new(Guard::new(&app.project.config.serve, self.address));
        let shared = Shared { app: Arc::clone(&app), guard, deflate: DeflatePool::new(POOL) };
        let service = router(shared).into_make_service_with_connect_info::<SocketAddr>();
        let mut ended = app.phase.subscribe();
        let over = async move { drop(ended.wait_for(|phase| *phase != Phase::Open).await) };
        let serving = axum::serve(self.listener, service).with_graceful_shutdown(over);
        let mut serving = std::pin::pin!(serving.into_future());
        let mut stop = std::pin::pin!(stop);
        let mut tick = tokio::time::interval(SWEEP);
        let failed = |error: std::io::Error| Fault::of(codes::CANNOT_LISTEN, error.to_string());
        loop {
            tokio::select! {
                over = &mut serving => return over.map_err(failed),
                _ = tick.tick() => self.serve.sweep(),
                () = &mut stop => break,
            }
        }
        app.phase.send_replace(Phase::Draining);
        drain(&app).await;
        app.phase.send_replace(Phase::Closed);
        let _ = tokio::time::timeout(PATIENCE, &mut serving).await;
        Ok(())
    }
}

/// Lets the turns that run come to their ends, for a while.
async fn drain(app: &Arc<App>) {
    let over = async {
        while app.turns.running() > 0 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    if tokio::time::timeout(PATIENCE, over).await.is_err() {
        app.turns.cancel_all();
    }
}

fn router(shared: Shared) -> Router {
    Router::new()
        .route("/v1/ws", get(socket::open))
        .route("/v1/messages", post(messages::post))
        .route("/v1/contexts", get(contexts::list))
        .route("/v1/contexts/{id}", get(contexts::get).delete(contexts::delete))
        .route("/v1/contexts/{id}/messages", get(contexts::messages))
        .route("/v1/contexts/{id}/changes", get(contexts::changes))
        .route("/v1/schemas", get(schemas::list))
        .route("/v1/schemas/{name}", get(schemas::get))
        .route("/demo", get(demo::folder))
        .route("/demo/", get(demo::index))
        .route("/demo/{*path}", get(demo::file))
        .fallback(answer::no_such_path)
        .method_not_allowed_fallback(answer::no_such_method)
        .with_state(shared)
}
