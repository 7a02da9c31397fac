//! Client of MCP servers: their tools, checked and pinned (AS-25).
