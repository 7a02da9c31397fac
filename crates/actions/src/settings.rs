//! The settings of the actions: what they work on, and their bounds.

use contexture_tools::{Settings as ToolSettings, Workspace};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The settings of the actions.
#[derive(Clone)]
pub struct Settings {
    /// The folder that files and databases are in. Without it there are only the actions that need
    /// none: `echo`, `fail`, `sleep`, `clock` and `calculator`.
    pub workspace: Option<Arc<Workspace>>,
    /// The limits of files and HTTP, and the private hosts that HTTP may reach. Loopback is
    /// private here: a URL in a flow may come from anywhere.
    pub tools: ToolSettings,
    /// The SQLite file of a query that names none. Without it: the only `*.db`, `*.sqlite` or
    /// `*.sqlite3` in the root of the workspace.
    pub database: Option<String>,
    /// The source of the time.
    pub clock: Arc<dyn Clock>,
    /// The bounds of queries.
    pub limits: Limits,
}

impl Settings {
    /// Returns the settings of a workspace, with defaults for the rest.
    #[must_use]
    pub fn of(workspace: Arc<Workspace>) -> Self {
        Self { workspace: Some(workspace), ..Self::default() }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            workspace: None,
            tools: ToolSettings::default(),
            database: None,
            clock: Arc::new(SystemClock),
            limits: Limits::default(),
        }
    }
}

/// The bounds of queries; a breach is an error, nothing is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Rows of one answer.
    pub rows: u64,
    /// Bytes of one answer, near enough as JSON, and of each text or BLOB on the way to it.
    pub answer_bytes: usize,
    /// Bytes of a database that is made.
    pub database_bytes: usize,
    /// The longest time of a query without a `timeout`.
    pub query: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            rows: 100_000,
            answer_bytes: 16 << 20,
            database_bytes: 64 << 20,
            query: Duration::from_secs(10),
        }
    }
}

/// A source of the time.
pub trait Clock: Send + Sync {
    /// Returns the milliseconds since 1970-01-01 UTC.
    fn now_ms(&self) -> u64;
}

/// The clock of the system.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now_ms(&self) -> u64 {
        let passed = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        u64::try_from(passed.as_millis()).unwrap_or(u64::MAX)
    }
}
