//! The program that is measured, and folders for it.

use crate::usage;
use crate::weight::Measured;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// The largest run has more calls than the limit that the program has by itself.
const SETTINGS: &str = "[limits]\nmodel_calls = 1000000\n";

/// The program at a path.
pub(super) struct Product {
    pub(super) binary: PathBuf,
}

impl Product {
    pub(super) fn new(binary: PathBuf) -> Measured<Self> {
        let binary = fs::canonicalize(&binary).map_err(|e| format!("{}: {e}", binary.display()))?;
        Ok(Self { binary })
    }

    /// Runs the program in a project and returns its processor time in microseconds.
    pub(super) fn processor(&self, project: &Path, arguments: &[&str]) -> Measured<f64> {
        let binary = self.binary.to_string_lossy();
        let command = [&[binary.as_ref()], arguments].concat();
        let usage = usage::measure(&command, project, &[])?;
        Ok(usage.processor.as_secs_f64() * 1e6)
    }

    /// The least processor time of some runs, in microseconds.
    pub(super) fn least(&self, project: &Path, arguments: &[&str], runs: usize) -> Measured<f64> {
        let mut least = f64::INFINITY;
        for _ in 0..runs {
            least = least.min(self.processor(project, arguments)?);
        }
        Ok(least)
    }

    /// Runs the program in a project, without measuring.
    pub(super) fn run(&self, project: &Path, arguments: &[&str]) -> Measured<()> {
        let status = Command::new(&self.binary)
            .args(arguments)
            .current_dir(project)
            .stdout(Stdio::null())
            .status()
            .map_err(|e| e.to_string())?;
        if status.success() { Ok(()) } else { Err(format!("{}: {status}", arguments.join(" "))) }
    }
}

/// Makes an empty project.
pub(super) fn project() -> Measured<TempDir> {
    let folder = tempfile::tempdir().map_err(|e| e.to_string())?;
    write(folder.path(), "contexture.toml", SETTINGS)?;
    Ok(folder)
}

pub(super) fn write(folder: &Path, name: &str, text: &str) -> Measured<()> {
    let path = folder.join(name);
    let parent = path.parent().unwrap_or(folder);
    fs::create_dir_all(parent)
        .and_then(|()| fs::write(&path, text))
        .map_err(|e| format!("{}: {e}", path.display()))
}
