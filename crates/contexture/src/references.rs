//! The references of a project: their protocols, what these may read, and where (REF-19 to REF-22).
//!
//! Decision: one value per project, created before anything is loaded. Definition files that can't
//! be used are reported as diagnostics and stop nothing: a reference that needs them fails by
//! itself.
//!
//! ```
//! use contexture::reference::{Place, syntax::Reference};
//! use contexture::references::{Options, References};
//! use contexture::{Environment, Project};
//!
//! # let folder = tempfile::tempdir()?;
//! # let folder = folder.path();
//! std::fs::create_dir_all(folder.join(".contexture/resources"))?;
//! std::fs::write(folder.join(".contexture/resources/style.resource.md"), "\
//! <resource protocol=\"style\">
//! <registry>
//! | id | reference |
//! |----|-----------|
//! | tone | @file://style/tone.md |
//! </registry>
//! </resource>
//! ")?;
//! std::fs::create_dir(folder.join("style"))?;
//! std::fs::write(folder.join("style/tone.md"), "Be brief.\n")?;
//!
//! let project = Project::open(folder, Environment::default())?;
//! let references = References::open(&project, &Options::default())?;
//! # let runtime = tokio::runtime::Builder::new_current_thread().build()?;
//! # runtime.block_on(async {
//! let tone = Reference::parse("@!style://tone")?;
//! let loaded = references.loader().load(&tone, &Place::workspace()).await?;
//! assert_eq!(loaded.resources[0].text(), Some("Be brief.\n"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod context;
mod definitions;
mod explain;
mod files;
mod knowledge;
mod memory;
#[cfg(any(feature = "references-ftp", feature = "references-net", feature = "references-ssh"))]
mod network;
mod skills;
#[cfg(test)]
mod tests;

use crate::models::default_model;
use crate::observe::Silent;
pub use crate::packs::pack_of;
use crate::packs::{self, OnDemand};
use crate::project::Project;
use crate::run::request::Contexts;
use crate::run::result::SetupError;
pub use explain::{Look, Target, kind_of};
pub(crate) use knowledge::{fence_of, inside};
pub use skills::Skill;

use context::Conversations;
use contexture_context::fence::Fence;
use contexture_context::tokens::tokenizer_for;
use contexture_context::{TokenCounter, Trust};
use contexture_diagnostic::{Diagnostic, SourceFile};
use contexture_reference::protocols::{Environment, Files, Located, Memory};
use contexture_reference::{
    LoadError, LoadLimits, Loader, Place, PlanOptions, Request, Route, StepKind, pattern,
};
use contexture_tools::paths::Door;
use contexture_tools::{FileError, Workspace};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The options beside the settings.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Options {
    /// Definition files named explicitly, relative to the current folder.
    pub definitions: Vec<PathBuf>,
    /// True if examples in definition files count: resource elements in code fences.
    pub examples: bool,
    /// The options for finding and reading knowledge packs.
    pub packs: packs::Options,
}

/// The references of a project.
#[derive(Debug)]
pub struct References {
    loader: Loader,
    packs: Arc<OnDemand>,
    files: Files,
    roots: Vec<Arc<Workspace>>,
    plan: PlanOptions,
    tokenizer: &'static dyn TokenCounter,
    sources: Vec<SourceFile>,
    diagnostics: Vec<Diagnostic>,
}

/// The place that a path leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Whereabouts {
    /// The folder that it is confined to.
    pub root: PathBuf,
    /// The path within that folder.
    pub path: String,
    /// True if the workspace root was taken, because nothing is there in the document's folder.
    pub fell_back: bool,
}

impl References {
    /// Reads the settings and the definition files of a project.
    ///
    /// # Errors
    /// [`SetupError`] when the workspace can't be opened.
    pub fn open(project: &Project, options: &Options) -> Result<Self, SetupError> {
        Ok(Self::in_workspace(project, project.workspace()?, options))
    }

    /// Does what [`References::open`] does, in a workspace that is open already.
    #[must_use]
    pub fn in_workspace(project: &Project, workspace: Arc<Workspace>, options: &Options) -> Self {
        let packs = OnDemand::new(project, options.packs.clone(), Arc::new(Silent));
        Self::with_packs(project, workspace, packs, None, options)
    }

