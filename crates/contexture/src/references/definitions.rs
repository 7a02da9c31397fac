//! The definition files of a project: found, read, and sorted into layers (REF-19).

use super::Options;
use crate::project::Project;
use crate::reading::reason;
use contexture_diagnostic::{Diagnostic, SourceFile, Span};
use contexture_reference::definition::{self, Definitions, Layer, Limits, Origin};
use contexture_reference::protocols::Files;
use contexture_reference::{LoadLimits, Parameters, Place, Request, codes};
use contexture_tools::paths::Door;
use contexture_tools::{EntryKind, FileError, Workspace, WorkspacePath};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The folder of definition files, in the workspace and in the home folder.
const FOLDER: &str = ".contexture/resources";

/// The endings of the names of definition files.
const ENDINGS: [&str; 3] = [".resource.md", ".protocol.md", ".tag.md"];

/// The most entries that a folder of definition files may have.
const ENTRIES: usize = 4_096;

/// The definition files that were found, and their definitions.
pub(super) struct Gathered {
    pub(super) definitions: Definitions,
    /// The folders that may be read; the workspace first.
    pub(super) roots: Vec<Arc<Workspace>>,
    pub(super) sources: Vec<SourceFile>,
    pub(super) diagnostics: Vec<Diagnostic>,
    files: Vec<File>,
}

/// A definition file that is there.
struct File {
    layer: Layer,
    shown: String,
    root: usize,
    path: WorkspacePath,
    /// Its path without symlinks: a file is read once, for its latest layer.
    real: PathBuf,
}

/// Reads all definition files of a project.
pub(super) fn gather(project: &Project, workspace: &Arc<Workspace>, options: &Options) -> Gathered {
    let mut found = Gathered {
        definitions: Definitions::built_in(),
        // The settings, the command line and Contexture itself name these files.
        roots: vec![Arc::new(workspace.through(Door::Person))],
        sources: Vec::new(),
        diagnostics: Vec::new(),
        files: Vec::new(),
    };
    // The list of a command comes before that of the settings: of one layer the first one wins.
    for file in &options.definitions {
        found.explicit(file, file);
    }
    for file in &project.config.references.definitions {
        found.explicit(file, &project.root.join(file));
    }
    for pattern in &project.config.references.registries {
        found.registries(pattern);
    }
    for (protocol, glob) in &project.config.references.globs {
        // The settings were checked when they were read.
        let _ = found.definitions.add_glob(protocol, glob.clone());
    }
    found.folder(Layer::Workspace, 0, FOLDER, FOLDER);
    found.of_user(project);
    found.read(options);
    found
}

impl Gathered {
    /// Adds a file that is named explicitly; its folder may be read for its registry.
    fn explicit(&mut self, shown: &Path, file: &Path) {
        let name = shown.display().to_string();
        let absolute = std::path::absolute(file).and_then(|path| path.metadata().map(|_| path));
        let absolute = match absolute {
            Ok(absolute) => absolute,
            Err(error) => return self.unreadable(&name, &reason(&error), None),
        };
        match self.place(&absolute) {
            Ok((root, path)) => self.add(Layer::Explicit, name, root, path),
            Err(error) => self.unreadable(&name, &error.to_string(), Some(error.help())),
        }
    }

    /// Returns the root of a file and its path there; a folder outside the workspace is a root of
    /// its own.
    fn place(&mut self, file: &Path) -> Result<(usize, WorkspacePath), FileError> {
        let text = |path: &Path| path.to_str().map(str::to_owned);
        let unnamed = || FileError::NameNotText(file.display().to_string());
        if let Some(workspace) = self.roots.first()
            && let Ok(path) = workspace.resolve(&text(file).ok_or_else(unnamed)?)
        {
            return Ok((0, path));
        }
        let root = Workspace::open(file.parent().unwrap_or(file))?;
        let name = file.file_name().and_then(|name| text(Path::new(name))).ok_or_else(unnamed)?;
        let path = root.resolve(&name)?;
        Ok((self.root(root), path))
    }

    /// Returns the number of a root; one that is known already keeps its own.
    fn root(&mut self, root: Workspace) -> usize {
        let known = self.roots.iter().position(|known| known.root() == root.root());
        known.unwrap_or_else(|| {
            self.roots.push(Arc::new(root));
            self.roots.len() - 1
        })
    }

