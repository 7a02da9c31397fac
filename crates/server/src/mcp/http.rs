//! MCP over streamable HTTP at `/mcp`, for clients with the token.
//!
//! Decision: a request is checked three times before it is read: the bearer token, the host
//! that the client names (a page that rebinds its name to this machine names its own), and the
//! origin of a page. Listening beyond this machine needs an explicit option.

mod body;
mod guard;
mod sessions;

use crate::fault::Fault;
use crate::mcp::codes;
use crate::mcp::operator::Operator;
use crate::mcp::server::Server;
use crate::mcp::token::Token;
use axum::Router;
use body::BODY_BYTES;
use guard::Guard;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use sessions::Sessions;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;

/// The path that is served.
pub const PATH: &str = "/mcp";

/// The idle time after which a session ends.
const IDLE: Duration = Duration::from_secs(60 * 60);
/// The time that open connections have to end.
const PATIENCE: Duration = Duration::from_secs(3);

/// The address and the clients of the server.
#[derive(Debug, Clone)]
pub struct Options {
    /// The address; port 0 selects a free port.
    pub address: SocketAddr,
    /// The token that every request needs.
    pub token: Token,
    /// True if other machines may reach the address.
    pub allow_remote: bool,
    /// The host names of the server besides `localhost` and IP addresses.
    pub hosts: Vec<String>,
    /// Origins of web pages that may call, such as `https://app.example.com`, besides pages of this
    /// machine.
    pub origins: Vec<String>,
}

/// A server that listens.
#[derive(Debug)]
pub struct Listening {
    listener: TcpListener,
    address: SocketAddr,
    guard: Guard,
}

impl Listening {
    /// Starts to listen.
    ///
    /// # Errors
    /// A [`Fault`] when the address is not of this machine without the option for it, or can't be
    /// listened on.
    pub async fn begin(options: &Options) -> Result<Self, Fault> {
        let Options { address, .. } = *options;
        if !address.ip().is_loopback() && !options.allow_remote {
            let message = format!("{address} can be reached from other machines, over plain HTTP");
            let help = "listen on 127.0.0.1 or [::1], or say --allow-remote";
            return Err(Fault::of(codes::NOT_LOOPBACK, message).with_help(help));
        }
        let failed = |error: std::io::Error| {
            Fault::of(codes::CANNOT_LISTEN, format!("can't listen on {address}: {error}"))
                .with_help("port 0 takes any free port")
        };
        let listener = TcpListener::bind(address).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let guard = Guard::new(options.token.clone(), &options.hosts, &options.origins);
        Ok(Self { listener, address, guard })
    }

    /// Returns the URL for clients.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}{PATH}", self.address)
    }

    /// Serves until `stop` is done. The operator is told why calls fail, which clients are not.
    ///
    /// # Errors
    /// A [`Fault`] when no connection can be accepted any more.
    pub async fn serve(
        self,
        server: &Server,
        tell: impl Fn(&str) + Send + Sync + 'static,
        stop: impl Future<Output = ()>,
    ) -> Result<(), Fault> {
        let mut sessions = LocalSessionManager::default();
        sessions.session_config.keep_alive = Some(IDLE);
        // The guard checks hosts and origins, as it knows more about them.
        let config = StreamableHttpServerConfig::default()
            .disable_allowed_hosts()
            .with_max_request_body_bytes(BODY_BYTES);
        let end = config.cancellation_token.clone();
        let sessions = Arc::new(sessions);
        let bounds = Sessions::new(Arc::clone(&sessions), sessions::MOST);
        let mcp = {
            let server = server.clone();
            let operator = Arc::new(Operator::new(tell, server.secrets()));
            let session = move || Ok(server.session(Some(Arc::clone(&operator))));
            StreamableHttpService::new(session, sessions, config)
        };
        let guard = Arc::new(self.guard);
        let app = Router::new()
            .route_service(PATH, mcp)
            .layer(axum::middleware::from_fn(body::check))
            .layer(axum::middleware::from_fn_with_state(bounds, sessions::bound))
            .layer(axum::middleware::from_fn_with_state(guard, guard::check));
        let stopping = end.clone();
        let serving = axum::serve(self.listener, app)
            .with_graceful_shutdown(async move { stopping.cancelled().await });
        let mut serving = std::pin::pin!(serving.into_future());
        let failed = |error: std::io::Error| Fault::of(codes::TRANSPORT, error.to_string());
        tokio::select! {
            ended = &mut serving => ended.map_err(failed)?,
            () = stop => {
                server.stop();
                end.cancel();
                // An open connection does not delay the end.
                let _ = tokio::time::timeout(PATIENCE, &mut serving).await;
            }
        }
        let _ = tokio::time::timeout(PATIENCE, server.idle()).await;
        Ok(())
    }
}
