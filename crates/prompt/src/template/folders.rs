//! Templates of a folder, by a glob.

use crate::error::PromptError;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

/// Returns the files below `dir` that match, by their stem.
pub(super) fn list(dir: &Path, glob: &str) -> Result<BTreeMap<String, PathBuf>, PromptError> {
    if !dir.is_dir() {
        let message = format!("{}: no such folder", dir.display());
        return Err(io::Error::new(io::ErrorKind::NotFound, message).into());
    }
    let root = glob::Pattern::escape(&dir.to_string_lossy());
    let options = glob::MatchOptions {
        case_sensitive: true,
        require_literal_separator: true,
        require_literal_leading_dot: true,
    };
    let invalid = |error: glob::PatternError| {
        let message = format!("invalid glob `{glob}`: {} at column {}", error.msg, error.pos + 1);
        io::Error::new(io::ErrorKind::InvalidInput, message)
    };
    glob::Pattern::new(glob).map_err(invalid)?;
    let mut files: BTreeMap<String, PathBuf> = BTreeMap::new();
    for path in glob::glob_with(&format!("{root}/{glob}"), options).map_err(invalid)? {
        let path = path.map_err(|error| io::Error::new(error.error().kind(), error.to_string()))?;
        if !path.is_file() {
            continue;
        }
        let name = stem(&path)?;
        if let Some(other) = files.get(&name) {
            let (other, path) = (other.display(), path.display());
            let message = format!("{other} and {path} would both be registered as `{name}`");
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, message).into());
        }
        files.insert(name, path);
    }
    Ok(files)
}

fn stem(path: &Path) -> io::Result<String> {
    let stem = path.file_stem().and_then(std::ffi::OsStr::to_str);
    stem.map(str::to_owned).ok_or_else(|| {
        let message = format!("{}: the name of the file is not UTF-8", path.display());
        io::Error::new(io::ErrorKind::InvalidData, message)
    })
}
