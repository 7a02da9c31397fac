//! The real binary, end to end: what each command reads, prints and exits with (AS-31, AS-32).
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::too_many_lines,
    reason = "a test may fail"
)]

#[path = "cli/answer.rs"]
mod answer;
#[path = "cli/calls.rs"]
mod calls;
#[path = "cli/check.rs"]
mod check;
#[path = "cli/context.rs"]
mod context;
#[path = "cli/conversation.rs"]
mod conversation;
#[path = "cli/docs_and_types.rs"]
mod docs_and_types;
#[path = "cli/eval.rs"]
mod eval;
#[path = "cli/fallback.rs"]
mod fallback;
#[path = "cli/faults.rs"]
mod faults;
#[path = "cli/figures.rs"]
mod figures;
#[path = "cli/help.rs"]
mod help;
#[path = "cli/inspect.rs"]
mod inspect;
#[path = "cli/lock.rs"]
mod lock;
#[path = "cli/lsp.rs"]
mod lsp;
#[path = "cli/mcp.rs"]
mod mcp;
#[path = "cli/mcp_servers.rs"]
mod mcp_servers;
#[path = "cli/models.rs"]
mod models;
#[path = "cli/offered.rs"]
mod offered;
#[path = "cli/optimize.rs"]
mod optimize;
#[path = "cli/packs.rs"]
mod packs;
#[path = "cli/plan.rs"]
mod plan;
#[path = "cli/privileges.rs"]
mod privileges;
#[path = "cli/program_references.rs"]
mod program_references;
#[path = "cli/prompt.rs"]
mod prompt;
#[path = "cli/recheck.rs"]
mod recheck;
#[path = "cli/reference.rs"]
mod reference;
#[path = "cli/repl.rs"]
mod repl;
#[path = "cli/rewrite.rs"]
mod rewrite;
#[path = "cli/run.rs"]
mod run;
#[path = "cli/secrets.rs"]
mod secrets;
#[path = "docs/server.rs"]
mod server;
mod support;
#[path = "cli/terminal.rs"]
mod terminal;
#[path = "cli/test.rs"]
mod test;
#[path = "cli/token.rs"]
mod token;
#[path = "cli/tokens.rs"]
mod tokens;
#[path = "cli/trace.rs"]
mod trace;
#[path = "cli/traces.rs"]
mod traces;
#[path = "cli/upgrade.rs"]
mod upgrade;
#[path = "cli/upkeep.rs"]
mod upkeep;
#[path = "cli/usage.rs"]
mod usage;
#[path = "cli/way_in.rs"]
mod way_in;
