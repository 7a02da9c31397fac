//! Imported files (AS-27).

use super::errors::{of_file, of_packs};
use super::run_state::supplied;
use crate::format::{self, FormatError};
use crate::written::{OnDemand, resolve_import};
use contexture_context::json::JsonError;
use contexture_context::{Label, Limits, Trust};
use contexture_reference::text::{DecodeError, decode};
use contexture_script::host::{FileImport, HostError, JsonFile, SuppliedFile};
use contexture_tools::FileError;
use contexture_tools::paths::Door;

/// Reads an imported file of the workspace; it was written by those who wrote the program, unless
/// it is a pack's: then it passes the pack's gate, and has the trust level of a pack (KN-8).
///
/// It is located, opened and decoded as `@file://…` is, so that both read the same files and refuse
/// the same: what leads out of the workspace, devices, what is not text. Only the place differs: an
/// import is relative to its file and to nothing else.
pub(super) fn file(references: &OnDemand, import: &FileImport) -> Result<SuppliedFile, HostError> {
    let workspace = references.workspace();
    let place = resolve_import(workspace, &import.importer, &import.path).map_err(of_file)?;
    let held = references.packs().around(&workspace.root().join(place.as_str()));
    let held = held.map_err(of_packs)?;
    // What lies in a pack is reached through the pack's gate, wherever the pack lies.
    let door = if held.is_some() { Door::Resources } else { Door::Program };
    let workspace = workspace.through(door);
    let limit = references.project().config.limits.file_bytes as u64;
    let bytes = workspace.read_bytes(&place, limit).map_err(of_file)?;
    let text = decode(&bytes, None).map_err(|error| {
        let offset = match error {
            DecodeError::Malformed { offset, .. } | DecodeError::Binary(offset) => offset,
            DecodeError::Unknown(_) => 0,
        };
        of_file(FileError::NotText { path: place.to_string(), offset })
    })?;
    drop(bytes);
    let label = held.map_or_else(
        || Trust::Program.into(),
        |held| Label::of(held.reference().as_str(), Trust::Pack),
    );
    let name = place.as_str();
    if format::is_json(name) {
        let name = name.to_owned();
        return Ok(SuppliedFile::Json(JsonFile { name, text, label, invalid: invalid_json }));
    }
    let value = format::value_of(name, &text).map_err(|error| invalid(&error))?;
    Ok(supplied(value, label).into())
}

fn invalid_json(name: &str, error: &JsonError) -> HostError {
    let refused = invalid(&format::not_json(name, error));
    match error {
        JsonError::TooDeep { .. } => refused.with_help(format!(
            "make it flatter: `value_depth` is at most {}",
            Limits::MOST_VALUE_DEPTH
        )),
        _ => refused,
    }
}

fn invalid(error: &FormatError) -> HostError {
    let help = format!(
        "correct the file, or rename it so that it is read as text and not as {}",
        error.format
    );
    HostError::new("file_invalid", error.to_string()).with_help(help)
}
