//! The greeting of a connection, and the error when it fails.

use super::{About, translate};
use crate::error::McpError;
use crate::wire::MESSAGE_BYTES;
use rmcp::model::{ErrorCode, ProtocolVersion};
use rmcp::service::{ClientInitializeError, ClientLifecycleMode};

/// The name of the greeting in messages.
pub(super) const GREETING: &str = "the greeting";

/// The greeting of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Greeting {
    /// `initialize`, as in all versions of the protocol before 2026-07-28.
    First,
    /// `server/discover`: later ones have no greeting.
    None,
}

impl Greeting {
    pub(super) fn lifecycle(self) -> ClientLifecycleMode {
        match self {
            Self::First => ClientLifecycleMode::Initialize,
            Self::None => {
                ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::LATEST] }
            }
        }
    }
}

/// A connection that could not be made.
pub(super) struct NotBegun {
    pub(super) error: McpError,
    /// True if the server may be one that knows no greeting.
    pub(super) is_ungreeted: bool,
}

impl From<McpError> for NotBegun {
    fn from(error: McpError) -> Self {
        Self { error, is_ungreeted: false }
    }
}

/// Returns the reason why a connection could not be made; its process is ended.
pub(super) async fn not_begun(about: About, error: &ClientInitializeError) -> NotBegun {
    let stderr = about.stderr().await;
    if let Some(process) = &about.process {
        process.end().await;
    }
    let server = about.server.clone();
    if let Some(error) = about.broken(GREETING) {
        return error.into();
    }
    if let Some(found) = translate::unreadable_greeting(error) {
        return McpError::BadAnswer { server, what: GREETING.to_owned(), found }.into();
    }
    if let ClientInitializeError::TransportError { error, .. } = error
        && translate::is_too_large(error)
    {
        let limit = MESSAGE_BYTES as u64;
        return McpError::TooLarge { server, what: GREETING.to_owned(), limit }.into();
    }
    let is_ungreeted = match error {
        ClientInitializeError::JsonRpcError(error) => is_of_no_greeting(error.code),
        ClientInitializeError::TransportError { error, .. } => translate::is_refusal(error),
        _ => false,
    };
    let reason = translate::no_start(error);
    let error = match about.process {
        Some(_) => McpError::Start { server, reason, stderr },
        None => McpError::Unreachable { server, reason, stderr },
    };
    NotBegun { error, is_ungreeted }
}

/// Reports whether a server that knows no greeting refuses it so.
fn is_of_no_greeting(code: ErrorCode) -> bool {
    [
        ErrorCode::METHOD_NOT_FOUND,
        ErrorCode::INVALID_REQUEST,
        ErrorCode::INVALID_PARAMS,
        ErrorCode::UNSUPPORTED_PROTOCOL_VERSION,
        ErrorCode::HEADER_MISMATCH,
    ]
    .contains(&code)
}
