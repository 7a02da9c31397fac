//! A tool of the server: what is listed, and what a call does.

use crate::fault::Fault;
use rmcp::RoleServer;
use rmcp::model::{CallToolResult, ContentBlock, MetaObject, Tool as Definition};
use rmcp::service::RequestContext;
use serde_json::{Map, Value};
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex};

/// What [`Tool::call`] returns.
pub(crate) type CallFuture<'a> = Pin<Box<dyn Future<Output = Result<Given, Fault>> + Send + 'a>>;

/// A tool.
pub(crate) trait Tool: Send + Sync {
    /// What is listed; made once.
    fn definition(&self) -> &Definition;

    /// Answers a call.
    fn call(&self, call: Call) -> CallFuture<'_>;
}

/// What a conversation has of packs, so that a guide comes once (KN-7, KN-14).
pub(crate) type Conversation = Arc<Mutex<contexture::knowledge::session::Session>>;

/// One call of a tool.
pub(crate) struct Call {
    /// The arguments: an object.
    pub(crate) arguments: Value,
    /// What the conversation has of packs.
    pub(crate) conversation: Conversation,
    /// Cancellation, progress, and the client.
    pub(crate) context: RequestContext<RoleServer>,
}

impl Call {
    /// An argument that is a text.
    pub(crate) fn text(&self, name: &str) -> &str {
        self.arguments.get(name).and_then(Value::as_str).unwrap_or_default()
    }
}

/// What a call gives.
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
    /// A text alone.
    pub(crate) fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// The answer to the call.
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
