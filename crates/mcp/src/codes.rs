//! The registry of the codes of MCP servers that a check tells: one stable code per kind of fault.

use contexture_diagnostic::{Code, Severity};

/// No `[mcp.servers.NAME]` stands in `contexture.toml`.
pub const UNKNOWN_SERVER: Code = Code::new(
    "MCP1001",
    "unknown-server",
    Severity::Error,
    "An import names an MCP server that the settings do not have.",
)
.explained(
    "`mcp://name` is a server under `[mcp.servers.name]` in contexture.toml: with `command` and `args`, a \
     process that is started, or with `url`, a server that is connected to. docs/mcp.md shows both.",
);

/// The server's tools were never accepted.
pub const NOT_ACCEPTED: Code = Code::new(
    "MCP1002",
    "not-accepted",
    Severity::Error,
    "The tools of an MCP server have not been accepted.",
)
.explained(
    "What a server says of its tools is read by models, so a person looks at it first. `contexture \
     mcp-servers accept NAME` asks the server, shows its tools and keeps them in contexture.lock, \
     which belongs into version control.",
);

/// The lock file can't be used.
pub const BAD_LOCK: Code = Code::new(
    "MCP1003",
    "bad-lock",
    Severity::Error,
    "contexture.lock can't be used.",
)
.explained(
    "The file keeps the accepted tools of MCP servers, each with the digest of its definition. A \
     definition that does not have its digest was edited by hand or by something else: accept the \
     server again with `contexture mcp-servers accept NAME`, and look at what it shows.",
);

/// The server has no such tool.
pub const UNKNOWN_TOOL: Code = Code::new(
    "MCP1004",
    "unknown-server-tool",
    Severity::Error,
    "An import names a tool that its MCP server does not have.",
)
.explained(
    "The tools of a server are those that were accepted; `contexture mcp-servers list` shows them. A \
     server may have got new ones since: accept it again.",
);

/// All kinds, by code.
pub const ALL: &[Code] = &[UNKNOWN_SERVER, NOT_ACCEPTED, BAD_LOCK, UNKNOWN_TOOL];

/// The kind that a code names.
#[must_use]
pub fn find(code: &str) -> Option<&'static Code> {
    ALL.iter().find(|known| known.code == code)
}
