//! The project that a command works in.

use crate::output::diagnostics;
use crate::output::error::{Abort, CommandError};
use crate::output::paint::ColorWhen;
use crate::output::paint::Paint;
use crate::output::terminal::Terminal;
use contexture::{ConfigError, DotEnv, Environment, Project};
use std::path::{Path, PathBuf};
use std::sync::Once;

/// The option that names the project.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Workspace {
    /// The project folder, which files and tools are confined to [default: the nearest folder with
    /// a contexture.toml, else the current one].
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    pub(crate) workspace: Option<PathBuf>,
}

impl Workspace {
    pub(crate) fn open(&self) -> Result<Project, Abort> {
        here_or(self.workspace.as_deref())
    }

    /// Opens the project of a file, unless the option names one.
    pub(crate) fn open_for(&self, file: Option<&Path>) -> Result<Project, Abort> {
        find(self.workspace.as_deref(), file)
    }
}

/// Opens the project of a program; `chosen` is `--workspace`.
pub(crate) fn of_program(chosen: Option<&Path>, program: &Path) -> Result<Project, Abort> {
    find(chosen, Some(program))
}

/// Opens the project of a program for an editor, which is told nothing of its keys (TY-10).
#[cfg(feature = "lsp")]
pub(crate) fn of_editor(program: &Path) -> Result<Project, ConfigError> {
    let folder = program.parent().unwrap_or(program);
    let mut project = Project::find(folder, Some(program), Environment::capture())?;
    // Without the names of `.env` the check would miss secrets that a run has; a file that can't be
    // read has none.
    let _ = project.take_keys();
    Ok(project)
}

/// Opens the project of the current folder, or of `chosen`.
pub(crate) fn here_or(chosen: Option<&Path>) -> Result<Project, Abort> {
    find(chosen, None)
}

fn find(chosen: Option<&Path>, program: Option<&Path>) -> Result<Project, Abort> {
    let environment = Environment::capture();
    match chosen {
        Some(root) if !root.is_dir() => {
            let message = format!("the workspace {} is not a folder", root.display());
            Err(CommandError::refused("no_workspace", message)
                .file(root)
                .help("name an existing folder; paths are relative to the current one")
                .into())
        }
        Some(root) => Project::open(root, environment).map_err(|error| refuse(&error)),
        None => Project::find(&here()?, program, environment).map_err(|error| refuse(&error)),
    }
    .and_then(with_keys)
}

/// Takes the keys of the file `.env` of a project, and says so once.
fn with_keys(mut project: Project) -> Result<Project, Abort> {
    static SAID: Once = Once::new();
    let DotEnv { taken, left_out } = project.take_keys()?;
    let terminal = Terminal::of_process(ColorWhen::default());
    SAID.call_once(|| {
        if !taken.is_empty() {
            terminal.note(&format!("{} from .env", taken.join(", ")));
        }
        if !left_out.is_empty() {
            let names = left_out.join(", ");
            let are = if left_out.len() == 1 { "is" } else { "are" };
            terminal.note(&format!("{names} of .env {are} left out: it supplies keys only"));
        }
    });
    Ok(project)
}

fn here() -> Result<PathBuf, Abort> {
    std::env::current_dir().map_err(|error| Abort::read(Path::new("."), error))
}

fn refuse(error: &ConfigError) -> Abort {
    match error {
        ConfigError::Invalid { file, diagnostic } => {
            diagnostics::refused_file(file, diagnostic, Paint::new(false)).into()
        }
        ConfigError::Read(error) => CommandError::refused("settings_unreadable", error.to_string())
            .file(error.path())
            .help("`contexture.toml` is a text file of settings; see docs/configuration.md")
            .into(),
        other => CommandError::refused("settings_unreadable", other.to_string()).into(),
    }
}
