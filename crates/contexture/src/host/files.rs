//! Imported files (AS-27).

use super::{LiveHost, supplied};
use crate::format;
use crate::loader::resolve_import;
use contexture_context::Trust;
use contexture_script::host::{FileImport, HostError, Supplied};
use contexture_tools::FileError;

/// Reads an imported file of the workspace; it was written by those who wrote the program.
pub(super) async fn file(host: &LiveHost, import: FileImport) -> Result<Supplied, HostError> {
    let workspace = &host.workspace;
    let place = resolve_import(workspace, &import.importer, &import.path).map_err(host_error)?;
    let limit = host.limits.file_bytes as u64;
    let text = workspace.read_text(&place, limit).map_err(host_error)?;
    let value = format::value_of(place.as_str(), &text).map_err(|error| {
        let help = format!(
            "mend the file, or rename it so that it is read as text and not as {}",
            error.format
        );
        HostError::new("file_invalid", error.to_string()).with_help(help)
    })?;
    Ok(supplied(value, Trust::Program))
}

pub(super) fn host_error(error: FileError) -> HostError {
    HostError::new(error.code(), error.to_string()).with_help(error.help())
}
