//! The door to servers, so that programs can be tested without any: [`Connect`](crate::Connect) is
//! the real one, [`InMemoryConnector`](crate::in_memory::InMemoryConnector) stands in memory.

pub use contexture_core::BoxFuture;

use crate::definition::Offer;
use crate::error::McpError;
use crate::spec::ServerSpec;
use serde_json::{Map, Value};
use std::sync::Arc;

/// Makes connections.
pub trait Connector: Send + Sync {
    /// Connects to a server, which may start it.
    fn connect<'a>(
        &'a self,
        server: &'a ServerSpec,
    ) -> BoxFuture<'a, Result<Arc<dyn Connection>, McpError>>;
}

/// A connection to a server. A dropped future abandons its request, and the server is notified.
pub trait Connection: Send + Sync {
    /// Returns the server's current offer.
    fn offer(&self) -> BoxFuture<'_, Result<Offer, McpError>>;

    /// Calls a tool. The key of the call goes along in `_meta`, so that a server which knows it does
    /// nothing twice (WA-4).
    fn call<'a>(
        &'a self,
        tool: &'a str,
        arguments: Map<String, Value>,
        key: Option<&'a str>,
    ) -> BoxFuture<'a, Result<Reply, McpError>>;

    /// Returns a number that rises when the server reports that its tools changed.
    fn revision(&self) -> u64;

    /// Reports whether the server is gone, so that a new connection is needed.
    fn is_closed(&self) -> bool;

    /// Ends the connection, and the process behind it.
    fn close(&self) -> BoxFuture<'_, ()>;
}

/// The field of `_meta` in which the key of a call goes along.
pub const IDEMPOTENCY_KEY: &str = "contexture/idempotencyKey";

/// The result of a tool.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Reply {
    /// Its parts.
    pub content: Vec<Content>,
    /// A value of the shape that the tool's output schema has.
    pub structured: Option<Value>,
    /// True if the tool reports that it failed.
    pub is_error: bool,
}

/// A part of a reply.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Content {
    /// A text.
    Text(String),
    /// Bytes that are not text: their kind and number.
    Bytes {
        /// `image`, `audio` or `resource`.
        kind: &'static str,
        /// Their media type.
        mime: Option<String>,
        /// Their number.
        bytes: u64,
        /// Their source.
        uri: Option<String>,
    },
    /// A text with its source.
    Resource {
        /// Its address at the server.
        uri: String,
        /// Its media type.
        mime: Option<String>,
        /// The text.
        text: String,
    },
    /// The address of something that is not sent along.
    Link {
        /// The address at the server.
        uri: String,
        /// Its name.
        name: String,
    },
}

impl From<String> for Reply {
    fn from(text: String) -> Self {
        Self { content: vec![Content::Text(text)], ..Self::default() }
    }
}