    pub(crate) fn with_packs(
        project: &Project,
        workspace: Arc<Workspace>,
        packs: Arc<OnDemand>,
        contexts: Option<Contexts>,
        options: &Options,
    ) -> Self {
        let settings = &project.config.references;
        let found = definitions::gather(project, &workspace, options);
        let roots = found.roots.iter().map(|root| Arc::new(root.through(Door::Resources)));
        let roots: Vec<Arc<Workspace>> = roots.collect();
        let files = Files::new(roots.clone());
        let limits = LoadLimits {
            max_bytes: project.config.limits.file_bytes as u64,
            ..LoadLimits::default()
        };
        let plan = PlanOptions {
            policy: settings.policy,
            budget: Some(settings.budget),
            ..PlanOptions::default()
        };
        let memory = memory::Stored::new(&workspace, project.memories(), settings.memory.clone());
        let tokenizer = tokenizer_for(&default_model(project, None).uri);
        let loader = Loader::new(tokenizer)
            .with_limits(limits)
            .with_expansion(plan.clone())
            .with_definitions(found.definitions)
            .with(Arc::new(files::OfPacks::new(files.clone(), roots.clone(), Arc::clone(&packs))))
            .with(Arc::new(Memory::new(Arc::new(memory))))
            .with(Arc::new(environment(project)));
        #[cfg(any(
            feature = "references-ftp",
            feature = "references-net",
            feature = "references-ssh"
        ))]
        let loader = network::protocols(project).into_iter().fold(loader, Loader::with);
        let loader = loader
            .with(Arc::new(Conversations::new(project, contexts)))
            .with(Arc::new(knowledge::Knowledge::new(Arc::clone(&packs))));
        let loader = match roots.first() {
            Some(workspace) => loader.with(Arc::new(skills::Skills::new(Arc::clone(workspace)))),
            None => loader,
        };
        let added = project.extensions.protocols().iter().cloned();
        let loader = added.fold(loader, Loader::with);
        Self {
            loader,
            packs,
            files,
            roots,
            plan,
            tokenizer,
            sources: found.sources,
            diagnostics: found.diagnostics,
        }
    }

    /// Returns their loader.
    #[must_use]
    pub fn loader(&self) -> &Loader {
        &self.loader
    }

    /// Returns the fence around the text of a reference, wherever it is shown: that of its pack
    /// (KN-13), or the general one for other text from outside the workspace.
    #[must_use]
    pub fn fence(&self, reference: &str, trust: Trust) -> Option<Fence> {
        let of_pack = fence_of(&self.packs, reference, trust);
        of_pack.or_else(|| (trust >= Trust::External).then(|| Fence::data(trust)))
    }

    /// Returns the settings of plans, for a text at `place`.
    #[must_use]
    pub fn plan_options(&self, place: Place) -> PlanOptions {
        PlanOptions { place, ..self.plan.clone() }
    }

    /// Returns the error of a pattern of files that matches nothing, if the route begins with one.
    pub(crate) fn unmatched(&self, route: &Route) -> Option<LoadError> {
        let step = route.steps.first().filter(|step| step.name == "file")?;
        let StepKind::Source { path } = &step.kind else { return None };
        let limits = LoadLimits::default();
        let request = Request {
            reference: &step.reference,
            path,
            parameters: &step.parameters,
            input: &[],
            place: &route.place,
            max_bytes: limits.max_bytes,
            max_resources: limits.max_resources,
        };
        // What can't be searched is told when it is loaded.
        let message = self.files.unmatched(request).ok().flatten()?;
        let help = "fix the pattern: it starts in the folder of the file that imports it, or in the workspace";
        Some(LoadError::new("REF3037", &step.reference, message).with_help(help))
    }

    /// Reports whether a route begins with a pattern of files.
    pub(crate) fn is_of_files(route: &Route) -> bool {
        let first = route.steps.first().filter(|step| step.name == "file");
        first.is_some_and(|step| match &step.kind {
            StepKind::Source { path } => pattern::is_pattern(path),
            _ => false,
        })
    }

    /// Returns the tokenizer of the project's default model.
    pub(crate) const fn tokenizer(&self) -> &'static dyn TokenCounter {
        self.tokenizer
    }

    /// Returns the texts to mask of the secret files that were read so far.
    pub(crate) fn secrets(&self) -> Vec<String> {
        self.roots.iter().flat_map(|root| root.secrets()).collect()
    }

    /// Returns the Agent Skills of the workspace, by name (MA-3).
    #[must_use]
    pub fn skills(&self) -> Vec<Skill> {
        let found = |workspace: &Arc<Workspace>| {
            skills::find(workspace, self.loader.limits().max_bytes).skills
        };
        self.roots.first().map(found).unwrap_or_default()
    }

    /// Returns the diagnostics of the definition files.
    #[must_use]
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// Returns the definition files that were read, for excerpts.
    #[must_use]
    pub fn sources(&self) -> &[SourceFile] {
        &self.sources
    }

    /// Returns the place of a folder of the file system; `None` outside the workspace.
    #[must_use]
    pub fn place_of(&self, folder: &Path) -> Option<Place> {
        let workspace = self.roots.first()?;
        let within = |folder: &Path| workspace.resolve(folder.to_str()?).ok();
        let path = std::path::absolute(folder).ok().and_then(|folder| within(&folder));
        let path = path.or_else(|| within(&folder.canonicalize().ok()?))?;
        Some(Place::folder(if path.as_str() == "." { "" } else { path.as_str() }))
    }

    /// Returns where a path of the protocol `file` leads from a place; `None` for a pattern.
    ///
    /// # Errors
    /// [`FileError`] when it leads out of what may be read, or nothing is there.
    pub fn whereabouts(&self, path: &str, place: &Place) -> Result<Option<Whereabouts>, FileError> {
        if pattern::is_pattern(path) {
            return Ok(None);
        }
        let Located { root, path, fell_back } = self.files.locate(path, place)?;
        let root = self.root(root).to_owned();
        Ok(Some(Whereabouts { root, path: path.as_str().to_owned(), fell_back }))
    }

    /// Returns the folder behind the number of a root; 0 is the workspace.
    #[must_use]
    pub fn root(&self, number: usize) -> &Path {
        self.roots.get(number).map_or(Path::new(""), |root| root.root())
    }
}

/// Returns the variables that the settings allow, with their values.
fn environment(project: &Project) -> Environment {
    let vars = project.environment.vars();
    let names = project.config.references.env.iter();
    Environment::of(names.map(|name| (name.clone(), vars.get(name).cloned())))
}
