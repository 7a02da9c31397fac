//! Restate as the engine of sets (FL-14, WA-12).
//!
//! The server opens an endpoint that the engine calls, registers it, and hands each run over as the
//! workflow `Set/{run}`. [`drive`] does what the machine says, by what the engine offers; [`hosted`]
//! holds what goes on in this process.

mod client;
mod drive;
mod hosted;
mod service;
#[cfg(test)]
mod tests;
mod wire;

use super::Means;
use crate::fault::Fault;
use crate::serve::codes;
use crate::serve::operations::log::Log;
use crate::serve::tokens::Secret;
use client::{Accepted, EngineClient};
use contexture::flows::Labels;
use contexture::store::flows::FlowJournal;
use contexture_flow::machine::{Machine, Report, Settings};
use contexture_flow::run::{Parts, Requests};
use hosted::Hosted;
use hyper::Request;
use hyper::body::Incoming;
use hyper::header::{self, HeaderValue};
use hyper::server::conn::http2;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioExecutor, TokioIo};
use parking_lot::Mutex;
use reqwest::Url;
use restate_sdk::endpoint::Endpoint;
use restate_sdk::hyper::HyperEndpoint;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::HashMap;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;
use subtle::ConstantTimeEq as _;
use tokio::net::TcpListener;
use tokio::task::AbortHandle;
use wire::{Begin, Content, Letter, micros, now_us};

/// The file in the data folder with the name of this server at the engine.
const FILE: &str = "engine.json";
/// The port of the engine's administration.
const ADMIN: u16 = 9070;
/// The interval of looking whether the engine answers.
const LOOK: Duration = Duration::from_millis(500);
/// The interval after which the engine is asked again.
const AGAIN: Duration = Duration::from_millis(250);

/// The engine, and the runs that this server hosts for it.
pub(crate) struct Restate {
    client: EngineClient,
    hosts: Arc<Hosts>,
    log: Arc<Log>,
    answers: AtomicBool,
    endpoint: AbortHandle,
}

impl Drop for Restate {
    fn drop(&mut self) {
        self.endpoint.abort();
    }
}

/// The runs that this server hosts.
struct Hosts {
    runs: Mutex<HashMap<String, Arc<Hosted>>>,
    journal: Arc<dyn FlowJournal>,
    last: AtomicU64,
}

/// The name of this server at the engine.
#[derive(Default, Serialize, Deserialize)]
struct Identity {
    /// The id of its endpoint there.
    deployment: Option<String>,
    /// The path of its endpoint: a server that follows another one at its address is another endpoint.
    path: String,
    /// What the engine shows when it calls.
    key: String,
}

impl Hosts {
    fn find(&self, run: &str) -> Option<Arc<Hosted>> {
        self.runs.lock().get(run).cloned()
    }

    /// Returns the number of a hosting, greater than all before, also before a restart.
    fn number(&self) -> u64 {
        let now = now_us();
        let raised = |last: u64| Some(now.max(last.saturating_add(1)));
        match self.last.fetch_update(Ordering::SeqCst, Ordering::SeqCst, raised) {
            Ok(last) | Err(last) => now.max(last.saturating_add(1)),
        }
    }
}

/// The place of a run among those that are hosted, until it is dropped.
struct Place {
    hosts: Arc<Hosts>,
    hosted: Arc<Hosted>,
}

impl Place {
    fn take(hosts: &Arc<Hosts>, hosted: &Arc<Hosted>) -> Self {
        let run = hosted.run().to_owned();
        hosts.runs.lock().insert(run, Arc::clone(hosted));
        Self { hosts: Arc::clone(hosts), hosted: Arc::clone(hosted) }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut runs = self.hosts.runs.lock();
        let run = self.hosted.run();
        if runs.get(run).is_some_and(|known| Arc::ptr_eq(known, &self.hosted)) {
            runs.remove(run);
        }
        drop(runs);
        self.hosted.leave();
    }
}

