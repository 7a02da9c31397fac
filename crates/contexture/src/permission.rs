//! Asking the user before a sensitive action (CP-14, CP-19).
//!
//! Decision: a run uses this one small port, as it uses [`Frontend`](crate::frontend::Frontend) for
//! clients. Its implementation decides what is sensitive, who is asked, whether an earlier yes
//! still holds and how long an answer may take. Without one nobody can be asked: what the policy wants
//! a person's yes for is refused then.

use crate::frontend::FrontendFailure;
use contexture_core::policy::{Class, Decision};
use contexture_core::signature::Effect;
use contexture_llm::BoxFuture;
use contexture_tools::Tools;
use serde_json::{Map, Value};

/// A port that asks the user for permission.
pub trait Permission: Send + Sync {
    /// Asks whether an action may be done: returns at once if nobody has to be asked, else when the
    /// user has answered. The future is dropped when the answer is no longer wanted.
    ///
    /// # Errors
    /// In the future: [`PERMISSION_DENIED`](crate::frontend::PERMISSION_DENIED) when the user
    /// refused or nobody could be asked,
    /// [`CLIENT_UNAVAILABLE`](crate::frontend::CLIENT_UNAVAILABLE) when the policy demands a yes
    /// and nobody can be asked, [`TIMEOUT`](crate::frontend::TIMEOUT) when no answer came
    /// in time. The action is not done then.
    fn ask<'a>(&'a self, action: Action<'a>) -> BoxFuture<'a, Result<(), FrontendFailure>>;
}

/// An action that is about to be done.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Action<'a> {
    /// Its name: that of a step's action, or the result of [`name_of`] for a tool of a program.
    pub name: &'a str,
    /// The name of what it calls: another one for a tool that the settings name.
    pub target: &'a str,
    /// Its parameters, as far as the user may see them.
    pub parameters: &'a Map<String, Value>,
    /// What the policy demands a person's yes for; none when it allows the action.
    pub policy: Option<&'a Decision>,
    /// The question to the user, in the words of the requester. An action with such words is
    /// sensitive by that alone.
    pub prompt: Option<&'a str>,
    /// The step of a flow that does it; none when a program or a model does.
    pub step: Option<ActionStep<'a>>,
    /// The id of the call of a program or a model: the same when its run is taken up again.
    pub call: Option<&'a str>,
}

/// The attempt of a step that does an action: the same when its run is resumed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ActionStep<'a> {
    /// The run of the set.
    pub run: &'a str,
    /// The step.
    pub id: &'a str,
    /// The number of the attempt, from 1.
    pub attempt: u32,
}

/// Returns the name of a program's tool in the settings of permissions: `file.write`, `http.post`
/// (of `https://` too), `sh.grep`, `env.get`.
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

/// Returns the class of a program's tool (GU-5). One that is not known does the worst.
pub(crate) fn class_of(uri: &str, method: &str) -> Class {
    Tools::effect(uri, method).map_or(Class::Execute, Effect::class)
}

/// Returns the origin that a tool of an MCP server hands its arguments to: `mcp:server`.
pub(crate) fn origin_of_server(server: &str) -> String {
    format!("mcp:{server}")
}

/// Returns the name of a tool of the front end: `frontend:tool`.
#[must_use]
pub fn name_of_frontend_tool(tool: &str) -> String {
    format!("frontend:{tool}")
}

/// Returns the name of a tool of an MCP server: `mcp:server/tool`.
#[must_use]
pub fn name_of_server_tool(server: &str, tool: &str) -> String {
    format!("mcp:{server}/{tool}")
}
