//! Servers in memory, for tests: what the port promises, without a process or a network.

use crate::definition::{Definition, Offer};
use crate::error::McpError;
use crate::port::{BoxFuture, Connection, Connector, Reply};
use crate::spec::ServerSpec;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Answers a call.
type Answerer = Arc<dyn Fn(&Map<String, Value>) -> Reply + Send + Sync>;

/// Servers in memory, by name.
#[derive(Clone, Default)]
pub struct InMemoryConnector {
    servers: BTreeMap<String, InMemoryServer>,
}

impl InMemoryConnector {
    /// Creates a connector without servers.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a server.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, server: InMemoryServer) -> Self {
        self.servers.insert(name.into(), server);
        self
    }
}

impl Connector for InMemoryConnector {
    fn connect<'a>(
        &'a self,
        server: &'a ServerSpec,
    ) -> BoxFuture<'a, Result<Arc<dyn Connection>, McpError>> {
        let found = self.servers.get(&server.name).cloned();
        Box::pin(async move {
            let Some(found) = found else {
                return Err(McpError::unreachable(&server.name, "there is no such server"));
            };
            found.connections.fetch_add(1, Ordering::Relaxed);
            let connection = InMemoryConnection {
                name: server.name.clone(),
                server: found,
                closed: AtomicBool::new(false),
            };
            Ok(Arc::new(connection) as Arc<dyn Connection>)
        })
    }
}

/// A server in memory; its clones are one server.
#[derive(Clone)]
pub struct InMemoryServer {
    tools: Arc<Mutex<Vec<Definition>>>,
    answers: BTreeMap<String, Answerer>,
    revision: Arc<AtomicU64>,
    connections: Arc<AtomicU64>,
    abandoned: Arc<Mutex<Vec<String>>>,
}

impl InMemoryServer {
    /// Returns a server with these tools. One without an answer never answers.
    #[must_use]
    pub fn new(tools: impl IntoIterator<Item = Definition>) -> Self {
        Self {
            tools: Arc::new(Mutex::new(tools.into_iter().collect())),
            answers: BTreeMap::new(),
            revision: Arc::default(),
            connections: Arc::default(),
            abandoned: Arc::default(),
        }
    }

    /// Answers calls of a tool.
    #[must_use]
    pub fn replying(
        mut self,
        tool: impl Into<String>,
        answer: impl Fn(&Map<String, Value>) -> Reply + Send + Sync + 'static,
    ) -> Self {
        self.answers.insert(tool.into(), Arc::new(answer));
        self
    }

    /// Answers calls of a tool with a text.
    #[must_use]
    pub fn answering(
        self,
        tool: impl Into<String>,
        answer: impl Fn(&Map<String, Value>) -> String + Send + Sync + 'static,
    ) -> Self {
        self.replying(tool, move |arguments| answer(arguments).into())
    }

    /// Offers other tools from now on, and sends a notification.
    pub fn change(&self, tools: impl IntoIterator<Item = Definition>) {
        *lock(&self.tools) = tools.into_iter().collect();
        self.revision.fetch_add(1, Ordering::SeqCst);
    }

    /// Returns how often it was connected to.
    #[must_use]
    pub fn connections(&self) -> u64 {
        self.connections.load(Ordering::Relaxed)
    }

    /// Returns the tools whose calls were abandoned.
    #[must_use]
    pub fn abandoned(&self) -> Vec<String> {
        lock(&self.abandoned).clone()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

struct InMemoryConnection {
    name: String,
    server: InMemoryServer,
    closed: AtomicBool,
}

impl InMemoryConnection {
    fn open(&self) -> Result<(), McpError> {
        if !self.is_closed() {
            return Ok(());
        }
        Err(McpError::unreachable(&self.name, "the connection is closed"))
    }
}

/// Notes that a call was given up, when it is dropped before its answer.
struct Pending<'a>(&'a InMemoryConnection, &'a str);

impl Drop for Pending<'_> {
    fn drop(&mut self) {
        lock(&self.0.server.abandoned).push(self.1.to_owned());
    }
}

impl Connection for InMemoryConnection {
    fn offer(&self) -> BoxFuture<'_, Result<Offer, McpError>> {
        Box::pin(async move {
            self.open()?;
            let all = lock(&self.server.tools).clone();
            Ok(Offer::of(all))
        })
    }

    fn call<'a>(
        &'a self,
        tool: &'a str,
        arguments: Map<String, Value>,
        _: Option<&'a str>,
    ) -> BoxFuture<'a, Result<Reply, McpError>> {
        Box::pin(async move {
            self.open()?;
            if !lock(&self.server.tools).iter().any(|known| known.name == tool) {
                return Err(McpError::Refused {
                    server: self.name.clone(),
                    what: format!("`{tool}`"),
                    code: -32602,
                    message: "unknown tool".to_owned(),
                });
            }
            if let Some(answer) = self.server.answers.get(tool) {
                return Ok(answer(&arguments));
            }
            let _pending = Pending(self, tool);
            std::future::pending().await
        })
    }

    fn revision(&self) -> u64 {
        self.server.revision.load(Ordering::SeqCst)
    }

    fn is_closed(&self) -> bool {
        self.closed.load(Ordering::SeqCst)
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        self.closed.store(true, Ordering::SeqCst);
        Box::pin(async {})
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::{self, ServerLog};
    use crate::port::Content;
    use serde_json::json;

    impl ServerLog for InMemoryServer {
        fn change(&self, tools: Vec<Definition>) -> BoxFuture<'_, ()> {
            Self::change(self, tools);
            Box::pin(async {})
        }

        fn abandoned(&self) -> Vec<String> {
            Self::abandoned(self)
        }
    }

    #[tokio::test]
    async fn as_25_in_memory_server_keeps_what_connections_promise() {
        let server = InMemoryServer::new(contract::tools())
            .answering("echo", |given| given["text"].as_str().unwrap_or_default().to_owned())
            .replying("structured", |_| Reply {
                structured: Some(json!({"n": 1})),
                ..Reply::default()
            })
            .replying("fail", |_| Reply {
                content: vec![Content::Text("no luck".to_owned())],
                is_error: true,
                ..Reply::default()
            });
        let connector = InMemoryConnector::new().with("words", server.clone());
        let connection = connector.connect(&ServerSpec::in_memory("words")).await.unwrap();
        contract::suite(connection, &server).await;
        assert!(connector.connect(&ServerSpec::in_memory("other")).await.is_err());
    }
}