impl Restate {
    /// Opens the endpoint that the engine calls, and registers it as soon as the engine answers.
    pub(super) fn open(address: &str, means: &Means<'_>) -> Result<Arc<Self>, Fault> {
        let (client, listen) = addresses(address, means)?;
        let listener = listen_at(listen)?;
        let bound = listener.local_addr().unwrap_or(listen);
        let path = means.data.join(FILE);
        let identity = identity(&path)?;
        let journal = means.journals.journal();
        let hosts = Hosts { runs: Mutex::default(), journal, last: AtomicU64::new(0) };
        let hosts = Arc::new(hosts);
        let served = serve(listener, service::endpoint(&hosts), identity.key.clone());
        let log = Arc::clone(means.log);
        let (answers, endpoint) = (AtomicBool::new(false), tokio::spawn(served).abort_handle());
        let restate = Arc::new(Self { client, hosts, log, answers, endpoint });
        let looking = Arc::downgrade(&restate);
        tokio::spawn(async move {
            let uri = format!("http://{bound}/{}", identity.path);
            let mut place = (path, identity, uri);
            while let Some(restate) = looking.upgrade() {
                restate.look(&mut place).await;
                drop(restate);
                tokio::time::sleep(LOOK).await;
            }
        });
        Ok(restate)
    }

    pub(super) fn answers(&self) -> bool {
        self.answers.load(Ordering::SeqCst)
    }

    /// Looks whether the engine answers. One that comes back may not know this server.
    async fn look(&self, (path, identity, uri): &mut (PathBuf, Identity, String)) {
        let is_well = self.client.is_well().await;
        if is_well == self.answers() {
            return;
        }
        if !is_well {
            self.answers.store(false, Ordering::SeqCst);
            return self.log.info("engine_away", json!({}));
        }
        let known = identity.deployment.as_deref();
        match self.client.register(known, uri, &identity.key).await {
            Ok(id) => {
                if identity.deployment.replace(id.clone()) != Some(id) {
                    // Without the file, it is registered anew after a restart.
                    let _ = keep(path, identity);
                }
                self.answers.store(true, Ordering::SeqCst);
                self.log.info("engine_ready", json!({}));
            }
            Err(refused) => {
                self.log.info("engine_refuses", json!({ "reason": refused.to_string() }));
            }
        }
    }

    /// Hosts a run until it has ended or only waits.
    pub(super) async fn run(
        self: Arc<Self>,
        (parts, labels): (Parts, Labels),
        waiting: Vec<String>,
    ) -> Report {
        let (run, journal) = (parts.options.run.clone(), Arc::clone(&parts.options.journal));
        let read = tokio::task::spawn_blocking(move || journal.entries(&run));
        // Without its journal it ends as it does without an engine.
        let Ok(Ok(entries)) = read.await else { return parts.run().await };
        let begin = Begin {
            entries: entries.len(),
            waiting: waiting.clone(),
            elapsed_us: micros(parts.options.elapsed),
            at_us: now_us(),
            host: self.hosts.number(),
        };
        let Parts { plan, actions, options, mut requests } = parts;
        let work = (plan, actions, options);
        let (hosted, report) = Hosted::new(begin.host, work, labels, (&entries, waiting));
        drop(entries);
        let place = Place::take(&self.hosts, &hosted);
        let left = tokio::select! {
            Ok(report) = report => return report,
            left = self.serve(&hosted, &begin, &mut requests) => left,
        };
        drop(place);
        let Hosted { plan, actions, options, .. } = &*hosted;
        let (plan, actions, options) = (Arc::clone(plan), Arc::clone(actions), options.clone());
        match left {
            Left::Waiting => {
                Machine::new(plan, Settings::default()).into_report(Duration::ZERO).suspended()
            }
            Left::Over => Parts { plan, actions, options, requests }.run().await,
        }
    }

    /// Hands a run over, and passes requests on, until it is left.
    async fn serve(&self, hosted: &Hosted, begin: &Begin, requests: &mut Requests) -> Left {
        match self.begin(hosted.run(), begin).await {
            Accepted::New => {}
            Accepted::Known => self.tell(hosted.run(), Content::Hosted(hosted.host)).await,
            Accepted::Over => return Left::Over,
        }
        loop {
            let request = requests.next().await;
            match Content::of(request) {
                Some(content) => self.tell(hosted.run(), content).await,
                None if hosted.park(hosted.options.waiting.load(Ordering::SeqCst)) => {
                    return Left::Waiting;
                }
                None => {}
            }
        }
    }

    /// Hands a run over, however long the engine is away.
    async fn begin(&self, run: &str, begin: &Begin) -> Accepted {
        loop {
            match self.client.begin(run, begin).await {
                Ok(accepted) => return accepted,
                Err(refused) => self.refused(&refused).await,
            }
        }
    }

