//! Tools that others define (AS-2, AS-25, HO-2): `import tool Fs from "mcp://fs"` binds all tools of
//! an MCP server as methods, `import tool Read from "mcp://fs/read_file"` one of them as `run`. A
//! tool of the application is imported in the same way, as `rust://weather` or `rust://weather/now`.
//!
//! Decision: the language knows no protocol and no settings. Which tools there are and what they
//! take is asked of the [`SourceLoader`](crate::host::SourceLoader) before a run, which answers from
//! what was accepted and asks no server; calls go through the [`Host`](crate::host::Host).

pub use contexture_context::field::{FieldFacts, FieldType};
pub use contexture_core::signature::Effect;

use crate::capability;
use crate::syntax::ast::{Import, ImportKind};

/// The method of an import that names one tool.
pub const RUN: &str = "run";

/// The side that defines the tools of an import.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Origin {
    /// An MCP server: `mcp://…`.
    Mcp,
    /// The application that runs the program: `rust://…`.
    Application,
}

/// An imported server, or one tool of it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ServerImport {
    /// The side that defines it.
    pub origin: Origin,
    /// The name of the server.
    pub server: String,
    /// The tool, when one is named.
    pub tool: Option<String>,
}

impl ServerImport {
    /// Parses the URI of a server or of one of its tools; `None` for another kind of URI.
    #[must_use]
    pub fn parse(uri: &str) -> Option<Self> {
        let mcp = capability::server(uri).ok()?.map(|found| (Origin::Mcp, found));
        let native = || Some((Origin::Application, capability::native(uri).ok()??));
        let (origin, (server, tool)) = mcp.or_else(native)?;
        Some(Self { origin, server: server.to_owned(), tool: tool.map(str::to_owned) })
    }

    /// Returns the server of an import; `None` for another kind of import.
    #[must_use]
    pub fn of(import: &Import) -> Option<Self> {
        if import.kind == ImportKind::Tool { Self::parse(&import.from.value) } else { None }
    }

    /// Returns the tool that a method calls: `run` or the tool's own name where the import names one, else
    /// the tool of that name. A tool whose name the language can't write is called with `_` in place of
    /// the invalid characters, as long as the result is unique.
    pub fn tool<'t>(
        &self,
        tools: impl IntoIterator<Item = &'t str>,
        method: &str,
    ) -> Option<&'t str> {
        let mut alike = Vec::new();
        for tool in tools {
            match &self.tool {
                Some(own) if own != tool => continue,
                Some(_) if method == RUN => return Some(tool),
                _ if tool == method => return Some(tool),
                _ if method_name(tool) == method => alike.push(tool),
                _ => {}
            }
        }
        match alike.as_slice() {
            [only] => Some(only),
            _ => None,
        }
    }

    /// Returns the method that calls a tool.
    #[must_use]
    pub fn method(&self, tool: &str) -> String {
        if self.tool.is_some() { RUN.to_owned() } else { method_name(tool) }
    }
}

/// Returns the name of a tool as a program writes it.
pub(crate) fn method_name(tool: &str) -> String {
    let sign = |sign: char| if unicode_ident::is_xid_continue(sign) { sign } else { '_' };
    let name: String = tool.chars().map(sign).collect();
    let begins = name.starts_with(|first| first == '_' || unicode_ident::is_xid_start(first));
    if begins { name } else { format!("_{name}") }
}

/// The facts about a server before a run.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ServerFacts {
    /// Its tools.
    pub tools: Vec<ToolFacts>,
}

impl ServerFacts {
    /// Reports whether a method of an import may change something; an unknown one may.
    #[must_use]
    pub fn writes(&self, import: &ServerImport, method: &str) -> bool {
        self.tool(import, method).is_none_or(|tool| tool.effect.changes())
    }

    /// Returns the tool that a method of an import calls.
    #[must_use]
    pub fn tool(&self, import: &ServerImport, method: &str) -> Option<&ToolFacts> {
        let tool = import.tool(self.tools.iter().map(|tool| tool.name.as_str()), method);
        self.tools.iter().find(|known| Some(known.name.as_str()) == tool)
    }
}

/// The facts about a tool of a server.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolFacts {
    /// Its name at the server.
    pub name: String,
    /// The fields of the object that it takes.
    pub fields: Vec<FieldFacts>,
    /// True if the object may have other fields.
    pub open: bool,
    /// Its effect. That of a server's tool is what a person accepted, whatever the server claims.
    pub effect: Effect,
}

impl ToolFacts {
    /// Returns the required field, if there is one and no other: a bare value stands for it (TY-7).
    #[must_use]
    pub fn only_required(&self) -> Option<&FieldFacts> {
        let mut required = self.fields.iter().filter(|field| field.required);
        required.next().filter(|_| required.next().is_none())
    }
}

/// The reason why the tools of an imported server are unknown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerFault {
    /// The code of the layer that knows servers, such as `MCP1001`.
    pub code: &'static str,
    /// The cause.
    pub message: String,
    /// The way to fix it.
    pub help: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn import(uri: &str) -> ServerImport {
        ServerImport::parse(uri).unwrap()
    }

    #[test]
    fn as_25_method_means_tool_of_same_name() {
        let tools = ["read_file", "get-sum", "a.b", "a-b", "3d", "日本"];
        let server = import("mcp://fs");
        let found = |method: &str| server.tool(tools, method);
        assert_eq!(found("read_file"), Some("read_file"));
        assert_eq!(found("get_sum"), Some("get-sum"));
        assert_eq!(found("_3d"), Some("3d"));
        assert_eq!(found("日本"), Some("日本"));
        assert_eq!(found("a_b"), None, "two tools could be meant");
        assert_eq!(found("run"), None);
        assert_eq!(server.tool(["a-b", "a_b"], "a_b"), Some("a_b"));
        assert_eq!(server.method("get-sum"), "get_sum");
    }

    #[test]
    fn as_25_single_tool_is_called_by_run_or_own_name() {
        let one = import("mcp://fs/get-sum");
        let tools = ["get-sum", "run", "read_file"];
        assert_eq!(one.tool(tools, "run"), Some("get-sum"));
        assert_eq!(one.tool(tools, "get_sum"), Some("get-sum"));
        assert_eq!(one.tool(tools, "read_file"), None);
        assert_eq!(one.tool(["other"], "run"), None);
        assert_eq!(one.method("get-sum"), "run");
    }
}
