//! The settings of tools, and what every call has at hand.

use crate::workspace::Workspace;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The settings of tools, which the caller decides.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// Upper bounds of what tools read and return.
    pub limits: ToolLimits,
    /// The variables that `env://process` reads.
    pub environment: BTreeMap<String, String>,
    /// Hosts (`host` or `host:port`) that HTTP may reach although their address is private,
    /// link-local or otherwise not public. Loopback needs no entry where the import itself names
    /// it (`http://localhost:8080`).
    pub allow_private: Vec<String>,
}

/// Upper bounds; breaching one is an error that names it, or a note where a list is shortened.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolLimits {
    /// Bytes of a file that is read, searched or written.
    pub file_bytes: u64,
    /// Bytes of a former content that an effect keeps for undo.
    pub undo_bytes: u64,
    /// Entries of one folder that is listed.
    pub list_entries: usize,
    /// Files and folders that one search looks at.
    pub walk_entries: usize,
    /// Bytes of one regular expression when compiled.
    pub pattern_bytes: usize,
    /// Characters of one line that `sh://grep` returns.
    pub line_chars: usize,
    /// Bytes of an HTTP body, either way.
    pub body_bytes: usize,
    /// Milliseconds for an HTTP call without a `timeout`.
    pub timeout_ms: u64,
}

impl Default for ToolLimits {
    fn default() -> Self {
        Self {
            file_bytes: 64 << 20,
            undo_bytes: 1 << 20,
            list_entries: 10_000,
            walk_entries: 1_000_000,
            pattern_bytes: 10 << 20,
            line_chars: 1_000,
            body_bytes: 16 << 20,
            timeout_ms: 30_000,
        }
    }
}

/// The state that a blocking call takes along to its thread.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) workspace: Arc<Workspace>,
    pub(crate) settings: Settings,
}
