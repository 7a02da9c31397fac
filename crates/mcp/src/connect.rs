//! Connections to real servers, over a process's pipes or streamable HTTP.
//!
//! Decision: a server is greeted first, as all but the newest want it. Some of them answer nothing
//! that comes before the greeting, and some end. One that refuses the greeting itself is asked once
//! more, as the protocol has it since 2026-07-28: over a connection of its own.

mod greeting;
#[cfg(test)]
mod tests;
mod translate;
mod wire;

use crate::definition::Offer;
use crate::error::McpError;
use crate::http;
use crate::port::{BoxFuture, Connection, Connector, IDEMPOTENCY_KEY, Reply};
use crate::process::{Process, Program};
use crate::spec::{ServerSpec, Transport};
use crate::wire::MESSAGE_BYTES;
use contexture_core::Secret;
use contexture_core::masker::Masker;
use greeting::{GREETING, Greeting, NotBegun, not_begun};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, ClientCapabilities, ClientConfig, ClientRequest,
    Implementation, ListToolsRequest, MetaObject, PaginatedRequestParams, ProtocolVersion,
    RequestMetaObject, ServerResult,
};
use rmcp::service::{NotificationContext, RunningService, ServiceError};
use rmcp::transport::IntoTransport;
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::{ClientHandler, ClientServiceExt as _, Peer, RoleClient};
use serde_json::{Map, Value};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use translate::Page;
use wire::{Broken, Cause, Wire};

/// The most pages of a list of tools, and the most tools.
const PAGES: usize = 100;
const TOOLS: usize = 2_000;

/// The time that a connection has to end in order.
const FAREWELL: Duration = Duration::from_secs(2);

/// The time that the news of an abandoned call has to get out.
const LAST_MESSAGE: Duration = Duration::from_millis(20);

/// The settings that all connections share.
#[derive(Debug, Clone, Default)]
pub struct ConnectSettings {
    /// Takes secrets out of what servers write to stderr.
    pub masker: Arc<Masker>,
}

/// Makes real connections.
#[derive(Clone, Default)]
pub struct Connect {
    settings: ConnectSettings,
}

impl Connect {
    /// Makes connections with these settings.
    #[must_use]
    pub const fn new(settings: ConnectSettings) -> Self {
        Self { settings }
    }

    async fn process(
        &self,
        server: &str,
        program: &Program<'_>,
        greeting: Greeting,
    ) -> Result<Arc<dyn Connection>, NotBegun> {
        let (process, stdout, stdin) = Process::start(server, program)?;
        let about = About {
            server: server.to_owned(),
            process: Some(process),
            cause: Cause::default(),
            settings: self.settings.clone(),
        };
        let wire = Wire::new(stdout, stdin, Arc::clone(&about.cause));
        begin(about, wire, greeting).await
    }

    async fn http(
        &self,
        server: &str,
        (url, token): (&str, Option<&Secret>),
        allow_private: &[String],
        greeting: Greeting,
    ) -> Result<Arc<dyn Connection>, NotBegun> {
        let url = http::address(server, url, token.is_some())?;
        let client = http::client_of(server, &url, allow_private)?;
        let mut config = StreamableHttpClientTransportConfig::with_uri(String::from(url))
            .max_sse_event_size(MESSAGE_BYTES);
        if let Some(token) = token {
            config = config.auth_header(token.expose());
        }
        let about = About {
            server: server.to_owned(),
            process: None,
            cause: Cause::default(),
            settings: self.settings.clone(),
        };
        begin(about, StreamableHttpClientTransport::with_client(client, config), greeting).await
    }

    async fn attempt(
        &self,
        server: &ServerSpec,
        greeting: Greeting,
    ) -> Result<Arc<dyn Connection>, NotBegun> {
        let unreachable = |reason: String| McpError::Unreachable {
            server: server.name.clone(),
            reason,
            stderr: String::new(),
        };
        match &server.transport {
            Transport::Process { command, args, env, folder, search } => {
                let program = Program { command, args, env, folder, search };
                self.process(&server.name, &program, greeting).await
            }
            Transport::Http { token_env: Some(variable), token: None, .. } => {
                let reason = format!("the variable {variable}, which holds its token, is not set");
                Err(unreachable(reason).into())
            }
            Transport::Http { url, token, allow_private, .. } => {
                self.http(&server.name, (url, token.as_ref()), allow_private, greeting).await
            }
            Transport::InMemory => Err(unreachable("it stands in memory only".to_owned()).into()),
        }
    }
}

