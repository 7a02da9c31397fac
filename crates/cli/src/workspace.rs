//! The project that a command works in.

use crate::complaint::{Complaint, Stop};
use crate::faults;
use crate::paint::Paint;
use contexture::{ConfigError, Environment, Project};
use std::path::Path;

/// The project of a program; `chosen` is `--workspace`.
///
/// # Errors
/// A complaint when the folder or its settings can't be used.
pub(crate) fn of_program(chosen: Option<&Path>, program: &Path) -> Result<Project, Stop> {
    find(chosen, Some(program))
}

fn find(chosen: Option<&Path>, program: Option<&Path>) -> Result<Project, Stop> {
    let environment = Environment::capture();
    match chosen {
        Some(root) if !root.is_dir() => {
            let message = format!("the workspace {} is no folder", root.display());
            Err(Complaint::refused("no_workspace", message)
                .file(root)
                .help("give a folder that exists; paths are relative to the current one")
                .into())
        }
        Some(root) => Project::open(root, environment).map_err(|error| refuse(&error)),
        None => Project::find(&here()?, program, environment).map_err(|error| refuse(&error)),
    }
}

/// The project of the current folder, or of `chosen`.
///
/// # Errors
/// As [`of_program`].
pub(crate) fn here_or(chosen: Option<&Path>) -> Result<Project, Stop> {
    find(chosen, None)
}

fn here() -> Result<std::path::PathBuf, Stop> {
    std::env::current_dir().map_err(|error| Stop::read(Path::new("."), error))
}

fn refuse(error: &ConfigError) -> Stop {
    match error {
        ConfigError::Invalid { file, diagnostic } => {
            let all = std::slice::from_ref(&**diagnostic);
            Complaint::refused(diagnostic.code, error.to_string())
                .file(Path::new(file.name()))
                .rendered(faults::text(all, &[file], Paint::new(false)))
                .with("help", serde_json::json!(diagnostic.help))
                .with("span", faults::span(diagnostic, &[file]))
                .into()
        }
        ConfigError::Read(error) => Complaint::refused("settings_unreadable", error.to_string())
            .file(error.path())
            .help("`contexture.toml` is a text file of settings; see docs/configuration.md")
            .into(),
        other => Complaint::refused("settings_unreadable", other.to_string()).into(),
    }
}
