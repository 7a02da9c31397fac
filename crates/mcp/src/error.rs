//! Errors of servers and their tools.

use crate::lock::LockError;
use contexture_diagnostic::MissingFeature;
use serde_json::{Value, json};

/// The reason why a tool of a server could not be used.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum McpError {
    /// The settings have no such server.
    #[error("there is no MCP server `{server}` in the settings")]
    UnknownServer {
        /// The name that was asked for.
        server: String,
        /// One that may be meant.
        near: Option<String>,
    },
    /// Its tools were never accepted.
    #[error("the tools of the MCP server `{server}` have not been accepted")]
    NotAccepted {
        /// The server.
        server: String,
    },
    /// The settings of a project name it, and nobody here has allowed to use it.
    #[error(
        "the settings of this project would have the MCP server `{server}` used, {what}, and {reason}"
    )]
    NotAllowed {
        /// The server.
        server: String,
        /// The consequence: which program would be started, or where a token would be sent.
        what: String,
        /// The reason why it may not be used.
        reason: String,
        /// The argument that allows it in its present state: `name@sha256:…`.
        allowance: String,
    },
    /// The lock file can't be read.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// The server has no such accepted tool.
    #[error("the MCP server `{server}` has no tool `{tool}` that was accepted")]
    UnknownTool {
        /// The server.
        server: String,
        /// The tool that was asked for.
        tool: String,
        /// The way to fix it.
        help: String,
    },
    /// The server changed the definition of a tool that was accepted.
    #[error(
        "the MCP server `{server}` changed what it says of `{tool}` ({parts}); it is refused until it is accepted"
    )]
    Changed {
        /// The server.
        server: String,
        /// The tool.
        tool: String,
        /// The parts that changed.
        parts: String,
    },
    /// The server no longer offers a tool that was accepted.
    #[error("the MCP server `{server}` no longer offers `{tool}`")]
    Gone {
        /// The server.
        server: String,
        /// The tool.
        tool: String,
    },
    /// The process could not be started, or ended before it answered.
    #[error("the MCP server `{server}` did not start: {reason}")]
    Start {
        /// The server.
        server: String,
        /// The cause.
        reason: String,
        /// The end of what it wrote to stderr, masked.
        stderr: String,
    },
    /// It could not be reached, or the connection broke off.
    #[error("the MCP server `{server}` can't be reached: {reason}")]
    Unreachable {
        /// The server.
        server: String,
        /// The cause.
        reason: String,
        /// The end of what it wrote to stderr, masked.
        stderr: String,
    },
    /// It did not answer in time.
    #[error("the MCP server `{server}` did not answer {what} within {ms} ms")]
    Timeout {
        /// The server.
        server: String,
        /// The request.
        what: String,
        /// The time that it had, in milliseconds.
        ms: u128,
    },
    /// The arguments do not fit the tool.
    #[error("{}", faults.join("; "))]
    Arguments {
        /// The faults in them.
        faults: Vec<String>,
        /// The way to fix it.
        help: String,
    },
    /// The tool reports that it failed.
    #[error("`{tool}` of the MCP server `{server}` failed: {message}")]
    Failed {
        /// The server.
        server: String,
        /// The tool.
        tool: String,
        /// Its message, shortened.
        message: String,
        /// Its whole content.
        content: Value,
    },
    /// The server refused the request.
    #[error("the MCP server `{server}` refused {what}: {message} ({code})")]
    Refused {
        /// The server.
        server: String,
        /// The request.
        what: String,
        /// The code of its error.
        code: i64,
        /// Its message.
        message: String,
    },
    /// The answer is larger than the limit.
    #[error("the MCP server `{server}` answered {what} with more than {limit} bytes")]
    TooLarge {
        /// The server.
        server: String,
        /// The request.
        what: String,
        /// The limit in bytes.
        limit: u64,
    },
    /// This build can't connect to servers.
    #[error(transparent)]
    MissingFeature(#[from] MissingFeature),
    /// The answer has no known form.
    #[error("the MCP server `{server}` answered {what} with {found}")]
    BadAnswer {
        /// The server.
        server: String,
        /// The request.
        what: String,
        /// The found answer.
        found: String,
    },
}

