//! The references in a program: found, and checked as far as possible without loading (REF-4,
//! REF-6).
//!
//! Decision: the check of a program and its run find references by the same code, so that both mean
//! the same ones.

use crate::host::whole;
use crate::packs;
use crate::project::Project;
use crate::references::{Options, References};
use crate::run::request::Contexts;
use contexture_context::{Budget, DeclaredItem};
use contexture_diagnostic::Severity;
use contexture_reference::scan::{Malformed, scan};
use contexture_reference::syntax::{Reference, Semantics, SyntaxError};
use contexture_reference::{LoadError, Loader, Place};
use contexture_script::host::Fitting;
use contexture_script::reference::{LiteralText, ReferenceFault, ResourceImport, WrittenReference};
use contexture_tools::{FileError, Workspace, WorkspacePath};
use futures_util::FutureExt as _;
use std::sync::{Arc, OnceLock};

/// The references of a project, set up on first use: most programs have none.
#[derive(Debug)]
pub(crate) struct OnDemand {
    project: Project,
    workspace: Arc<Workspace>,
    packs: Arc<packs::OnDemand>,
    contexts: Option<Contexts>,
    opened: OnceLock<References>,
}

impl OnDemand {
    /// Creates them; `@context://` reads `contexts`, or without them those of the workspace.
    pub(crate) fn new(
        project: &Project,
        workspace: Arc<Workspace>,
        packs: Arc<packs::OnDemand>,
        contexts: Option<Contexts>,
    ) -> Arc<Self> {
        let project = project.clone();
        Arc::new(Self { project, workspace, packs, contexts, opened: OnceLock::new() })
    }

    /// Returns the knowledge packs that references may lead to.
    pub(crate) fn packs(&self) -> &packs::OnDemand {
        &self.packs
    }

    /// Returns the texts to mask of the secret files that were read so far.
    pub(crate) fn secrets(&self) -> Vec<String> {
        let mut secrets = self.workspace.secrets();
        secrets.extend(self.opened.get().into_iter().flat_map(References::secrets));
        secrets
    }

    pub(crate) const fn workspace(&self) -> &Arc<Workspace> {
        &self.workspace
    }

    pub(crate) const fn project(&self) -> &Project {
        &self.project
    }

    pub(crate) fn get(&self) -> &References {
        self.opened.get_or_init(|| {
            let workspace = Arc::clone(&self.workspace);
            let packs = Arc::clone(&self.packs);
            let contexts = self.contexts.clone();
            References::with_packs(&self.project, workspace, packs, contexts, &Options::default())
        })
    }
}

/// Returns the place that an import means: relative to the folder of the importing file.
///
/// # Errors
/// [`FileError`] when it lies outside the workspace.
pub(crate) fn resolve_import(
    workspace: &Workspace,
    importer: &str,
    path: &str,
) -> Result<WorkspacePath, FileError> {
    let importer = workspace.resolve(importer)?;
    workspace.resolve_from(&importer.parent(), path)
}

/// Returns where the references of a program's file start: in its folder (REF-21).
pub(crate) fn place_of(file: &str) -> Place {
    Place::folder(file.rsplit_once('/').map_or("", |(folder, _)| folder))
}

/// Checks the reference of an import.
pub(crate) fn check_import(
    references: &References,
    import: &ResourceImport,
) -> Result<(), ReferenceFault> {
    let text = import.reference.as_str();
    let reference = Reference::parse(text).map_err(|error| of_syntax(&error, 0, text.len()))?;
    let whole = |error: &LoadError, severity| of_route(error, severity, (0, text.len()));
    let route = references.loader().route(&reference, &place_of(&import.importer));
    let route = route.map_err(|error| whole(&error, Severity::Error))?;
    let has =
        |meant| route.semantics == meant || route.steps.iter().any(|step| step.semantics == meant);
    // What is loaded on demand may be there by then.
    if has(Semantics::Lazy) {
        return Ok(());
    }
    let Some(error) = references.unmatched(&route) else { return Ok(()) };
    let is_hot = has(Semantics::Hot);
    Err(whole(&error, if is_hot { Severity::Error } else { Severity::Warning }))
}

/// Returns how many texts a pattern of files gives, and how many of them a budget holds whole. They
/// are counted by the tokenizer of the default model.
pub(crate) fn fitting(
    references: &References,
    import: &ResourceImport,
    budget: Budget,
) -> Option<Fitting> {
    let reference = Reference::parse(&import.reference).ok()?;
    let place = place_of(&import.importer);
    let loader = references.loader();
    let route = loader.route(&reference, &place).ok()?;
    // What is loaded on demand may be anything by then.
    let is_lazy = route.semantics == Semantics::Lazy;
    if is_lazy || loader.connects(&route) || !References::is_of_files(&route) {
        return None;
    }
    // Files are there at once.
    let loaded = loader.load(&reference, &place).now_or_never()?.ok()?;
    let texts = loaded.resources.iter().filter(|resource| resource.text().is_some());
    let items: Vec<DeclaredItem> = texts
        .map(|resource| DeclaredItem {
            label: None,
            source: resource.reference.clone(),
            position: None,
            value: resource.text().unwrap_or_default().into(),
            budget: Some(budget),
            keep: budget.keep,
            priority: 0,
            question: None,
            origin: resource.trust.into(),
            fence: references.fence(&resource.reference, resource.trust),
        })
        .collect();
    let whole = whole(&items, references.tokenizer()).ok()?;
    Some(Fitting { files: items.len(), whole })
}

/// Returns the references of a literal text, each with its known fault.
pub(crate) fn check_text(loader: &Loader, text: &LiteralText) -> Vec<WrittenReference> {
    let place = place_of(&text.file);
    let found = scan(&text.text).map(|found| match found {
        Ok(found) => {
            let hot = found.reference.semantics() == Semantics::Hot;
            let severity = if hot { Severity::Error } else { Severity::Warning };
            let error = loader.route(&found.reference, &place).err();
            let fault = error.map(|error| of_route(&error, severity, (found.start, found.end)));
            WrittenReference { start: found.start, end: found.end, fault }
        }
        Err(Malformed { error, start, end, .. }) => {
            WrittenReference { start, end, fault: Some(of_syntax(&error, start, end)) }
        }
    });
    found.collect()
}

/// Returns the fault of a syntax error between `start` and `end`.
fn of_syntax(error: &SyntaxError, start: usize, end: usize) -> ReferenceFault {
    let at = start.saturating_add(error.offset).min(end);
    ReferenceFault {
        code: error.code,
        severity: Severity::Error,
        start: at,
        end: at.saturating_add(error.found.len().max(1)).min(end.max(at + 1)),
        message: format!("this is not a reference: {}", error.message()),
        help: Some(error.help.to_string()),
    }
}

fn of_route(error: &LoadError, severity: Severity, (start, end): (usize, usize)) -> ReferenceFault {
    ReferenceFault {
        code: error.code,
        severity,
        start,
        end,
        message: error.to_string(),
        help: error.help.clone(),
    }
}
