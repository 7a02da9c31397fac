//! The servers of a run: each connected to when it is first needed, and checked against its pins.

#[cfg(test)]
mod tests;

use crate::answer;
use crate::compare::{State, compare};
use crate::definition::{Definition, Offer};
use crate::error::McpError;
use crate::lock::{Lock, LockError};
use crate::port::{Connection, Connector, Reply};
use crate::schema;
use crate::spec::ServerSpec;
use contexture_context::json::bytes_of;
use contexture_core::policy::Class;
use contexture_core::signature::ObjectSignature;
use contexture_diagnostic::{nearest, suggestion};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::sync::Arc;
use tokio::sync::Mutex;
use tokio::time::timeout;

/// Limits of what servers may send.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of one result, as JSON.
    pub result_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { result_bytes: 8 << 20 }
    }
}

/// The length of a tool's own words that a message repeats.
const MESSAGE_CHARS: usize = 400;

/// The servers of a run.
pub struct Servers {
    known: BTreeMap<String, Known>,
    lock: Result<Lock, LockError>,
    connector: Arc<dyn Connector>,
    limits: Limits,
}

struct Known {
    spec: ServerSpec,
    open: Mutex<Option<Open>>,
}

/// A connection, and the tools that it offered when it was last asked.
#[derive(Clone)]
struct Open {
    connection: Arc<dyn Connection>,
    offer: Arc<Offer>,
    revision: u64,
}

impl Servers {
    /// Returns the servers of a run; `lock` is what was accepted.
    #[must_use]
    pub fn new(
        specs: impl IntoIterator<Item = ServerSpec>,
        lock: Result<Lock, LockError>,
        connector: Arc<dyn Connector>,
        limits: Limits,
    ) -> Self {
        let known = |spec: ServerSpec| (spec.name.clone(), Known { spec, open: Mutex::default() });
        Self { known: specs.into_iter().map(known).collect(), lock, connector, limits }
    }

    /// Returns the names of the servers.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.known.keys().map(String::as_str)
    }

    /// Returns the accepted tools of a server, sorted by name.
    ///
    /// # Errors
    /// [`McpError::UnknownServer`], [`McpError::NotAccepted`] or [`McpError::Lock`].
    pub fn pinned(&self, server: &str) -> Result<&[Definition], McpError> {
        self.known(server)?;
        let lock = self.lock.as_ref().map_err(|error| McpError::Lock(error.clone()))?;
        lock.pinned(server).ok_or_else(|| McpError::NotAccepted { server: server.to_owned() })
    }

    /// Returns the class of a tool: what a person gave to it, else the worst.
    #[must_use]
    pub fn class(&self, server: &str, tool: &str) -> Class {
        self.given_class(server, tool).unwrap_or(Class::Execute)
    }

    /// Returns the class that a person gave to a tool.
    #[must_use]
    pub fn given_class(&self, server: &str, tool: &str) -> Option<Class> {
        self.lock.as_ref().ok()?.class(server, tool)
    }

    /// Returns an accepted tool.
    ///
    /// # Errors
    /// As [`Self::pinned`], and [`McpError::UnknownTool`].
    pub fn tool(&self, server: &str, tool: &str) -> Result<&Definition, McpError> {
        let pinned = self.pinned(server)?;
        pinned.iter().find(|known| known.name == tool).ok_or_else(|| {
            let names = pinned.iter().map(|known| known.name.as_str());
            let help = suggestion(tool, names).unwrap_or_else(|| {
                format!("`contexture mcp-servers list {server}` shows its tools; new ones are to be accepted")
            });
            McpError::UnknownTool { server: server.to_owned(), tool: tool.to_owned(), help }
        })
    }

    /// Returns the current offer of a server: its tools, and those left out as unusable.
    ///
    /// # Errors
    /// [`McpError`] when it is unknown or can't be reached, or answers something else.
    pub async fn offer(&self, server: &str) -> Result<Offer, McpError> {
        Ok(Offer::clone(&self.open(self.known(server)?).await?.offer))
    }

    /// Connects to a server and checks that its definition of every accepted tool is the accepted
    /// one.
    ///
    /// # Errors
    /// As [`Self::pinned`] and [`Self::offer`], and [`McpError::Changed`] or [`McpError::Gone`].
    pub async fn verify(&self, server: &str) -> Result<(), McpError> {
        let pinned = self.pinned(server)?;
        let open = self.open(self.known(server)?).await?;
        pinned.iter().try_for_each(|pin| unchanged(server, pin, &open.offer.tools))
    }

    /// Returns the argument of a tool as it is sent; `name` stands in messages.
    ///
    /// # Errors
    /// As [`Self::tool`], and [`McpError::Arguments`].
    pub fn arguments(
        &self,
        (server, tool): (&str, &str),
        name: &str,
        argument: Value,
    ) -> Result<Map<String, Value>, McpError> {
        let signature = ObjectSignature::of(&self.tool(server, tool)?.input_schema);
        signature
            .check(name, argument)
            .map_err(|faults| McpError::Arguments { faults, help: signature.usage() })
    }

    /// Calls an accepted tool and returns the value of its answer. A dropped future abandons the
    /// call, and the server is notified.
    ///
    /// # Errors
    /// [`McpError`].
    pub async fn call(&self, server: &str, tool: &str, argument: Value) -> Result<Value, McpError> {
        self.call_under(server, tool, argument, None).await
    }

    /// Calls a tool as [`Servers::call`] does; the key of the call goes along.
    ///
    /// # Errors
    /// As [`Servers::call`].
    pub async fn call_under(
        &self,
        server: &str,
        tool: &str,
        argument: Value,
        key: Option<&str>,
    ) -> Result<Value, McpError> {
        let arguments = self.arguments((server, tool), &format!("{server}.{tool}"), argument)?;
        let pin = self.tool(server, tool)?;
        let known = self.known(server)?;
        let open = self.open(known).await?;
        unchanged(server, pin, &open.offer.tools)?;
        let what = format!("`{tool}`");
        let reply = within(&known.spec, &what, open.connection.call(tool, arguments, key)).await;
        if reply.as_ref().is_err_and(McpError::ends_connection) {
            self.forget(known, &open).await;
        }
        self.value(server, pin, reply?)
    }

    fn value(&self, server: &str, pin: &Definition, reply: Reply) -> Result<Value, McpError> {
        let tool = pin.name.as_str();
        if !reply.is_error {
            fits(server, pin, reply.structured.as_ref())?;
        }
        let failed = reply.is_error.then(|| answer::words(&reply));
        let value = answer::value(reply);
        let limit = self.limits.result_bytes;
        if bytes_of(&value) > limit {
            let (server, what) = (server.to_owned(), format!("`{tool}`"));
            return Err(McpError::TooLarge { server, what, limit });
        }
        let Some(words) = failed else { return Ok(value) };
        Err(McpError::Failed {
            server: server.to_owned(),
            tool: tool.to_owned(),
            message: shortened(&words),
            content: value,
        })
    }

    /// Ends all connections, and the processes behind them.
    pub async fn close(&self) {
        for known in self.known.values() {
            let open = known.open.lock().await.take();
            if let Some(open) = open {
                open.connection.close().await;
            }
        }
    }

    fn known(&self, server: &str) -> Result<&Known, McpError> {
        self.known.get(server).ok_or_else(|| McpError::UnknownServer {
            server: server.to_owned(),
            near: nearest(server, self.names()).map(str::to_owned),
        })
    }

    /// Returns the connection to a server with the tools that it offers: a new one when there is
    /// none, and the tools read again when the server reported that they changed.
    async fn open(&self, known: &Known) -> Result<Open, McpError> {
        let mut open = known.open.lock().await;
        let connection = match &*open {
            Some(open) if !open.connection.is_closed() => {
                if open.revision == open.connection.revision() {
                    return Ok(open.clone());
                }
                Arc::clone(&open.connection)
            }
            _ => {
                *open = None;
                within(&known.spec, "the connection", self.connector.connect(&known.spec)).await?
            }
        };
        // Read before the list: a change in between makes the list be asked for once more.
        let revision = connection.revision();
        let listed = within(&known.spec, "the list of its tools", connection.offer()).await;
        let offer = match listed {
            Ok(offer) => Arc::new(offer),
            Err(error) => {
                *open = None;
                connection.close().await;
                return Err(error);
            }
        };
        let fresh = Open { connection, offer, revision };
        *open = Some(fresh.clone());
        Ok(fresh)
    }

    /// Drops a connection that is of no more use; the next call makes a new one.
    async fn forget(&self, known: &Known, broken: &Open) {
        let mut open = known.open.lock().await;
        if open.as_ref().is_some_and(|open| Arc::ptr_eq(&open.connection, &broken.connection)) {
            *open = None;
        }
        drop(open);
        broken.connection.close().await;
    }
}

