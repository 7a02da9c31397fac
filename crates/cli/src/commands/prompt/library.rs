//! The partials of a folder, each under its file's stem.
//!
//! Decision: a partial is compiled when it is used, and a file that is no text is passed over, so
//! that what else lies in the folder does no harm. Of two files with one stem the one with the
//! template's own extension counts.

use crate::complaint::{Complaint, Stop};
use contexture::prompt::{PromptTemplateRegistry, decode_source};
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The largest partial that is read, in bytes.
const MAX_BYTES: u64 = 64 << 20;

/// Reads the partials of `folder` for `template`.
///
/// # Errors
/// A complaint when the folder can't be read, or when it is open which of two files is meant.
pub(super) fn read(folder: Option<&Path>, template: &Path) -> Result<PromptTemplateRegistry, Stop> {
    let mut registry = PromptTemplateRegistry::new();
    let Some(folder) = folder else { return Ok(registry) };
    let files = files_of(folder).map_err(|error| Stop::read(folder, &error))?;
    for (name, paths) in files {
        let path = choose(&name, &paths, template)?;
        let bytes = fs::read(path).map_err(|error| Stop::read(path, &error))?;
        if let Ok(text) = decode_source(&bytes) {
            registry.register_lazy(&name, text);
        }
    }
    Ok(registry)
}

/// The files of a folder by stem.
fn files_of(folder: &Path) -> io::Result<BTreeMap<String, Vec<PathBuf>>> {
    let mut files: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let usable =
            fs::metadata(&path).is_ok_and(|meta| meta.is_file() && meta.len() <= MAX_BYTES);
        let stem = path.file_stem().and_then(|stem| stem.to_str()).map(str::to_owned);
        if let (true, Some(stem)) = (usable, stem) {
            files.entry(stem).or_default().push(path);
        }
    }
    Ok(files)
}

fn choose<'a>(name: &str, paths: &'a [PathBuf], template: &Path) -> Result<&'a Path, Stop> {
    let mut alike = paths.iter().filter(|path| path.extension() == template.extension());
    match (paths, alike.next(), alike.next()) {
        ([only], ..) | (_, Some(only), None) => Ok(only),
        _ => {
            let names: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
            let message = format!("`{name}` may be any of {}", names.join(", "));
            Err(Complaint::refused("ambiguous_partial", message)
                .help("rename or move all but one")
                .into())
        }
    }
}
