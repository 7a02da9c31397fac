//! The parts of a workspace that flows don't read.
//!
//! Decision: a flow may come over the wire, from someone who may not see what others did; the
//! records in `.contexture` hold that, and `.git` holds what was taken back. Writing there, and to
//! `contexture.toml`, is refused by the tools.

use crate::failure::of_tool;
use contexture_flow::action::ActionFailure;
use contexture_tools::{FileError, Workspace, WorkspacePath};
use std::path::Path;

const PRIVATE: [&str; 2] = [".contexture", ".git"];

/// Returns a place that a flow may read, both by its name and by where links lead.
pub(crate) fn readable(workspace: &Workspace, path: &str) -> Result<WorkspacePath, ActionFailure> {
    let place = workspace.resolve(path).map_err(failed)?;
    let named = Path::new(place.as_str());
    let root = workspace.root();
    let real = root.join(named).canonicalize().unwrap_or_default();
    let real = real.strip_prefix(root).unwrap_or(Path::new(""));
    if is_private(named) || is_private(real) {
        let message = format!(
            "`{place}` is in `.git` or `.contexture`, which flows do not read: name another path"
        );
        return Err(ActionFailure::new("PATH_PROTECTED", message));
    }
    Ok(place)
}

fn is_private(path: &Path) -> bool {
    path.components().any(|part| {
        let part = part.as_os_str();
        PRIVATE.iter().any(|name| part.eq_ignore_ascii_case(name))
    })
}

pub(crate) fn failed(error: FileError) -> ActionFailure {
    of_tool(error.into())
}
