//! The registry of the codes that a check of MCP servers reports: one per kind of fault.

pub use contexture_diagnostic::{Code, Codes};

contexture_diagnostic::codes! {
    UNKNOWN_SERVER "MCP1001" "unknown-server" Error
        "An import names an MCP server that the settings do not have."
        "`mcp://name` is a server under `[mcp.servers.name]` in contexture.toml: with `command` and `args`, a process that is started, or with `url`, a server that is connected to. docs/mcp.md shows both."
    NOT_ACCEPTED "MCP1002" "not-accepted" Error
        "The tools of an MCP server have not been accepted."
        "What a server says of its tools is read by models, so a person looks at it first. `contexture mcp-servers accept NAME` asks the server, shows its tools and keeps them in contexture.lock, which belongs into version control."
    BAD_LOCK "MCP1003" "bad-lock" Error
        "contexture.lock can't be used."
        "The file keeps the accepted tools of MCP servers, each with the digest of its definition. A definition that does not have its digest was edited by hand or by something else: accept the server again with `contexture mcp-servers accept NAME`, and look at what it shows."
    UNKNOWN_TOOL "MCP1004" "unknown-server-tool" Error
        "An import names a tool that its MCP server does not have."
        "The tools of a server are those that were accepted; `contexture mcp-servers list` shows them. A server may have got new ones since: accept it again."
}

/// All kinds.
pub const ALL: Codes = Codes::new(&[TABLE]);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kn_16_codes_of_servers_are_unique_ordered_and_explained() {
        assert_eq!(ALL.faults(), [""; 0]);
    }
}
