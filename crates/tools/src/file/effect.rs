//! Effect records: what a write changed, with enough in it to take it back (AS-25).

use crate::error::ToolError;
use crate::output::{EffectKind, FileEffect, FileState, ToolOutput};
use crate::settings::Shared;
use crate::workspace::{FileError, WorkspacePath};
use contexture_context::Digest;
use serde_json::json;

impl FileState {
    /// Returns a content by its digest alone.
    pub(super) fn digest_of(bytes: &[u8]) -> Self {
        let digest = Digest::of_bytes(bytes);
        Self { digest, bytes: bytes.len() as u64, text: None, hex: None }
    }

    /// Returns a content that is kept if it has at most `limit` bytes.
    fn kept(bytes: Vec<u8>, limit: u64) -> Self {
        let mut state = Self::digest_of(&bytes);
        if state.bytes <= limit {
            match String::from_utf8(bytes) {
                Ok(text) => state.text = Some(text),
                Err(error) => state.hex = Some(to_hex(error.as_bytes())),
            }
        }
        state
    }

    /// Returns the content, if it is kept; `Err` when it is not the one that the digest names.
    pub(super) fn content(&self) -> Result<Option<Vec<u8>>, Tampered> {
        let content = match (&self.text, &self.hex) {
            (Some(text), _) => text.clone().into_bytes(),
            (None, Some(hex)) => from_hex(hex).ok_or(Tampered)?,
            (None, None) => return Ok(None),
        };
        if Digest::of_bytes(&content) == self.digest { Ok(Some(content)) } else { Err(Tampered) }
    }
}

/// A record whose content is not the one that its digest names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Tampered;

/// The changes of a call, in their order.
#[derive(Debug, Default)]
pub(super) struct Changes {
    pub(super) effects: Vec<FileEffect>,
    pub(super) notes: Vec<String>,
}

impl Changes {
    pub(super) fn folder(&mut self, kind: EffectKind, path: &WorkspacePath) {
        let path = path.to_string();
        self.effects.push(FileEffect { kind, path, before: None, after: None });
    }

    pub(super) fn append(&mut self, other: Self) {
        self.effects.extend(other.effects);
        self.notes.extend(other.notes);
    }

    pub(super) fn into_output(self) -> ToolOutput {
        let mut output = ToolOutput::of(json!({ "ok": true, "effects": self.effects }));
        output.effects = self.effects;
        output.notes = self.notes;
        output
    }
}

/// Returns the content of a file now; `None` when nothing is there.
pub(super) fn current(shared: &Shared, path: &WorkspacePath) -> Result<Option<Vec<u8>>, FileError> {
    match shared.workspace.read_bytes(path, shared.settings.limits.file_bytes) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(FileError::NotFound { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Makes `bytes` the content of a file and records what that changed.
pub(super) fn write(
    shared: &Shared,
    path: &WorkspacePath,
    bytes: &[u8],
) -> Result<Changes, ToolError> {
    let limits = &shared.settings.limits;
    if bytes.len() as u64 > limits.file_bytes {
        let message = format!(
            "the new content of `{path}` has {} bytes, the limit is {}",
            bytes.len(),
            limits.file_bytes
        );
        let help = "write a shorter text, or several files";
        return Err(ToolError::new("file_too_large", message).with_help(help));
    }
    let before = current(shared, path)?.map(|before| FileState::kept(before, limits.undo_bytes));
    let written = shared.workspace.replace(path, bytes)?;
    let mut changes = Changes::default();
    for folder in &written.folders {
        changes.folder(EffectKind::CreateFolder, folder);
    }
    changes.note_if_lost(&written.path, before.as_ref(), limits.undo_bytes);
    let kind = if before.is_some() { EffectKind::Change } else { EffectKind::Create };
    let path = written.path.to_string();
    let after = Some(FileState::digest_of(bytes));
    changes.effects.push(FileEffect { kind, path, before, after });
    Ok(changes)
}

/// Removes a file whose content is `before` and records that.
pub(super) fn delete(
    shared: &Shared,
    path: &WorkspacePath,
    before: Vec<u8>,
) -> Result<Changes, ToolError> {
    shared.workspace.remove_file(path)?;
    let limit = shared.settings.limits.undo_bytes;
    let before = Some(FileState::kept(before, limit));
    let mut changes = Changes::default();
    changes.note_if_lost(path, before.as_ref(), limit);
    let path = path.to_string();
    changes.effects.push(FileEffect { kind: EffectKind::Delete, path, before, after: None });
    Ok(changes)
}

impl Changes {
    fn note_if_lost(&mut self, path: &WorkspacePath, before: Option<&FileState>, limit: u64) {
        if let Some(FileState { text: None, hex: None, bytes, .. }) = before {
            self.notes.push(format!(
                "the former content of {path} ({bytes} bytes, the limit is {limit}) is not kept: this can't be undone"
            ));
        }
    }
}

fn to_hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    let mut hex = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        // Writing to a string cannot fail.
        let _ = write!(hex, "{byte:02x}");
    }
    hex
}

fn from_hex(hex: &str) -> Option<Vec<u8>> {
    let (pairs, rest) = hex.as_bytes().as_chunks::<2>();
    let digit =
        |digit: u8| char::from(digit).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let byte = |[high, low]: &[u8; 2]| Some(digit(*high)? << 4 | digit(*low)?);
    if rest.is_empty() { pairs.iter().map(byte).collect() } else { None }
}
