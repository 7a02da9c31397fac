//! The inspector: the kept runs of a project in a browser, over an API of its own (IN-1, IN-4).
//!
//! Decision: it only reads, so it needs no program; where a project is at hand, a recheck may ask a
//! model and add a run. On this machine it needs no token either: a page of
//! another origin can't use it, since each request is checked for its host and for the page that sends
//! it (IN-15). Other machines reach it with a token only. What it shows is made by
//! [`contexture::inspect`], which the command line uses, too. [`crate::serve`] offers the same routes.
//!
//! ```
//! use contexture::store::runs::FolderStore;
//! use contexture_server::inspect::{Access, Inspector, Sources};
//! use std::sync::Arc;
//!
//! # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
//! # let folder = tempfile::tempdir()?;
//! let runs = FolderStore::new(folder.path().to_owned(), contexture::store::stamp::system());
//! let address = "127.0.0.1:0".parse()?;
//! let inspector = Inspector::bind(Sources::of_runs(Arc::new(runs)), address, Access::Local).await?;
//! assert!(inspector.url().starts_with("http://127.0.0.1:"));
//! inspector.serve(async {}).await?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod answers;
mod contexts;
mod evals;
mod file;
mod flows;
mod follow;
mod guard;
mod outlines;
mod packs;
mod page;
mod rechecks;
mod routes;
mod sources;
mod sums;

pub(crate) use answers::Refused;
pub use file::run_file;
pub use guard::Access;
pub(crate) use routes::{TAG, routes};
pub use sources::Sources;

use crate::Fault;
use crate::route::routed;
use axum::Router;
use axum::middleware::from_fn_with_state;
use contexture::llm::CancelToken;
use guard::Guard;
use outlines::Outlines;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

/// The time in which a run that is cancelled has to end.
const PATIENCE: Duration = Duration::from_secs(5);

/// What all requests share. Each request clones it more than once.
#[derive(Clone)]
pub(crate) struct Shared {
    sources: Arc<Sources>,
    outlines: Arc<Outlines>,
    /// Runs that ask models at the same time.
    asking: Arc<Semaphore>,
    /// Ends those that are under way.
    end: CancelToken,
}

impl Shared {
    /// Shows what there is.
    pub(crate) fn new(sources: Sources) -> Self {
        Self {
            sources: Arc::new(sources),
            outlines: Arc::default(),
            asking: Arc::new(Semaphore::new(1)),
            end: CancelToken::new(),
        }
    }
}

/// An inspector that listens.
pub struct Inspector {
    listener: TcpListener,
    address: SocketAddr,
    guard: Arc<Guard>,
    shared: Shared,
}

impl Inspector {
    /// Listens on an address.
    ///
    /// # Errors
    /// [`Fault`] when other machines reach the address and no token is asked for, nobody has one, or
    /// the address can't be used.
    pub async fn bind(
        sources: Sources,
        address: SocketAddr,
        access: Access,
    ) -> Result<Self, Fault> {
        if matches!(access, Access::Local) && !address.ip().to_canonical().is_loopback() {
            let message =
                format!("other machines reach {address}, and the inspector asks for no token");
            return Err(Fault::new("address_not_local", message).with_help(
                "say `--allow-remote`, which asks for a token; or listen on 127.0.0.1, and reach it \
                 from elsewhere through a tunnel, such as `ssh -L`",
            ));
        }
        let guard = Guard::new(access)?;
        let failed = |error: std::io::Error| {
            Fault::new("address_unusable", format!("can't listen on {address}: {error}"))
                .with_help("name another address: `--listen 127.0.0.1:0` takes a free port")
        };
        let listener = TcpListener::bind(address).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        Ok(Self { listener, address, guard, shared: Shared::new(sources) })
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
        let (asking, end) = (Arc::clone(&self.shared.asking), self.shared.end.clone());
        let router = router(self.shared, &self.guard);
        let served = async { axum::serve(self.listener, router).await };
        // A page that follows a run keeps its connection: it is closed, not waited for.
        tokio::select! {
            ended = served => {
                ended.map_err(|error| Fault::new("address_unusable", error.to_string()))
            }
            () = stop => {
                // A run that asks a model is recorded as cancelled, and no other one begins.
                end.cancel();
                let _ = tokio::time::timeout(PATIENCE, asking.acquire()).await;
                Ok(())
            }
        }
    }
}

fn router(shared: Shared, guard: &Arc<Guard>) -> Router {
    let (data, page): (Vec<_>, Vec<_>) = routes().into_iter().partition(|route| !route.is_public());
    routed(data)
        .route_layer(from_fn_with_state(Arc::clone(guard), guard::admit))
        .merge(routed(page))
        .method_not_allowed_fallback(answers::no_such_method)
        .layer(from_fn_with_state(Arc::clone(guard), guard::check))
        .with_state(shared)
}
