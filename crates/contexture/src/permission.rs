//! Asking the user before something is done that is marked sensitive (CP-14, CP-19).
//!
//! Decision: a run knows of it by this one small port, as it knows clients by
//! [`Frontend`](crate::frontend::Frontend). What is sensitive, who is asked, whether an earlier yes
//! still holds and how long an answer may take is the business of what stands behind it. Without
//! anything behind it nobody is asked: whoever starts a run by hand is there and meant it.

use crate::frontend::FrontendFailure;
use contexture_llm::BoxFuture;
use serde_json::{Map, Value};

/// Asks the user.
pub trait Permission: Send + Sync {
    /// Whether an action may be done: at once where nobody has to be asked, else when the user
    /// answered. The future is dropped when the answer is no longer wanted.
    ///
    /// # Errors
    /// In the future: [`PERMISSION_DENIED`](crate::frontend::PERMISSION_DENIED) when the user said
    /// no or nobody could be asked, [`TIMEOUT`](crate::frontend::TIMEOUT) when no answer came in
    /// time. The action is not done then.
    fn ask<'a>(&'a self, action: Action<'a>) -> BoxFuture<'a, Result<(), FrontendFailure>>;
}

/// Something that is about to be done.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Action<'a> {
    /// Its name: of a step the action's, of a tool that a program calls what [`name_of`] gives.
    pub name: &'a str,
    /// What it is given, as far as the user may see it.
    pub parameters: &'a Map<String, Value>,
    /// What the user is asked, in words of whoever wants it done. An action that brings such words
    /// is sensitive by that alone.
    pub prompt: Option<&'a str>,
}

/// The name by which a tool of a program is known where permissions are set: `file.write`,
/// `http.post` (of `https://` too), `sh.grep`, `env.get`.
///
/// ```
/// use contexture::permission::name_of;
/// assert_eq!(name_of("https://api.example.com", "post"), "http.post");
/// assert_eq!(name_of("sh://grep", "run"), "sh.grep");
/// assert_eq!(name_of("file://workspace", "write"), "file.write");
/// ```
#[must_use]
pub fn name_of(uri: &str, method: &str) -> String {
    let (scheme, rest) = uri.split_once("://").unwrap_or((uri, ""));
    match scheme.to_ascii_lowercase().as_str() {
        "https" => format!("http.{method}"),
        "sh" => format!("sh.{rest}"),
        scheme => format!("{scheme}.{method}"),
    }
}

/// The name of a tool of an MCP server: `mcp:server/tool`.
#[must_use]
pub fn name_of_server_tool(server: &str, tool: &str) -> String {
    format!("mcp:{server}/{tool}")
}
