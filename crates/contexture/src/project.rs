//! A project: the workspace folder, its settings and its programs.

use crate::config::{CONFIG_FILE, Config, ConfigError};
use crate::environment::{DotEnv, Environment};
use crate::extensions::Extensions;
use crate::models::Turns;
use crate::run::result::SetupError;
use crate::stores::Stores;
use contexture_store::memory::{FileMemories, MemoryStore};
use contexture_store::runs::{FolderStore, RunStore};
use contexture_store::stamp;
use contexture_tools::Workspace;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A workspace with its settings.
#[derive(Debug, Clone)]
pub struct Project {
    /// The folder that programs, tools and files are confined to.
    pub root: PathBuf,
    /// The settings.
    pub config: Config,
    /// The environment it runs in.
    pub environment: Environment,
    /// The parts that the application adds.
    pub extensions: Extensions,
    /// The stores that it was given.
    pub stores: Stores,
    /// The turns of equal models, which its runs share.
    pub turns: Turns,
}

impl Project {
    /// Finds the project of a program.
    ///
    /// The workspace is the nearest folder at or above `cwd` that holds a `contexture.toml`; else
    /// `cwd` itself. A program that lies outside it is its own project: the nearest such folder
    /// at or above the program's, else the program's folder.
    ///
    /// # Errors
    /// [`ConfigError`] when the settings can't be used.
    pub fn find(
        cwd: &Path,
        program: Option<&Path>,
        environment: Environment,
    ) -> Result<Self, ConfigError> {
        let home = root_of(cwd);
        let outside = program
            .and_then(|program| cwd.join(program).parent().map(resolved))
            .filter(|folder| !folder.starts_with(resolved(&home)));
        let root = outside.map_or(home, |folder| root_of(&folder));
        Self::open(&root, environment)
    }

    /// Opens the project whose workspace is `root`.
    ///
    /// # Errors
    /// [`ConfigError`] when the settings can't be used.
    pub fn open(root: &Path, environment: Environment) -> Result<Self, ConfigError> {
        let file = root.join(CONFIG_FILE);
        let config = if is_there(&file) { Config::read(&file)? } else { Config::default() };
        Ok(Self::with_config(root, config, environment))
    }

    /// Takes keys that are not set from the file `.env` of the workspace, if there is one (CA-12).
    /// It is a door of its own: programs read no such file.
    ///
    /// # Errors
    /// [`ReadError`](crate::reading::ReadError) when the file can't be read as text.
    pub fn take_keys(&mut self) -> Result<DotEnv, crate::reading::ReadError> {
        let file = self.root.join(".env");
        if !file.symlink_metadata().is_ok_and(|found| found.is_file()) {
            return Ok(DotEnv::default());
        }
        let text = crate::reading::argument(&file)?;
        Ok(self.environment.take_keys(&text, self.config.secrets.keys()))
    }

    /// Makes a project of a folder and its settings, without reading any.
    #[must_use]
    pub fn with_config(root: &Path, config: Config, environment: Environment) -> Self {
        let (extensions, stores) = (Extensions::of_host(), Stores::default());
        let data = config.serve.data.clone();
        let turns = Turns::default();
        let mut project =
            Self { root: resolved(root), config, environment, extensions, stores, turns };
        let text = data.as_deref().and_then(Path::to_str);
        let folder = text.and_then(|text| text.strip_prefix("sqlite:")).map(PathBuf::from).or(data);
        let is_folder = |path: &PathBuf| !path.to_str().is_some_and(crate::database::is_address);
        if let Some(data) = folder.filter(is_folder) {
            // A server refuses the workspace itself; for other commands it stays open.
            let _ = project.close(&data);
        }
        project
    }

    /// Makes a folder private: no program reads or writes in it (GU-1). It is relative to the
    /// workspace, or absolute; what lies outside the workspace can't be reached anyway. False for
    /// the workspace itself, which stays open.
    pub fn close(&mut self, folder: &Path) -> bool {
        let Some(folder) = self.within(folder) else { return true };
        self.config.policy.files.close(&folder);
        !folder.is_empty()
    }

