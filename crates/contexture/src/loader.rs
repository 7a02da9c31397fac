//! Source files of the workspace, for programs and their imports (AS-2).

use crate::packs;
use crate::secrets::Secrets;
use crate::servers;
use crate::templates;
use crate::written::{self, OnDemand, resolve_import};
use contexture_context::{Budget, Limits};
use contexture_script::host::{Fitting, LoadError, LoadedSource, SourceLoader};
use contexture_script::knowledge::{KnowledgeFault, KnowledgeImport};
use contexture_script::reference::{LiteralText, ReferenceFault, ResourceImport, WrittenReference};
use contexture_script::server::{ServerFacts, ServerFault, ServerImport};
use contexture_script::template::{TemplateFacts, TemplateFault, TemplateImport};
use contexture_tools::paths::Door;
use contexture_tools::{FileError, Workspace, WorkspacePath};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

/// A loader of programs from a workspace, and from nowhere else but the folder of a program that a
/// person took from outside.
#[derive(Debug, Clone)]
pub struct WorkspaceLoader {
    references: Arc<OnDemand>,
    /// The folder of a program from outside: its imports of programs are read there, since those of
    /// the workspace are data to it. All else that it names is in the workspace.
    outside: Option<Workspace>,
}

impl WorkspaceLoader {
    pub(crate) const fn new(references: Arc<OnDemand>) -> Self {
        Self { references, outside: None }
    }

    /// Returns a program whose text is at hand, by its path. An absolute path outside of the
    /// workspace gives the folder from which its imports of programs are read.
    pub(crate) fn given(&mut self, path: &Path, text: &str) -> Result<LoadedSource, FileError> {
        let root = self.references.workspace().root();
        let found = path.canonicalize().ok().filter(|_| path.is_absolute());
        let found = found.filter(|found| !found.starts_with(root));
        let mut name = path.display().to_string();
        if let Some((folder, file)) =
            found.as_deref().and_then(|found| Some((found.parent()?, found.file_name()?)))
        {
            let policy = self.references.project().config.policy.files.clone();
            self.outside = Some(Workspace::with_policy(folder, policy)?);
            name = file.to_string_lossy().into_owned();
        }
        Ok(LoadedSource { name, text: text.to_owned() })
    }

    fn limits(&self) -> &Limits {
        &self.references.project().config.limits
    }

    /// Reads the program at `path`, a path of the file system.
    ///
    /// # Errors
    /// [`LoadError`] when it is missing, not text, too large, or outside the workspace.
    pub fn program(&self, path: &Path) -> Result<LoadedSource, LoadError> {
        let shown = path.display().to_string();
        let absolute = std::path::absolute(path)
            .map_err(|error| LoadError { message: format!("{shown}: {error}"), help: None })?;
        let text = absolute.to_str().ok_or_else(|| LoadError {
            message: format!("the path {shown} is not valid Unicode"),
            help: Some("rename the file".to_owned()),
        })?;
        // Whoever starts a program names it: a person.
        let workspace = self.references.workspace().through(Door::Person);
        self.read(&workspace, workspace.resolve(text))
    }

    /// Reads a file of the program, which is protected from then on: a program does not rewrite
    /// itself.
    fn read(
        &self,
        workspace: &Workspace,
        place: Result<WorkspacePath, FileError>,
    ) -> Result<LoadedSource, LoadError> {
        let place = place.map_err(load_error)?;
        let limit = self.limits().source_bytes as u64;
        let text = workspace.read_text(&place, limit).map_err(source_error)?;
        workspace.protect(&place);
        Ok(LoadedSource { name: place.as_str().to_owned(), text })
    }
}

impl SourceLoader for WorkspaceLoader {
    fn load(&self, importer: &str, path: &str) -> Result<LoadedSource, LoadError> {
        let workspace = self.outside.as_ref().unwrap_or(self.references.workspace());
        let place = resolve_import(workspace, importer, path);
        let outside = self.outside.is_some().then(|| LoadError {
            message: format!("`{path}` is not a program in the folder of this one"),
            help: Some("a program outside of the workspace imports `.as` files from its own folder and below".to_owned()),
        });
        let place = match (place, outside) {
            (Err(_), Some(refused)) => return Err(refused),
            (Ok(place), Some(refused)) if !place.as_str().ends_with(".as") => return Err(refused),
            (place, _) => place.map_err(load_error)?,
        };
        if self.references.packs().holds(&workspace.root().join(place.as_str())) {
            let message = format!(
                "{place} lies in a knowledge pack, and what a pack says is data and no program"
            );
            let help = "copy it into the project if you mean to run it";
            return Err(LoadError { message, help: Some(help.to_owned()) });
        }
        self.read(workspace, Ok(place))
    }

    fn file(&self, importer: &str, path: &str) -> Result<(), LoadError> {
        let workspace = self.references.workspace();
        let place = resolve_import(workspace, importer, path).map_err(load_error)?;
        workspace.require_regular(&place).map_err(load_error)?;
        // It has the trust of the program, so nothing that the program was told is written there.
        workspace.protect(&place);
        Ok(())
    }

    fn template(&self, import: &TemplateImport) -> Result<TemplateFacts, Vec<TemplateFault>> {
        let limit = self.limits().file_bytes as u64;
        let read = templates::read(&self.references, import, limit).map_err(|error| {
            let fault = LoadError { message: error.to_string(), help: Some(error.help()) };
            vec![TemplateFault::Unreadable(fault)]
        })?;
        read.facts(&self.references)
    }

    fn resource(&self, import: &ResourceImport) -> Result<(), ReferenceFault> {
        written::check_import(self.references.get(), import)
    }

    fn fitting(&self, import: &ResourceImport, budget: Budget) -> Option<Fitting> {
        written::fitting(self.references.get(), import, budget)
    }

    fn knowledge(&self, import: &KnowledgeImport) -> Vec<KnowledgeFault> {
        packs::faults(self.references.packs(), import)
    }

    fn server(&self, import: &ServerImport) -> Result<ServerFacts, ServerFault> {
        servers::facts(self.references.project(), import)
    }

    fn secrets(&self) -> Option<BTreeSet<String>> {
        Some(Secrets::of(self.references.project()).names())
    }

    fn model_schemes(&self) -> Vec<String> {
        self.references.project().extensions.schemes().map(str::to_owned).collect()
    }

    fn references(&self, text: &LiteralText) -> Vec<WrittenReference> {
        written::check_text(self.references.get().loader(), text)
    }
}

fn load_error(error: FileError) -> LoadError {
    LoadError { message: error.to_string(), help: Some(error.help()) }
}

/// Does the same for a file of the program, whose limit is another one.
fn source_error(error: FileError) -> LoadError {
    let help = match &error {
        FileError::TooLarge { .. } => {
            "split it, or raise `source_bytes` under [limits] in contexture.toml".to_owned()
        }
        other => other.help(),
    };
    LoadError { message: error.to_string(), help: Some(help) }
}