/// Reports whether a tool is still what was accepted.
fn unchanged(server: &str, pin: &Definition, offered: &[Definition]) -> Result<(), McpError> {
    let pin = std::slice::from_ref(pin);
    let compared = compare(pin, offered).into_iter().find(|one| one.pinned.is_some());
    let Some(compared) = compared else { return Ok(()) };
    let (server, tool) = (server.to_owned(), compared.name.to_owned());
    match compared.state {
        State::Same | State::New => Ok(()),
        State::Gone => Err(McpError::Gone { server, tool }),
        State::Changed => {
            Err(McpError::Changed { server, tool, parts: compared.parts().join(", ") })
        }
    }
}

/// Reports whether an answer has the form that the accepted definition promises.
fn fits(server: &str, pin: &Definition, answer: Option<&Value>) -> Result<(), McpError> {
    let Some(promised) = &pin.output_schema else { return Ok(()) };
    let found = match answer {
        None => "no structured result, which its output schema promises".to_owned(),
        Some(answer) => match schema::check(promised, answer) {
            Ok(()) => return Ok(()),
            Err(misfit) => format!("what does not fit its output schema: {misfit}"),
        },
    };
    Err(McpError::BadAnswer { server: server.to_owned(), what: format!("`{}`", pin.name), found })
}

async fn within<T>(
    spec: &ServerSpec,
    what: &str,
    work: impl Future<Output = Result<T, McpError>>,
) -> Result<T, McpError> {
    timeout(spec.timeout, work).await.unwrap_or_else(|_| {
        let (server, what) = (spec.name.clone(), what.to_owned());
        Err(McpError::Timeout { server, what, ms: spec.timeout.as_millis() })
    })
}

/// Returns one line, and no longer than a message may be; the whole stands in the details.
fn shortened(words: &str) -> String {
    let line = words.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.is_empty() {
        return "it does not say why".to_owned();
    }
    match line.char_indices().nth(MESSAGE_CHARS) {
        Some((at, _)) => format!("{}…", line.get(..at).unwrap_or_default()),
        None => line,
    }
}
