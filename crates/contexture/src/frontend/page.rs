//! A front end in memory, for tests and for programs that embed Contexture.

use super::port::{CLIENT_UNAVAILABLE, Frontend, FrontendCall, FrontendFailure, FrontendTool};
use contexture_llm::BoxFuture;
use serde_json::Value;
use std::sync::{Arc, Mutex, PoisonError};

/// The function of a tool of a [`Page`].
type Act = Arc<dyn Fn(&FrontendCall) -> Result<Value, FrontendFailure> + Send + Sync>;

/// A front end whose tools are functions.
#[derive(Clone, Default)]
pub struct Page {
    tools: Vec<(FrontendTool, Act)>,
    called: Arc<Mutex<Vec<FrontendCall>>>,
}

impl Page {
    /// Returns a front end without tools.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Announces a tool.
    #[must_use]
    pub fn with(
        mut self,
        tool: FrontendTool,
        act: impl Fn(&FrontendCall) -> Result<Value, FrontendFailure> + Send + Sync + 'static,
    ) -> Self {
        self.tools.push((tool, Arc::new(act)));
        self
    }

    /// Returns the calls so far, in the order they came.
    #[must_use]
    pub fn calls(&self) -> Vec<FrontendCall> {
        self.called.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl std::fmt::Debug for Page {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let tools: Vec<&str> = self.tools.iter().map(|(tool, _)| tool.tool_id.as_str()).collect();
        f.debug_struct("Page").field("tools", &tools).finish_non_exhaustive()
    }
}

impl Frontend for Page {
    fn definitions(&self) -> Vec<FrontendTool> {
        self.tools.iter().map(|(tool, _)| tool.clone()).collect()
    }

    fn call(&self, call: FrontendCall) -> BoxFuture<'_, Result<Value, FrontendFailure>> {
        Box::pin(async move {
            self.called.lock().unwrap_or_else(PoisonError::into_inner).push(call.clone());
            match self.tools.iter().find(|(tool, _)| tool.tool_id == call.tool_id) {
                Some((_, act)) => act(&call),
                None => Err(FrontendFailure::new(
                    CLIENT_UNAVAILABLE,
                    format!("no client has the tool `{}`", call.tool_id),
                )),
            }
        })
    }
}