impl Connector for Connect {
    fn connect<'a>(
        &'a self,
        server: &'a ServerSpec,
    ) -> BoxFuture<'a, Result<Arc<dyn Connection>, McpError>> {
        Box::pin(async move {
            match self.attempt(server, Greeting::First).await {
                Err(NotBegun { error, is_ungreeted: true }) => {
                    // The first error is the one to report.
                    self.attempt(server, Greeting::None).await.map_err(|_| error)
                }
                other => other.map_err(|NotBegun { error, .. }| error),
            }
        })
    }
}

/// The metadata of a connection.
struct About {
    server: String,
    process: Option<Process>,
    cause: Cause,
    settings: ConnectSettings,
}

impl About {
    /// Returns the reason why the connection was ended from this side, when it was.
    fn broken(&self, what: &str) -> Option<McpError> {
        let (server, what) = (self.server.clone(), what.to_owned());
        Some(match self.cause.get()? {
            Broken::TooLarge => McpError::TooLarge { server, what, limit: MESSAGE_BYTES as u64 },
            Broken::Unreadable(found) => McpError::BadAnswer { server, what, found: found.clone() },
        })
    }

    /// Returns the end of the server's stderr, without secrets, in one line.
    async fn stderr(&self) -> String {
        let Some(process) = &self.process else { return String::new() };
        let said = process.last_words().await;
        let text = self.settings.masker.text(&said);
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        let lines: Vec<&str> = lines.collect();
        let last = lines.get(lines.len().saturating_sub(5)..).unwrap_or_default();
        last.join(" | ")
    }
}

/// Listens to the server's notifications: only that its tools changed matters.
#[derive(Clone, Default)]
struct Listener {
    revision: Arc<AtomicU64>,
}

impl ClientHandler for Listener {
    fn get_info(&self) -> ClientConfig {
        let own = Implementation::new("contexture", env!("CARGO_PKG_VERSION"));
        ClientConfig::new(ClientCapabilities::default(), own)
            .with_protocol_version(ProtocolVersion::LATEST_WITH_INITIALIZE)
    }

    async fn on_tool_list_changed(&self, _context: NotificationContext<RoleClient>) {
        self.revision.fetch_add(1, Ordering::SeqCst);
    }
}

async fn begin<T, E, A>(
    about: About,
    transport: T,
    greeting: Greeting,
) -> Result<Arc<dyn Connection>, NotBegun>
where
    T: IntoTransport<RoleClient, E, A>,
    E: std::error::Error + Send + Sync + 'static,
{
    let listener = Listener::default();
    let revision = Arc::clone(&listener.revision);
    match listener.serve_with_lifecycle(transport, greeting.lifecycle()).await {
        Ok(service) => {
            let peer = service.peer().clone();
            let service = Mutex::new(Some(service));
            let live = Live { about, peer, service, revision };
            if let Err(error) = live.speaks_our_tongue() {
                live.close().await;
                return Err(error.into());
            }
            Ok(Arc::new(live))
        }
        Err(error) => Err(not_begun(about, &error).await),
    }
}

/// A connection that was made.
struct Live {
    about: About,
    peer: Peer<RoleClient>,
    service: Mutex<Option<RunningService<RoleClient, Listener>>>,
    revision: Arc<AtomicU64>,
}

impl Live {
    async fn failed(&self, what: &str, error: ServiceError) -> McpError {
        if let Some(error) = self.about.broken(what) {
            return error;
        }
        let lost = matches!(error, ServiceError::TransportClosed);
        let stderr = if lost { self.about.stderr().await } else { String::new() };
        translate::failed((&self.about.server, what), error, stderr)
    }

    fn bad(&self, what: &str, found: String) -> McpError {
        McpError::BadAnswer { server: self.about.server.clone(), what: what.to_owned(), found }
    }

