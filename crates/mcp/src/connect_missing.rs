//! In place of connections to real servers in a build without the feature `client`.

use crate::error::McpError;
use crate::port::{BoxFuture, Connection, Connector};
use crate::spec::ServerSpec;
use contexture_core::masker::Masker;
use contexture_diagnostic::MissingFeature;
use std::sync::Arc;

const MISSING: MissingFeature = MissingFeature { part: "client of MCP servers", feature: "mcp" };

/// The settings of all connections.
#[derive(Debug, Clone, Default)]
pub struct ConnectSettings {
    /// Takes secrets out of what servers write to stderr.
    pub masker: Arc<Masker>,
}

/// Refuses every connection.
#[derive(Clone, Default)]
pub struct Connect;

impl Connect {
    /// Refuses connections, whatever the settings.
    #[must_use]
    pub fn new(_settings: ConnectSettings) -> Self {
        Self
    }
}

impl Connector for Connect {
    fn connect<'a>(
        &'a self,
        _server: &'a ServerSpec,
    ) -> BoxFuture<'a, Result<Arc<dyn Connection>, McpError>> {
        Box::pin(std::future::ready(Err(MISSING.into())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Definition, Limits, Lock, Servers};
    use serde_json::json;

    #[test]
    fn as_25_mcp_client_left_out_of_build_names_feature() {
        let shout = Definition::new("shout", json!({"type": "object"}));
        let mut lock = Lock::default();
        lock.accept("words", vec![shout], &crate::Classes::new());
        let specs = [ServerSpec::in_memory("words")];
        let servers = Servers::new(specs, Ok(lock), Arc::new(Connect), Limits::default());
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let error = runtime.block_on(servers.call("words", "shout", json!({}))).unwrap_err();
        assert_eq!(error.code(), "missing_feature");
        assert_eq!(error.help().as_deref(), Some("build contexture with the feature `mcp`"));
    }
}
