//! `contexture mcp-servers`: the MCP servers of a project, and which of their tools were accepted
//! (AS-25).

mod accept;
mod list;
mod show;

use super::family::family;
use crate::complaint::{Complaint, Stop};
use crate::terminal::Terminal;
use contexture::mcp::{LockError, McpError, Servers};
use contexture::servers::Consent;
use contexture::{Project, servers};

const EXAMPLES: &str = "\
Examples:
  contexture mcp-servers list
  contexture mcp-servers accept packs --workspace examples/mcp

Servers stand in contexture.toml under [mcp.servers.NAME], accepted tools in contexture.lock.";

family! {
    /// Shows the MCP servers of a project, and accepts what they say of their tools.
    List(list),
    Accept(accept),
}

/// The servers of a project; what is wrong with the lock file is told.
/// `named` are servers that a person named: that allows to use them for this command.
fn open(project: &Project, named: &[String], terminal: &Terminal) -> Result<Servers, Stop> {
    let consent = Consent { named: named.to_vec(), ..Consent::default() };
    let (servers, faults) = servers::review(project, consent).map_err(|error| refuse(&error))?;
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
    let help = match error {
        // Programs name a server by its address, this command by its name.
        McpError::UnknownServer { near: Some(near), .. } => Some(format!("did you mean `{near}`?")),
        _ => error.help(),
    };
    match help {
        Some(help) => complaint.help(help),
        None => complaint,
    }
    .into()
}
