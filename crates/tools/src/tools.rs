//! One entry to all tools: a URI, a method and an argument go in, a value with its trust and its
//! effects comes out.

use crate::arguments::Arguments;
use crate::error::ToolError;
use crate::http::Clients;
use crate::output::ToolOutput;
use crate::settings::{Settings, Shared};
use crate::uri::{ToolKind, is_http};
use crate::workspace::Workspace;
use crate::{credentials, environment, file, http, search};
use contexture_core::signature::{Effect, Method};
use serde_json::Value;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// All tools of one workspace.
#[derive(Debug)]
pub struct Tools {
    shared: Arc<Shared>,
    clients: Clients,
}

impl Tools {
    /// Returns the tools of `workspace`. Nothing is opened or resolved until a call needs it.
    #[must_use]
    pub fn new(workspace: Arc<Workspace>, settings: Settings) -> Self {
        Self { shared: Arc::new(Shared { workspace, settings }), clients: Clients::default() }
    }

    /// Calls a method of a tool (AS-25). Must run inside a tokio runtime with time and I/O.
    ///
    /// Dropping the future cancels the call: a request is cut off, a search stops at its next
    /// file. Writes are not torn: a file has its old text or its new one.
    ///
    /// # Errors
    /// [`ToolError`] with a code, a message without secrets, and how to fix it.
    pub async fn call(
        &self,
        uri: &str,
        method: &str,
        argument: Value,
    ) -> Result<ToolOutput, ToolError> {
        let tool = ToolKind::parse(uri)?;
        let method = tool.method(uri, method)?;
        let argument = match (&tool, method.name) {
            (ToolKind::File, "undo") => file::undo_argument(argument),
            _ => argument,
        };
        let arguments = Arguments::check(uri, method, argument)?;
        let mut output = self.perform(tool, method, arguments).await?;
        output.secrets.extend(self.shared.workspace.secrets());
        Ok(output)
    }

    async fn perform(
        &self,
        tool: ToolKind,
        method: &Method,
        arguments: Arguments,
    ) -> Result<ToolOutput, ToolError> {
        match tool {
            ToolKind::Http(origin) => {
                http::call(&self.clients, &self.shared.settings, &origin, method, &arguments).await
            }
            ToolKind::Find | ToolKind::Grep => self.search(&tool, arguments).await,
            ToolKind::Lines => file::lines(&self.shared, &arguments),
            ToolKind::File => file::call(&self.shared, method, &arguments),
            ToolKind::Environment => {
                Ok(environment::get(&self.shared.settings.environment, &arguments))
            }
        }
    }

    /// Searches on a thread of its own: a tree can take long, and other calls continue meanwhile.
    async fn search(&self, tool: &ToolKind, arguments: Arguments) -> Result<ToolOutput, ToolError> {
        let run = if *tool == ToolKind::Find { search::find } else { search::grep };
        let shared = Arc::clone(&self.shared);
        let stop = StopOnDrop::default();
        let stopped = Arc::clone(&stop.0);
        let task = tokio::task::spawn_blocking(move || run(&shared, &arguments, &stopped));
        task.await.unwrap_or_else(|_| {
            Err(ToolError::new("tool_failed", "the search ended without a result"))
        })
    }

    /// Returns the methods of a tool, so that a model can be offered them.
    ///
    /// # Errors
    /// [`ToolError`] when the URI names no tool.
    pub fn describe(uri: &str) -> Result<&'static [Method], ToolError> {
        Ok(ToolKind::parse(uri)?.methods())
    }

    /// Returns what a method does to the world.
    ///
    /// # Errors
    /// [`ToolError`] when the URI names no tool or the tool has no such method.
    pub fn effect(uri: &str, method: &str) -> Result<Effect, ToolError> {
        Ok(ToolKind::parse(uri)?.method(uri, method)?.effect)
    }

    /// Returns the texts of an argument that must be masked before the call is recorded: the values
    /// of headers that carry credentials.
    #[must_use]
    pub fn secrets_in(uri: &str, argument: &Value) -> Vec<String> {
        if is_http(uri) { credentials::secrets_in(argument) } else { Vec::new() }
    }

    /// Returns the workspace.
    #[must_use]
    pub fn workspace(&self) -> &Workspace {
        &self.shared.workspace
    }
}

/// Tells a search that nobody waits for it any more.
#[derive(Default)]
struct StopOnDrop(Arc<AtomicBool>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
