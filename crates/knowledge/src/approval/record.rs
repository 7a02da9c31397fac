//! The record of approvals: a small JSON file in the user's home.

use crate::pack::PackError;
use contexture_context::Digest;
use serde::{Deserialize, Serialize};
use std::io::{ErrorKind, Write as _};
use std::path::Path;

/// The largest record that is read, in bytes.
const MAX_BYTES: u64 = 16 << 20;

/// The form that is written and understood.
const VERSION: u32 = 1;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Record {
    version: u32,
    approved: Vec<Approval>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Approval {
    name: String,
    digest: Digest,
}

impl Default for Record {
    fn default() -> Self {
        Self { version: VERSION, approved: Vec::new() }
    }
}

impl Record {
    /// Returns the record in that file; an absent file approves nothing.
    pub(super) fn read(path: &Path) -> Result<Self, PackError> {
        let wrong = |reason: String| PackError::BadApprovals { path: path.to_owned(), reason };
        let size = match std::fs::metadata(path) {
            Ok(found) if !found.is_file() => return Err(wrong("it is not a regular file".into())),
            Ok(found) => found.len(),
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => return Err(wrong(error.to_string())),
        };
        if size > MAX_BYTES {
            return Err(wrong(format!("it has {size} bytes, the limit is {MAX_BYTES}")));
        }
        let bytes = std::fs::read(path).map_err(|error| wrong(error.to_string()))?;
        let record: Self =
            serde_json::from_slice(&bytes).map_err(|error| wrong(error.to_string()))?;
        if record.version != VERSION {
            let version = record.version;
            return Err(wrong(format!("it has version {version}, expected {VERSION}")));
        }
        Ok(record)
    }

    pub(super) fn has(&self, name: &str, digest: &Digest) -> bool {
        self.approved.iter().any(|known| known.name == name && known.digest == *digest)
    }

    /// Adds an approval; false when it is there already.
    pub(super) fn add(&mut self, name: &str, digest: &Digest) -> bool {
        if self.has(name, digest) {
            return false;
        }
        self.approved.push(Approval { name: name.to_owned(), digest: digest.clone() });
        self.approved.sort();
        true
    }

    /// Writes the record whole or not at all.
    pub(super) fn write(&self, path: &Path) -> Result<(), PackError> {
        let failed =
            |reason: String| PackError::ApprovalsNotWritten { path: path.to_owned(), reason };
        let text = serde_json::to_string_pretty(self).map_err(|error| failed(error.to_string()))?;
        replace(path, format!("{text}\n").as_bytes()).map_err(|error| failed(error.to_string()))
    }
}

/// Puts a file of these bytes at a path, through a new file beside it.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(bytes)?;
    file.as_file().sync_data()?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}
