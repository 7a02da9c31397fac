//! Files that are read whole, within a limit.
//!
//! Decision: a file that a person names on a command line may be a pipe, such as `<(…)` and
//! `/dev/stdin`; it is awaited and read up to the limit. A file that a program, a setting or a
//! folder names must be a regular one: nothing there may hang a run.

use contexture_diagnostic::nearest;
use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// The most that is read of a file named to a command, in bytes.
pub const ARGUMENT_BYTES: u64 = 128 << 20;

/// The reason why a file could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The system can't read it.
    #[error("can't read {}: {}", path.display(), reason(source))]
    Io {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// A device, a pipe or a socket is where a file is meant.
    #[error("{} is {kind}, expected a regular file", path.display())]
    Special {
        /// The path.
        path: PathBuf,
        /// The kind of file, with an article.
        kind: &'static str,
    },
    /// It is larger than the limit.
    #[error("{} has more than {limit} bytes, which is the limit", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// The limit in bytes.
        limit: u64,
    },
    /// It is not UTF-8 text.
    #[error("{} is not UTF-8 text: line {line} has a byte that is none", path.display())]
    NotText {
        /// The file.
        path: PathBuf,
        /// The line of the first such byte, from 1.
        line: usize,
    },
}

impl ReadError {
    /// Makes the error for a failure of the system.
    #[must_use]
    pub fn io(path: &Path, source: io::Error) -> Self {
        Self::Io { path: path.to_owned(), source }
    }

    /// Returns the file.
    #[must_use]
    pub fn path(&self) -> &Path {
        match self {
            Self::Io { path, .. }
            | Self::Special { path, .. }
            | Self::TooLarge { path, .. }
            | Self::NotText { path, .. } => path,
        }
    }

    /// Returns the stable code.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Io { .. } => "file_unreadable",
            Self::Special { .. } => "file_special",
            Self::TooLarge { .. } => "file_too_large",
            Self::NotText { .. } => "not_utf8",
        }
    }

    /// Returns the way to fix it, if one is known.
    #[must_use]
    pub fn help(&self) -> Option<Cow<'static, str>> {
        let help = match self {
            Self::Io { path, source } => match source.kind() {
                io::ErrorKind::NotFound => match near(path) {
                    Some(near) => return Some(Cow::Owned(near)),
                    None => "check the path; it is relative to the current folder",
                },
                io::ErrorKind::IsADirectory => "give a file, not a folder",
                io::ErrorKind::PermissionDenied => "check who may read it",
                _ => return None,
            },
            Self::Special { .. } => "give a regular file",
            Self::TooLarge { .. } => "give a part of it",
            Self::NotText { .. } => "save it as UTF-8",
        };
        Some(Cow::Borrowed(help))
    }
}

/// Returns a suggestion of the file beside a missing one whose name is nearest.
fn near(path: &Path) -> Option<String> {
    /// Suggesting must not cost more than reading would have.
    const LOOKED_AT: usize = 2_000;
    let folder = path.parent()?;
    let here = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let entries = std::fs::read_dir(here).ok()?.take(LOOKED_AT);
    let names: Vec<String> =
        entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
    let name = nearest(path.file_name()?.to_str()?, names.iter().map(String::as_str))?;
    Some(format!("did you mean `{}`?", folder.join(name).display()))
}

/// Reads the text of a file or pipe that a person names, of at most [`ARGUMENT_BYTES`].
///
/// # Errors
/// [`ReadError`].
pub fn argument(path: &Path) -> Result<String, ReadError> {
    open(path).and_then(|file| stream(file, path, ARGUMENT_BYTES))
}

/// Reads the text of a regular file of at most `limit` bytes, and nothing else.
///
/// # Errors
/// [`ReadError`].
pub fn regular(path: &Path, limit: u64) -> Result<String, ReadError> {
    // A pipe without a writer blocks when it is opened, so this check comes first.
    let metadata = std::fs::metadata(path).map_err(|error| ReadError::io(path, error))?;
    if !metadata.is_file() && !metadata.is_dir() {
        let kind = "a device, a pipe or a socket";
        return Err(ReadError::Special { path: path.to_owned(), kind });
    }
    open(path).and_then(|file| stream(file, path, limit))
}

/// Reads the text of an open stream of at most `limit` bytes; errors name `path`.
///
/// # Errors
/// [`ReadError`].
pub fn stream(reader: impl Read, path: &Path, limit: u64) -> Result<String, ReadError> {
    let mut bytes = Vec::new();
    let mut bounded = reader.take(limit.saturating_add(1));
    bounded.read_to_end(&mut bytes).map_err(|error| ReadError::io(path, error))?;
    if bytes.len() as u64 > limit {
        return Err(ReadError::TooLarge { path: path.to_owned(), limit });
    }
    String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let before = error.as_bytes().get(..valid).unwrap_or_default();
        let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
        ReadError::NotText { path: path.to_owned(), line }
    })
}

/// Opens a file. A folder opens on Unix and fails only when read; it is refused at once.
fn open(path: &Path) -> Result<File, ReadError> {
    let fail = |error| ReadError::io(path, error);
    let file = File::open(path).map_err(fail)?;
    if file.metadata().map_err(fail)?.is_dir() {
        return Err(fail(io::Error::from(io::ErrorKind::IsADirectory)));
    }
    Ok(file)
}

/// Returns the reason in words, without Rust's `(os error 2)`.
#[must_use]
pub fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or_default();
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_lowercase().chain(chars).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_31_texts_are_read_to_their_limit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        std::fs::write(&path, "four").unwrap();
        assert_eq!(regular(&path, 4).unwrap(), "four");
        let error = regular(&path, 3).unwrap_err();
        assert_eq!(
            (error.code(), error.help().as_deref()),
            ("file_too_large", Some("give a part of it"))
        );
        std::fs::write(&path, b"a\nb\xff").unwrap();
        assert!(matches!(argument(&path), Err(ReadError::NotText { line: 2, .. })));
    }

    #[test]
    fn as_31_folders_and_missing_files_are_told() {
        let folder = tempfile::tempdir().unwrap();
        for read in [argument(folder.path()), regular(folder.path(), 9)] {
            let error = read.unwrap_err();
            assert!(error.to_string().ends_with("is a directory"), "{error}");
            assert_eq!(error.help().as_deref(), Some("give a file, not a folder"));
        }
        let error = argument(&folder.path().join("gone")).unwrap_err();
        assert_eq!(error.code(), "file_unreadable");
        assert!(error.help().unwrap().starts_with("check the path"), "{error:?}");
        std::fs::write(folder.path().join("main.md"), "text").unwrap();
        let error = argument(&folder.path().join("mian.md")).unwrap_err();
        let near = format!("did you mean `{}`?", folder.path().join("main.md").display());
        assert_eq!(error.help().as_deref(), Some(near.as_str()));
    }

    #[cfg(unix)]
    #[test]
    fn as_31_pipe_is_read_only_where_person_names_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pipe");
        rustix::fs::mknodat(
            rustix::fs::CWD,
            &path,
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::RWXU,
            0,
        )
        .unwrap();
        let error = regular(&path, 9).unwrap_err();
        assert_eq!(error.code(), "file_special");
        let writer = std::thread::spawn({
            let path = path.clone();
            move || std::fs::write(path, "through the pipe")
        });
        assert_eq!(argument(&path).unwrap(), "through the pipe");
        writer.join().unwrap().unwrap();
        assert!(matches!(
            argument(Path::new("/dev/zero")),
            Err(ReadError::TooLarge { limit: ARGUMENT_BYTES, .. })
        ));
    }
}