impl McpError {
    /// Returns the code that programs see.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::UnknownServer { .. } => "mcp_unknown_server",
            Self::NotAccepted { .. } => "mcp_not_accepted",
            Self::NotAllowed { .. } => "mcp_not_allowed",
            Self::Lock(_) => "mcp_lock",
            Self::UnknownTool { .. } => "mcp_unknown_tool",
            Self::Changed { .. } | Self::Gone { .. } => "mcp_changed",
            Self::Start { .. } => "mcp_start",
            Self::Unreachable { .. } => "mcp_unreachable",
            Self::Timeout { .. } => "mcp_timeout",
            Self::Arguments { .. } => "bad_argument",
            Self::Failed { .. } => "mcp_tool_failed",
            Self::Refused { .. } => "mcp_refused",
            Self::TooLarge { .. } => "mcp_too_large",
            Self::BadAnswer { .. } => "mcp_bad_answer",
            Self::MissingFeature(_) => MissingFeature::CODE,
        }
    }

    /// Returns how to fix it.
    #[must_use]
    pub fn help(&self) -> Option<String> {
        Some(match self {
            Self::UnknownServer { near: Some(near), .. } => format!("did you mean `mcp://{near}`?"),
            Self::UnknownServer { server, near: None } => {
                format!(
                    "describe it in contexture.toml under [mcp.servers.{server}], with `command` or `url`"
                )
            }
            Self::NotAccepted { server } => {
                format!("look at them and accept them: `contexture mcp-servers accept {server}`")
            }
            Self::NotAllowed { server, allowance, .. } => format!(
                "if you trust it, allow it with `contexture mcp-servers accept {server}`, or with `--allow-server {allowance}`"
            ),
            Self::Lock(error) => error.help(),
            Self::UnknownTool { help, .. } | Self::Arguments { help, .. } => help.clone(),
            Self::Changed { server, .. } | Self::Gone { server, .. } => format!(
                "see what changed with `contexture mcp-servers list`, and accept it with `contexture mcp-servers accept {server}`"
            ),
            Self::Start { stderr, server, .. } | Self::Unreachable { stderr, server, .. } => {
                if stderr.is_empty() {
                    format!("see [mcp.servers.{server}] in contexture.toml")
                } else {
                    format!("the server wrote: {stderr}")
                }
            }
            Self::Timeout { server, .. } => {
                format!(
                    "raise `timeout_ms` of [mcp.servers.{server}] in contexture.toml if it needs longer"
                )
            }
            Self::TooLarge { .. } => "ask for less at once".to_owned(),
            Self::MissingFeature(missing) => missing.help(),
            Self::Failed { .. } | Self::Refused { .. } | Self::BadAnswer { .. } => return None,
        })
    }

    /// Returns further data for a program.
    #[must_use]
    pub fn details(&self) -> Option<Value> {
        match self {
            Self::Failed { content, .. } => Some(json!({ "content": content })),
            Self::Refused { code, .. } => Some(json!({ "code": code })),
            Self::Arguments { faults, .. } => Some(json!({ "faults": faults })),
            _ => None,
        }
    }

    /// Returns a server that no process stands behind and that can't be reached.
    pub(crate) fn unreachable(server: &str, reason: impl Into<String>) -> Self {
        Self::Unreachable {
            server: server.to_owned(),
            reason: reason.into(),
            stderr: String::new(),
        }
    }

    /// Reports whether the connection is of no more use.
    pub(crate) const fn ends_connection(&self) -> bool {
        matches!(self, Self::Unreachable { .. } | Self::Start { .. } | Self::TooLarge { .. })
    }
}