    /// Makes a file protected: programs read it and do not write it (GU-1).
    pub fn protect(&mut self, file: &Path) {
        if let Some(file) = self.within(file) {
            self.config.policy.files.protect(&file);
        }
    }

    /// Makes the programs of a folder protected, those to come included: programs do not write them
    /// (GU-1).
    pub fn protect_programs(&mut self, folder: &Path) {
        self.protect_below(folder, "*.as");
    }

    /// Makes the files of a folder protected, those to come included.
    pub fn protect_files(&mut self, folder: &Path) {
        self.protect_below(folder, "*");
    }

    fn protect_below(&mut self, folder: &Path, pattern: &str) {
        if let Some(folder) = self.within(folder) {
            let slash = if folder.is_empty() { "" } else { "/" };
            self.config.policy.files.protect(&format!("{folder}{slash}{pattern}"));
        }
    }

    /// Returns a path from the workspace, links resolved as far as it is there.
    fn within(&self, path: &Path) -> Option<String> {
        let path = resolved_ahead(&self.root.join(path));
        let below = path.strip_prefix(&self.root).ok()?;
        let parts: Vec<_> =
            below.components().map(|part| part.as_os_str().to_string_lossy()).collect();
        Some(parts.join("/"))
    }

    /// Returns the folder in which runs are kept.
    #[must_use]
    pub fn state_folder(&self) -> PathBuf {
        self.root.join(".contexture")
    }

    /// Returns the user's home folder.
    #[must_use]
    pub fn home(&self) -> Option<&Path> {
        let variable = |name| self.environment.get(name);
        variable("HOME").or_else(|| variable("USERPROFILE")).map(Path::new)
    }

    /// Returns the path of a file in the project, or its whole path if it lies outside.
    pub(crate) fn name_of(&self, path: &Path) -> String {
        let whole = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let inside = whole.strip_prefix(&self.root).map(Path::to_owned);
        inside.unwrap_or_else(|_| path.to_owned()).display().to_string()
    }

    /// Opens the folder that everything is confined to.
    pub(crate) fn workspace(&self) -> Result<Arc<Workspace>, SetupError> {
        Workspace::with_policy(&self.root, self.config.policy.files.clone())
            .map(Arc::new)
            .map_err(|error| SetupError::new("workspace_unusable", &error, Some(error.help())))
    }

    /// Makes one store of runs for the project and its clones, which share what is open of it: each
    /// would open and close the file of larger texts again (GR-1).
    pub fn share_runs(&mut self) {
        self.stores.runs = Some(runs(self));
    }

    /// Returns the store of the workspace's memories.
    pub(crate) fn memories(&self) -> Arc<dyn MemoryStore> {
        self.stores.memory.clone().unwrap_or_else(|| Arc::new(FileMemories))
    }
}

/// Returns the runs kept in a workspace.
#[must_use]
pub fn runs(project: &Project) -> Arc<dyn RunStore> {
    let embedded = || Arc::new(FolderStore::new(project.state_folder(), stamp::system())) as _;
    project.stores.runs.clone().unwrap_or_else(embedded)
}

/// Returns the nearest folder at or above `folder` with settings, else `folder`.
fn root_of(folder: &Path) -> PathBuf {
    let found = folder.ancestors().find(|ancestor| is_there(&ancestor.join(CONFIG_FILE)));
    found.unwrap_or(folder).to_owned()
}

/// Reports whether anything has this name: settings that can't be read must not be passed over.
fn is_there(file: &Path) -> bool {
    file.symlink_metadata().is_ok()
}

/// Returns a path without symlinks; what is missing at its end stays as it is.
fn resolved_ahead(path: &Path) -> PathBuf {
    let known = path.ancestors().find_map(|above| Some((above, above.canonicalize().ok()?)));
    let Some((above, real)) = known else { return path.to_owned() };
    path.strip_prefix(above).map_or_else(|_| path.to_owned(), |rest| real.join(rest))
}

/// Returns the folder without symlinks, or unchanged when it can't be resolved.
fn resolved(folder: &Path) -> PathBuf {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    folder.canonicalize().unwrap_or_else(|_| folder.to_owned())
}
