//! `contexture mcp-servers`: the MCP servers of a project, and which of their tools were accepted
//! (AS-25).

mod accept;
mod list;
mod show;

use super::Outcome;
use crate::complaint::{Complaint, Stop};
use crate::terminal::Terminal;
use clap::Subcommand;
use contexture::mcp::{LockError, McpError, Servers};
use contexture::{Project, servers};

const EXAMPLES: &str = "\
Examples:
  contexture mcp-servers list
  contexture mcp-servers accept packs --workspace examples/mcp

Servers stand in contexture.toml under [mcp.servers.NAME], accepted tools in contexture.lock.";

/// Shows the MCP servers of a project, and accepts what they say of their tools.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES, subcommand_required = true, arg_required_else_help = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    List(list::Args),
    Accept(accept::Args),
}

/// Whether the command was asked for JSON.
pub(crate) fn wants_json(args: &Args) -> bool {
    match &args.action {
        Action::List(args) => args.json,
        Action::Accept(args) => args.json,
    }
}

/// Runs `contexture mcp-servers`.
pub(crate) fn run(args: &Args, terminal: &Terminal) -> Outcome {
    match &args.action {
        Action::List(args) => list::run(args, terminal),
        Action::Accept(args) => accept::run(args, terminal),
    }
}

/// The servers of a project; what is wrong with the lock file is told.
fn open(project: &Project, terminal: &Terminal) -> Result<Servers, Stop> {
    let (servers, faults) = servers::review(project).map_err(|error| refuse(&error))?;
    for fault in faults {
        terminal.warn(&format!("{fault}; what was accepted of this server does not count"));
    }
    Ok(servers)
}

/// A lock file that can't be used.
fn refuse(error: &LockError) -> Stop {
    Complaint::refused("mcp_lock", error.to_string()).help(error.help()).into()
}

/// A server that could not be asked.
fn fail(error: &McpError) -> Stop {
    let complaint = match error {
        McpError::UnknownServer { .. } => Complaint::refused(error.code(), error.to_string()),
        _ => Complaint::failed(error.code(), error.to_string()),
    };
    match error.help() {
        Some(help) => complaint.help(help),
        None => complaint,
    }
    .into()
}
