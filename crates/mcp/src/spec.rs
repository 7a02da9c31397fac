//! The address of a server.

use contexture_core::Secret;
use std::path::PathBuf;
use std::time::Duration;

/// A server that programs may talk to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerSpec {
    /// Its name, as in `mcp://name`.
    pub name: String,
    /// The way to reach it.
    pub transport: Transport,
    /// The time that connecting, listing the tools, and each call may take.
    pub timeout: Duration,
}

/// The way to reach a server.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Transport {
    /// A process that is started and spoken to over stdin and stdout.
    Process {
        /// The program: a path, or a name that is looked for in `search`.
        command: String,
        /// Its arguments, each as it is.
        args: Vec<String>,
        /// All variables that it gets.
        env: Vec<(String, Secret)>,
        /// The folder that it runs in; a relative path as `command` starts there.
        folder: PathBuf,
        /// The folders in which a command without a path is looked for, as `PATH` lists them.
        search: String,
    },
    /// A server over streamable HTTP.
    Http {
        /// Its address.
        url: String,
        /// The variable that holds the bearer token, if the server wants one.
        token_env: Option<String>,
        /// The token, when the variable is set.
        token: Option<Secret>,
        /// Hosts (`host` or `host:port`) that may have a private address.
        allow_private: Vec<String>,
    },
    /// Nothing real: for [`in_memory`](crate::in_memory).
    InMemory,
}

impl ServerSpec {
    /// The time that a call may take by default.
    pub const TIMEOUT: Duration = Duration::from_secs(30);

    /// Returns a server of [`in_memory`](crate::in_memory).
    #[must_use]
    pub fn in_memory(name: impl Into<String>) -> Self {
        Self { name: name.into(), transport: Transport::InMemory, timeout: Self::TIMEOUT }
    }
}
