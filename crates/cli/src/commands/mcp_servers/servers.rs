//! The MCP servers of a project.

use crate::prelude::*;
use contexture::Project;
use contexture::mcp::{LockError, McpError, Servers};
use contexture::servers::{self, Consent};

/// Opens the servers of a project, and warns about errors in the lock file. The command may use the
/// servers in `named`, as a person named them.
pub(super) fn open(
    project: &Project,
    named: &[String],
    terminal: &Terminal,
) -> Result<Servers, Abort> {
    let consent = Consent { named: named.to_vec(), ..Consent::default() };
    let (servers, faults) = servers::review(project, consent)?;
    for fault in faults {
        terminal.warn(&format!("{fault}; the accepted tools of this server are ignored"));
    }
    Ok(servers)
}

impl From<LockError> for Abort {
    fn from(error: LockError) -> Self {
        CommandError::refused("mcp_lock", error.to_string()).help(error.help()).into()
    }
}

impl From<&McpError> for Abort {
    fn from(error: &McpError) -> Self {
        match error {
            // Programs name a server by its address, this command by its name.
            McpError::UnknownServer { near: Some(near), .. } => {
                CommandError::refused(error.code(), error.to_string())
                    .help(format!("did you mean `{near}`?"))
            }
            McpError::UnknownServer { .. } => {
                CommandError::refused(error.code(), error.to_string()).maybe_help(error.help())
            }
            _ => CommandError::failed(error.code(), error.to_string()).maybe_help(error.help()),
        }
        .into()
    }
}
