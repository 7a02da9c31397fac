//! The partials of a folder, named by file stem.
//!
//! Decision: a partial is compiled when it is used, and files that are not text are skipped, so that
//! other files in the folder cause no errors. The prompt crate decides between two files of one stem,
//! as for programs that import templates.

use crate::prelude::*;
use contexture::prompt::{PromptTemplateRegistry, decode_source, partial_file};
use std::collections::BTreeSet;
use std::{fs, io};

const MAX_BYTES: u64 = 64 << 20;

/// Reads the partials of `folder` for `template`.
pub(super) fn read(
    folder: Option<&Path>,
    template: &Path,
) -> Result<PromptTemplateRegistry, Abort> {
    let mut registry = PromptTemplateRegistry::new();
    let Some(folder) = folder else { return Ok(registry) };
    let files = files_of(folder).map_err(|error| Abort::read(folder, error))?;
    let template = template.to_string_lossy();
    let stems: BTreeSet<&str> =
        files.iter().filter_map(|file| Path::new(file).file_stem()?.to_str()).collect();
    for name in stems {
        let file =
            partial_file(name, files.iter().map(String::as_str), &template).map_err(|error| {
                let message = format!("in {}, {error}", folder.display());
                CommandError::refused("ambiguous_partial", message)
                    .help("rename or move all but one")
            })?;
        let Some(path) = file.map(|file| folder.join(file)) else { continue };
        let bytes = fs::read(&path).map_err(|error| Abort::read(&path, error))?;
        if let Ok(text) = decode_source(&bytes) {
            registry.register_lazy(name, text);
        }
    }
    Ok(registry)
}

/// Returns the names of the files in a folder that may be partials.
fn files_of(folder: &Path) -> io::Result<Vec<String>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let usable =
            fs::metadata(&path).is_ok_and(|meta| meta.is_file() && meta.len() <= MAX_BYTES);
        let name = path.file_name().and_then(|name| name.to_str()).map(str::to_owned);
        files.extend(name.filter(|_| usable));
    }
    files.sort_unstable();
    Ok(files)
}
