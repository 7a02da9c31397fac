//! The trait of the tools of the server.

use crate::fault::Fault;
use crate::mcp::client::Client;
use parking_lot::Mutex;
use rmcp::model::{CallToolResult, ContentBlock, MetaObject, Tool as Definition};
use serde_json::{Map, Value};
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

pub(crate) type CallFuture<'a> = Pin<Box<dyn Future<Output = Result<Given, Fault>> + Send + 'a>>;

pub(crate) trait Tool: Send + Sync {
    /// Returns the definition, which is made once.
    fn definition(&self) -> &Definition;

    fn call(&self, call: Call) -> CallFuture<'_>;

    /// Reports whether a call may take long, and may ask the person at the client.
    fn is_long(&self) -> bool {
        false
    }
}

/// The packs that a conversation has seen, so that a guide is sent once (KN-7, KN-14).
pub(crate) type Conversation = Arc<Mutex<contexture::knowledge::session::Session>>;

pub(crate) struct Call {
    /// The arguments: an object.
    pub(crate) arguments: Value,
    /// The packs that the conversation has seen.
    pub(crate) conversation: Conversation,
    /// The client that waits for the result.
    pub(crate) client: Client,
    /// True if the client may be another machine's, which learns no hosts and paths.
    pub(crate) is_remote: bool,
}

impl Call {
    pub(crate) fn text(&self, name: &str) -> &str {
        self.arguments.get(name).and_then(Value::as_str).unwrap_or_default()
    }
}

/// The result of a call.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Given {
    /// For the model.
    pub(crate) text: String,
    /// For programs.
    pub(crate) structured: Option<Value>,
    /// About the call.
    pub(crate) meta: Map<String, Value>,
}

impl Given {
    /// Creates a result of text only.
    pub(crate) fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    pub(crate) fn into_result(self) -> CallToolResult {
        let mut result = CallToolResult::success(vec![ContentBlock::text(self.text)]);
        result.structured_content = self.structured;
        if !self.meta.is_empty() {
            let mut meta = MetaObject::new();
            meta.0.extend(self.meta);
            result.meta = Some(meta);
        }
        result
    }
}
