//! The commands, one file each. A command may use what another one prints, never in a circle.

#[cfg(feature = "server")]
pub(crate) mod acp;
pub(crate) mod answer;
pub(crate) mod check;
mod command_group;
pub(crate) mod completions;
#[cfg(feature = "server")]
pub(crate) mod context;
#[cfg(feature = "server")]
pub(crate) mod data;
pub(crate) mod docs;
pub(crate) mod doctor;
#[cfg(feature = "flow")]
pub(crate) mod eval;
pub(crate) mod explain;
#[cfg(feature = "flow")]
pub(crate) mod flow;
pub(crate) mod fmt;
#[cfg(feature = "server")]
pub(crate) mod inspect;
#[cfg(feature = "knowledge")]
pub(crate) mod knowledge;
pub(crate) mod lock;
#[cfg(feature = "lsp")]
pub(crate) mod lsp;
#[cfg(feature = "server")]
pub(crate) mod mcp;
#[cfg(feature = "mcp")]
pub(crate) mod mcp_servers;
pub(crate) mod migrate;
pub(crate) mod new;
#[cfg(feature = "flow")]
pub(crate) mod optimize;
pub(crate) mod parse;
pub(crate) mod prompt;
pub(crate) mod recheck;
pub(crate) mod reference;
pub(crate) mod repl;
mod repl_editor;
mod rewrite;
pub(crate) mod run;
pub(crate) mod runs;
#[cfg(feature = "server")]
pub(crate) mod serve;
#[cfg(feature = "flow")]
pub(crate) mod test;
#[cfg(feature = "server")]
pub(crate) mod token;
pub(crate) mod tokens;
pub(crate) mod trace;
pub(crate) mod types;
#[cfg(feature = "server")]
pub(crate) mod waits;

#[cfg(not(all(
    feature = "flow",
    feature = "knowledge",
    feature = "lsp",
    feature = "mcp",
    feature = "server"
)))]
mod left_out;
#[cfg(not(feature = "server"))]
left_out::left_out!(context, "server", "server");
#[cfg(not(feature = "server"))]
left_out::left_out!(data, "server", "server");
#[cfg(not(feature = "server"))]
left_out::left_out!(inspect, "inspector", "server");
#[cfg(not(feature = "flow"))]
left_out::left_out!(flow, "flows", "flow");
#[cfg(not(feature = "flow"))]
left_out::left_out!(test, "tests", "flow");
#[cfg(not(feature = "flow"))]
left_out::left_out!(eval, "evals", "flow");
#[cfg(not(feature = "flow"))]
left_out::left_out!(optimize, "choices", "flow");
#[cfg(not(feature = "knowledge"))]
left_out::left_out!(knowledge, "knowledge packs", "knowledge");
#[cfg(not(feature = "lsp"))]
left_out::left_out!(lsp, "language server", "lsp");
#[cfg(not(feature = "server"))]
left_out::left_out!(mcp, "server", "server");
#[cfg(not(feature = "mcp"))]
left_out::left_out!(mcp_servers, "client of MCP servers", "mcp");
#[cfg(not(feature = "server"))]
left_out::left_out!(acp, "server for editors", "server");
#[cfg(not(feature = "server"))]
left_out::left_out!(serve, "server", "server");
#[cfg(not(feature = "server"))]
left_out::left_out!(token, "server", "server");
#[cfg(not(feature = "server"))]
left_out::left_out!(waits, "server", "server");
