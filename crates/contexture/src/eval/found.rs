//! The files of tests of a project (EV-1).

use crate::project::Project;
use crate::reading::ReadError;
use std::io;
use std::path::{Path, PathBuf};

/// The end of the name of a file of tests.
const ENDING: &str = ".test.yaml";

/// Folders that hold what others wrote or a build made.
const FOREIGN: [&str; 2] = ["node_modules", "target"];

/// Returns all files of tests of a project, sorted. Folders whose names begin with a dot, links,
/// `node_modules` and `target` are not looked into.
///
/// # Errors
/// [`ReadError`] for a folder that can't be listed.
pub fn find(project: &Project) -> Result<Vec<PathBuf>, ReadError> {
    let mut found = Vec::new();
    let mut left = vec![project.root.clone()];
    while let Some(folder) = left.pop() {
        look(&folder, &mut left, &mut found).map_err(|error| ReadError::io(&folder, error))?;
    }
    found.sort();
    Ok(found)
}

/// Takes the files of tests of a folder, and the folders in it that are to be looked into.
fn look(folder: &Path, folders: &mut Vec<PathBuf>, found: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        let name = entry.file_name();
        // Names are compared, so what is not UTF-8 in them does not matter.
        let name = name.to_string_lossy();
        if kind.is_file() && name.ends_with(ENDING) {
            found.push(entry.path());
        }
        if kind.is_dir() && !name.starts_with('.') && !FOREIGN.contains(&&*name) {
            folders.push(entry.path());
        }
    }
    Ok(())
}