    /// Adds the registry files that a pattern of the settings matches (MA-2).
    fn registries(&mut self, pattern: &str) {
        let Some(workspace) = self.roots.first().map(Arc::clone) else { return };
        let limits = LoadLimits::default();
        let request = Request {
            reference: pattern,
            path: pattern,
            parameters: &Parameters::default(),
            input: &[],
            place: &Place::workspace(),
            max_bytes: limits.max_bytes,
            max_resources: ENTRIES,
        };
        let matches = match Files::new(vec![Arc::clone(&workspace)]).read(request) {
            Ok(loaded) => loaded.resources,
            Err(error) => return self.unreadable(pattern, &error.message, error.help),
        };
        if matches.is_empty() {
            let help = "correct `[references] registries`".to_owned();
            return self.unreadable(pattern, "the pattern matches no file", Some(help));
        }
        for resource in matches {
            let path = resource.reference.strip_prefix("@file://").unwrap_or(pattern);
            if let Ok(path) = workspace.resolve(path) {
                self.add(Layer::Explicit, path.to_string(), 0, path);
            }
        }
    }

    fn of_user(&mut self, project: &Project) {
        let Some(folder) = project.home().map(|home| home.join(FOLDER)) else { return };
        if folder.symlink_metadata().is_err() {
            return;
        }
        let shown = format!("~/{FOLDER}");
        match Workspace::open(&folder) {
            Ok(root) => {
                let root = self.root(root);
                self.folder(Layer::User, root, ".", &shown);
            }
            Err(error) => self.unreadable(&shown, &error.to_string(), Some(error.help())),
        }
    }

    /// Adds the definition files of a folder, by name.
    fn folder(&mut self, layer: Layer, root: usize, folder: &str, shown: &str) {
        let Some(workspace) = self.roots.get(root).map(Arc::clone) else { return };
        let entries =
            workspace.resolve(folder).and_then(|folder| workspace.entries(&folder, ENTRIES));
        let entries = match entries {
            Ok(listing) => listing.entries,
            Err(FileError::NotFound { .. }) => return,
            Err(error) => return self.unreadable(shown, &error.to_string(), Some(error.help())),
        };
        for entry in entries {
            let name = entry.path.name();
            let named = ENDINGS.iter().any(|end| name.ends_with(end));
            if named && entry.kind != EntryKind::Folder {
                let shown = format!("{shown}/{name}");
                self.add(layer, shown, root, entry.path);
            }
        }
    }

    /// Adds a file, unless it is known from a later layer.
    fn add(&mut self, layer: Layer, shown: String, root: usize, path: WorkspacePath) {
        let Some(workspace) = self.roots.get(root) else { return };
        let real = workspace.root().join(path.as_str());
        let real = real.canonicalize().unwrap_or(real);
        if self.files.iter().all(|known| known.real != real) {
            self.files.push(File { layer, shown, root, path, real });
        }
    }

    fn read(&mut self, options: &Options) {
        let options = definition::Options { examples: options.examples, limits: Limits::default() };
        let mut files = std::mem::take(&mut self.files);
        files.sort_by_key(|file| file.layer);
        for file in files {
            let Some(workspace) = self.roots.get(file.root) else { continue };
            let text = workspace.read_text(&file.path, options.limits.file_bytes as u64);
            let text = match text {
                Ok(text) => text,
                Err(error) => {
                    self.unreadable(&file.shown, &error.to_string(), Some(error.help()));
                    continue;
                }
            };
            let folder = file.path.parent();
            let folder = if folder.as_str() == "." { "" } else { folder.as_str() };
            let place = Place { root: file.root, folder: folder.to_owned() };
            let origin = Origin::new(file.layer, file.shown.as_str()).at(place);
            let is_json = Path::new(file.path.name()).extension().is_some_and(|it| it == "json");
            self.diagnostics.extend(match is_json {
                true => self.definitions.add_registry(&origin, &text),
                false => self.definitions.add(origin, &text, &options),
            });
            self.sources.push(SourceFile::new(file.shown, text));
        }
    }

    fn unreadable(&mut self, file: &str, cause: &str, help: Option<String>) {
        let message = format!("these definitions can't be read: {cause}");
        let fault = codes::UNREADABLE_DEFINITIONS.at(Span::at(0), message).in_file(file);
        let help = help.unwrap_or_else(|| "name a file that is there, or remove it".to_owned());
        self.diagnostics.push(fault.with_help(help));
    }
}
