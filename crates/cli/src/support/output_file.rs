//! Files that a command writes when its work is done.

use crate::prelude::*;

/// Refuses a path at which no file can be written, before the work begins.
pub(crate) fn require_file(path: &Path) -> Result<(), Abort> {
    let name = one_line(&path.display().to_string());
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let reason = if path.is_dir() {
        "it is a folder"
    } else if folder.is_some_and(|folder| !folder.is_dir()) {
        "its folder is not there"
    } else {
        return Ok(());
    };
    let message = format!("can't write {name}: {reason}");
    Err(CommandError::refused("output_failed", message)
        .help("name a file in a folder that is there")
        .into())
}
