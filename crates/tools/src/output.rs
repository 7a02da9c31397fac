//! The result of a call, and the changes of files in it.

use contexture_context::{Digest, Trust};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The result of a call.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ToolOutput {
    /// The value for the program.
    pub value: Value,
    /// The trust level of every text in it.
    pub trust: Trust,
    /// The changes, oldest first; `File.undo` takes them.
    pub effects: Vec<FileEffect>,
    /// Omissions and warnings, one line each.
    pub notes: Vec<String>,
    /// True if a `max` left matches out (AS-11).
    pub truncated: bool,
    /// Texts that must be masked wherever something is written.
    pub secrets: Vec<String>,
}

impl ToolOutput {
    /// Returns a value as tools return it.
    #[must_use]
    pub fn of(value: Value) -> Self {
        Self {
            value,
            trust: Trust::Tool,
            effects: Vec::new(),
            notes: Vec::new(),
            truncated: false,
            secrets: Vec::new(),
        }
    }
}

/// One change of one file or folder. It is plain JSON and can be undone from itself alone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileEffect {
    /// The change.
    pub kind: EffectKind,
    /// Where, relative to the workspace, symlinks resolved.
    pub path: String,
    /// The file before; `none` when it was not there, and for folders.
    #[serde(default)]
    pub before: Option<FileState>,
    /// The file after; `none` when it is gone, and for folders.
    #[serde(default)]
    pub after: Option<FileState>,
}

/// A kind of change to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EffectKind {
    /// A file is there that was not.
    Create,
    /// A file has another content.
    Change,
    /// A file is gone.
    Delete,
    /// A folder is there that was not.
    CreateFolder,
    /// A folder is gone.
    RemoveFolder,
}

/// The content of a file at one end of an effect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileState {
    /// Its digest.
    pub digest: Digest,
    /// Its size.
    pub bytes: u64,
    /// Its text, if it is kept and is UTF-8.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub text: Option<String>,
    /// Its bytes in hex digits, if they are kept and are not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub hex: Option<String>,
}
