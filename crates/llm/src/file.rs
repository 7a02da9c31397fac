//! Files of answers and recordings: read whole, within a limit, with faults in words.

use contexture_core::error::LlmError;
use std::fs::{File, OpenOptions};
use std::io::{self, Read as _};
use std::path::Path;

/// Returns all bytes of a file, at most `limit`.
pub(crate) fn read(path: &Path, limit: u64) -> Result<Vec<u8>, LlmError> {
    let file = File::open(path).map_err(|error| fault(path, &error))?;
    // A pipe has no size; a file is read at once.
    let size = file.metadata().map_or(0, |about| about.len().min(limit));
    let mut bytes = Vec::with_capacity(usize::try_from(size).map_or(0, |size| size + 1));
    file.take(limit.saturating_add(1))
        .read_to_end(&mut bytes)
        .map_err(|error| fault(path, &error))?;
    if bytes.len() as u64 > limit {
        return Err(of(path, format!("it is larger than {limit} bytes")));
    }
    Ok(bytes)
}

/// Opens a file, which is made if it is not there, so that only its owner can read it (GU-9).
pub(crate) fn private(
    path: &Path,
    set: impl FnOnce(&mut OpenOptions) -> &mut OpenOptions,
) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = set(&mut options).open(path)?;
    #[cfg(unix)]
    if file.metadata()?.is_file() {
        use std::os::unix::fs::PermissionsExt as _;
        // One that was there and is another user's stays as it is.
        let _ = file.set_permissions(std::fs::Permissions::from_mode(0o600));
    }
    Ok(file)
}

/// Returns the error of a file that the system does not let be read or written.
pub(crate) fn fault(path: &Path, error: &io::Error) -> LlmError {
    let text = error.to_string();
    of(path, text.split(" (os error").next().unwrap_or_default().to_lowercase())
}

fn of(path: &Path, message: String) -> LlmError {
    LlmError::Recording { file: path.display().to_string(), line: None, message }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_24_unreadable_file_is_reported_in_plain_words_with_fix() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("answers.jsonl");
        let error = read(&path, 4).unwrap_err();
        assert!(error.to_string().ends_with("answers.jsonl: no such file or directory"), "{error}");
        assert!(error.help().unwrap().starts_with("check the path"), "{:?}", error.help());
        assert!(read(folder.path(), 4).unwrap_err().to_string().ends_with("is a directory"));
        std::fs::write(&path, "12345").unwrap();
        assert!(read(&path, 4).unwrap_err().to_string().ends_with("it is larger than 4 bytes"));
        assert_eq!(read(&path, 5).unwrap(), b"12345");
    }
}
