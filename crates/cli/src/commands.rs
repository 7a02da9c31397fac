//! The commands, one file each. A command may use what another one prints, never in a circle.

pub(crate) mod answer;
pub(crate) mod check;
mod command_group;
pub(crate) mod completions;
pub(crate) mod context;
pub(crate) mod explain;
pub(crate) mod flow;
pub(crate) mod fmt;
pub(crate) mod knowledge;
pub(crate) mod mcp;
pub(crate) mod mcp_servers;
pub(crate) mod migrate;
pub(crate) mod parse;
pub(crate) mod prompt;
pub(crate) mod reference;
pub(crate) mod repl;
mod repl_editor;
mod rewrite;
pub(crate) mod run;
pub(crate) mod serve;
pub(crate) mod token;
pub(crate) mod tokens;
pub(crate) mod trace;
