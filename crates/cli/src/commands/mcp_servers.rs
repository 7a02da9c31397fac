//! `contexture mcp-servers`: the MCP servers of a project and their accepted tools (AS-25).

mod accept;
mod classes;
mod list;
mod servers;
mod tools;

use super::command_group::command_group;

const EXAMPLES: &str = "\
Examples:
  contexture mcp-servers list
  contexture mcp-servers accept packs --workspace examples/mcp

[mcp.servers.NAME] of contexture.toml configures a server; contexture.lock lists the accepted tools.";

command_group! {
    /// Shows the MCP servers of a project and accepts their tool definitions.
    List(list),
    Accept(accept),
}