    /// Tells a run something, however long the engine is away.
    async fn tell(&self, run: &str, content: Content) {
        let letter =
            Letter { id: format!("{run}:{}", self.hosts.number()), at_us: now_us(), content };
        while let Err(refused) = self.client.tell(run, &letter).await {
            self.refused(&refused).await;
        }
    }

    async fn refused(&self, refused: &client::Refused) {
        self.log.info("engine_refuses", json!({ "reason": refused.to_string() }));
        tokio::time::sleep(AGAIN).await;
    }
}

/// Why a run is not hosted any more, although it has not ended.
enum Left {
    /// It only waits for people.
    Waiting,
    /// The engine says that it ended there, without this server: it was removed there.
    Over,
}

/// Reads the addresses of the engine and of the endpoint for it.
fn addresses(address: &str, means: &Means<'_>) -> Result<(EngineClient, SocketAddr), Fault> {
    let wrong = |what: &str, found: &str| {
        let message =
            format!("{what}: expected an address such as http://127.0.0.1:8080, found `{found}`");
        Fault::of(codes::BAD_SETTING, message)
    };
    let read = |what: &str, text: &str| {
        let url = Url::parse(text).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
        url.ok_or_else(|| wrong(what, text))
    };
    let ingress = read("the engine", address)?;
    let admin = match &means.settings.engine_admin {
        Some(text) => read("serve.engine_admin", text)?,
        None => {
            let mut admin = ingress.clone();
            admin.set_port(Some(ADMIN)).map_err(|()| wrong("the engine", address))?;
            admin
        }
    };
    let client = EngineClient::new(ingress, admin)
        .map_err(|reason| Fault::of(codes::BAD_SETTING, format!("the engine: {reason}")))?;
    let here = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    Ok((client, means.settings.engine_listen.unwrap_or(here)))
}

fn listen_at(address: SocketAddr) -> Result<TcpListener, Fault> {
    let bound = std::net::TcpListener::bind(address).and_then(|listener| {
        listener.set_nonblocking(true)?;
        TcpListener::from_std(listener)
    });
    bound.map_err(|error| {
        let message = format!("the endpoint for the engine can't listen on {address}: {error}");
        Fault::of(codes::CANNOT_LISTEN, message)
    })
}

/// Reads the name of this server at the engine, or makes one.
fn identity(path: &Path) -> Result<Identity, Fault> {
    let unusable = |reason: String| {
        Fault::of(codes::BAD_DATA, format!("{} can't be used: {reason}", path.display()))
    };
    match std::fs::read(path) {
        Ok(text) => serde_json::from_slice(&text).map_err(|error| unusable(error.to_string())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let key = Secret::new()?.expose().to_owned();
            let path_of_endpoint = contexture::store::stamp::system().next().0;
            let identity = Identity { deployment: None, path: path_of_endpoint, key };
            keep(path, &identity).map_err(|error| unusable(error.to_string()))?;
            Ok(identity)
        }
        Err(error) => Err(unusable(error.to_string())),
    }
}

fn keep(path: &Path, identity: &Identity) -> io::Result<()> {
    // The folder is its owner's alone.
    std::fs::write(path, serde_json::to_vec(identity).map_err(io::Error::other)?)
}

/// Serves the endpoint to whoever shows the key.
async fn serve(listener: TcpListener, endpoint: Endpoint, key: String) {
    let (endpoint, key) = (HyperEndpoint::new(endpoint), Arc::<str>::from(format!("Bearer {key}")));
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            // Too many open files, say.
            tokio::time::sleep(AGAIN).await;
            continue;
        };
        let (endpoint, key) = (endpoint.clone(), Arc::clone(&key));
        let answer = service_fn(move |request: Request<Incoming>| {
            let shown = request.headers().get(header::AUTHORIZATION).map(HeaderValue::as_bytes);
            let is_known = shown.is_some_and(|shown| shown.ct_eq(key.as_bytes()).into());
            let answer = is_known.then(|| endpoint.call(request));
            async move {
                match answer {
                    Some(answer) => answer.await.map_err(io::Error::other),
                    None => Err(io::Error::other("the key of the engine is missing")),
                }
            }
        });
        let connection = http2::Builder::new(TokioExecutor::new())
            .serve_connection(TokioIo::new(stream), answer);
        // The engine connects again.
        tokio::spawn(async move { drop(connection.await) });
    }
}