    /// Reports whether the version of the protocol that the server chose is one that is known.
    fn speaks_our_tongue(&self) -> Result<(), McpError> {
        let chosen = self.peer.peer_info().map(|info| info.protocol_version.clone());
        let unknown = chosen.filter(|it| !ProtocolVersion::KNOWN_VERSIONS.contains(it));
        let Some(unknown) = unknown else { return Ok(()) };
        let unknown: String = unknown.as_str().chars().take(40).collect();
        let found = format!("the protocol version {unknown:?}, which is not known here");
        Err(self.bad(GREETING, found))
    }

    async fn list(&self) -> Result<Offer, McpError> {
        const WHAT: &str = "the list of its tools";
        let mut tools = Vec::new();
        let mut left_out = Vec::new();
        let mut cursor = None;
        for _ in 0..PAGES {
            let page = PaginatedRequestParams::default().with_cursor(cursor.take());
            let page = self.page(page).await.map_err(|error| (error, WHAT));
            let page = match page {
                Ok(page) => page,
                Err((error, what)) => return Err(self.failed(what, error).await),
            };
            let Some(page) = page else {
                return Err(self.bad(WHAT, "something that is not a list of tools".to_owned()));
            };
            tools.extend(page.tools);
            left_out.extend(page.left_out);
            if tools.len() + left_out.len() > TOOLS {
                return Err(self.bad(WHAT, format!("more than {TOOLS} tools")));
            }
            cursor = page.next;
            if cursor.is_none() {
                let mut offer = Offer::of(tools);
                offer.left_out.extend(left_out);
                return Ok(offer);
            }
        }
        Err(self.bad(WHAT, format!("more than {PAGES} pages")))
    }

    /// Returns a page of tools; none when the answer is not such a page. A tool that has not the form
    /// of one makes the whole answer one that the library does not know: it is read tool by tool
    /// then.
    async fn page(&self, page: PaginatedRequestParams) -> Result<Option<Page>, ServiceError> {
        match self.peer.list_tools(Some(page.clone())).await {
            Ok(page) => Ok(Some(Page::of(&page))),
            Err(ServiceError::UnexpectedResponse) => {
                let request = ListToolsRequest::with_param(page);
                let request = ClientRequest::ListToolsRequest(request);
                match self.peer.send_request(request).await? {
                    ServerResult::ListToolsResult(page) => Ok(Some(Page::of(&page))),
                    ServerResult::CustomResult(answer) => Ok(Page::by_tool(answer.0)),
                    _ => Ok(None),
                }
            }
            Err(error) => Err(error),
        }
    }
}

impl Connection for Live {
    fn offer(&self) -> BoxFuture<'_, Result<Offer, McpError>> {
        Box::pin(self.list())
    }

    fn call<'a>(
        &'a self,
        tool: &'a str,
        arguments: Map<String, Value>,
        key: Option<&'a str>,
    ) -> BoxFuture<'a, Result<Reply, McpError>> {
        Box::pin(async move {
            let what = format!("`{tool}`");
            let mut params = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
            params.meta = key.map(|key| {
                let fields = Map::from_iter([(IDEMPOTENCY_KEY.to_owned(), Value::from(key))]);
                RequestMetaObject(MetaObject(fields))
            });
            match self.peer.call_tool_once(params).await {
                Ok(CallToolResponse::Complete(result)) => Ok(translate::reply(result)),
                Ok(CallToolResponse::InputRequired(_)) => {
                    Err(self
                        .bad(&what, "a question to a person, whom it can't ask here".to_owned()))
                }
                Ok(_) => {
                    Err(self
                        .bad(&what, "a task to be waited for, which is not known here".to_owned()))
                }
                Err(error) => Err(self.failed(&what, error).await),
            }
        })
    }

    fn revision(&self) -> u64 {
        self.revision.load(Ordering::SeqCst)
    }

    fn is_closed(&self) -> bool {
        let service = self.service.lock().unwrap_or_else(PoisonError::into_inner);
        service.as_ref().is_none_or(RunningService::is_closed) || self.peer.is_transport_closed()
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            if let Some(process) = &self.about.process {
                process.look();
            }
            let service = self.service.lock().unwrap_or_else(PoisonError::into_inner).take();
            if let Some(mut service) = service {
                tokio::time::sleep(LAST_MESSAGE).await;
                let _ = service.close_with_timeout(FAREWELL).await;
            }
            if let Some(process) = &self.about.process {
                process.end().await;
            }
        })
    }
}
