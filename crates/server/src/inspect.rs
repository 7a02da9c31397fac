//! The inspector: the kept runs of a project in a browser, over an API of its own (IN-1, IN-4).
//!
//! Decision: it listens on this machine alone and only reads, so it needs neither a program nor a
//! token; a page of another origin can't use it, since each request is checked for its host and for
//! the page that sends it (IN-15). What it shows is made by [`contexture::inspect`], which the
//! command line uses, too.
//!
//! ```
//! use contexture::store::runs::FolderStore;
//! use contexture_server::inspect::Inspector;
//! use std::sync::Arc;
//!
//! # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
//! # let folder = tempfile::tempdir()?;
//! let runs = FolderStore::new(folder.path().to_owned(), contexture::store::stamp::system());
//! let inspector = Inspector::bind(Arc::new(runs), "127.0.0.1:0".parse()?).await?;
//! assert!(inspector.url().starts_with("http://127.0.0.1:"));
//! inspector.serve(async {}).await?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod answers;
mod follow;
mod guard;
mod outlines;
mod page;

use crate::Fault;
use axum::Router;
use axum::routing::get;
use contexture::store::runs::RunStore;
use outlines::Outlines;
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::net::TcpListener;

/// What all requests share.
#[derive(Clone)]
struct Shared {
    store: Arc<dyn RunStore>,
    outlines: Arc<Outlines>,
}

/// An inspector that listens.
pub struct Inspector {
    listener: TcpListener,
    address: SocketAddr,
    shared: Shared,
}

impl Inspector {
    /// Listens on an address of this machine.
    ///
    /// # Errors
    /// [`Fault`] when other machines reach the address, or it can't be used.
    pub async fn bind(store: Arc<dyn RunStore>, address: SocketAddr) -> Result<Self, Fault> {
        if !address.ip().is_loopback() {
            let message =
                format!("other machines reach {address}, and the inspector asks for no token");
            return Err(Fault::new("address_not_local", message).with_help(
                "listen on 127.0.0.1, and reach it from elsewhere through a tunnel, such as `ssh -L`",
            ));
        }
        let failed = |error: std::io::Error| {
            Fault::new("address_unusable", format!("can't listen on {address}: {error}"))
                .with_help("name another address: `--listen 127.0.0.1:0` takes a free port")
        };
        let listener = TcpListener::bind(address).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let shared = Shared { store, outlines: Arc::default() };
        Ok(Self { listener, address, shared })
    }

    /// Returns the address of the page, without a `/` at its end.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Answers requests until `stop` is ready.
    ///
    /// # Errors
    /// [`Fault`] when no more connections can be accepted.
    pub async fn serve(self, stop: impl Future<Output = ()> + Send + 'static) -> Result<(), Fault> {
        let router = router(self.shared);
        let served = async { axum::serve(self.listener, router).await };
        // A page that follows a run keeps its connection: it is closed, not waited for.
        tokio::select! {
            ended = served => {
                ended.map_err(|error| Fault::new("address_unusable", error.to_string()))
            }
            () = stop => Ok(()),
        }
    }
}

fn router(shared: Shared) -> Router {
    Router::new()
        .route("/", get(page::index))
        .route("/{*path}", get(page::file))
        .route("/v1/runs", get(answers::runs))
        .route("/v1/runs/{run}", get(answers::run))
        .route("/v1/runs/{run}/events", get(answers::events))
        .route("/v1/runs/{run}/calls/{call}", get(answers::call))
        .route("/v1/runs/{run}/calls/{call}/prompt", get(answers::prompt))
        .route("/v1/runs/{run}/follow", get(follow::follow))
        .route("/v1/texts/{run}/{digest}", get(answers::text))
        .route("/v1/diff/{left}/{right}", get(answers::diff))
        .route("/v1/why", get(answers::why))
        .layer(axum::middleware::from_fn(guard::check))
        .with_state(shared)
}
