//! Templates of the workspace, read with the partials they include (AS-2).
//!
//! Decision: the check of a program and its run read templates by the same code, so that both mean
//! the same files. `{{> name}}` is the template that the importing file imports under that name,
//! else the file of that stem in the template's own folder.

mod included;
mod shelf;

pub(crate) use included::{Door, warnings};
pub use included::{IncludedText, IncludedTexts, LoadedResource};
pub use shelf::{StandaloneTemplate, TemplateShelf, TemplateVariable};

use crate::written::{OnDemand, place_of, resolve_import};
use contexture_context::Digest;
use contexture_diagnostic::{Diagnostic, SourceFile, nearest};
use contexture_prompt::{
    AmbiguousPartial, CheckReport, Included, PromptTemplateRegistry, check_with, codes,
    gather_partials, partial_file,
};
use contexture_reference::Place;
use contexture_reference::syntax::Reference;
use contexture_script::template::{TemplateFacts, TemplateFault, TemplateImport, TemplatePlace};
use contexture_tools::{EntryKind, FileError, Workspace, WorkspacePath};
use std::collections::BTreeMap;
use std::path::Path;

/// Entries of a folder that may hold partials.
const MAX_ENTRIES: usize = 100_000;

/// A template with its partials, as read.
#[derive(Debug)]
pub(crate) struct ReadTemplate {
    pub(crate) text: SourceFile,
    /// The partials by name; they are compiled when they are used.
    pub(crate) registry: PromptTemplateRegistry,
    /// The partials' texts by name.
    pub(crate) partials: BTreeMap<String, SourceFile>,
    /// All names that a partial may have here.
    names: Vec<String>,
}

/// The reason why a template could not be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ReadError {
    #[error(transparent)]
    File(#[from] FileError),
    #[error("in the folder of the template, {0}")]
    Ambiguous(#[from] AmbiguousPartial),
    #[error("{0} lies in a knowledge pack, and what a pack says is data and no template")]
    InPack(String),
}

impl ReadError {
    pub(crate) fn code(&self) -> &'static str {
        match self {
            Self::File(error) => error.code(),
            Self::Ambiguous(_) => "ambiguous_partial",
            Self::InPack(_) => "pack_is_data",
        }
    }

    pub(crate) fn help(&self) -> String {
        match self {
            Self::File(error) => error.help(),
            Self::InPack(_) => {
                "include it as data: `{{> @knowledge://NAME/PATH}}` in a template of your own"
                    .to_owned()
            }
            Self::Ambiguous(AmbiguousPartial { name, .. }) => format!(
                "rename all but one, or name the one that is meant: `import template {name} from \"…\"`"
            ),
        }
    }
}

/// Reads a template with all that it includes; no file may have more than `limit` bytes.
pub(crate) fn read(
    references: &OnDemand,
    import: &TemplateImport,
    limit: u64,
) -> Result<ReadTemplate, ReadError> {
    let workspace = &**references.workspace();
    let place = resolve_import(workspace, &import.importer, &import.path)?;
    let file = |place: &WorkspacePath| {
        if references.packs().holds(&workspace.root().join(place.as_str())) {
            return Err(ReadError::InPack(place.to_string()));
        }
        Ok(file(workspace, place, limit)?)
    };
    let text = file(&place)?;
    let mut finder = Finder { workspace, import, limit, place: &place, folder: None };
    let mut partials = BTreeMap::new();
    let registry = gather_partials(text.text(), |name| {
        let Some(place) = finder.find(name)? else { return Ok::<_, ReadError>(None) };
        let found = file(&place)?;
        let text = found.text().to_owned();
        partials.insert(name.to_owned(), found);
        Ok(Some(text))
    })?;
    let names = finder.names();
    Ok(ReadTemplate { text, registry, partials, names })
}

fn file(workspace: &Workspace, place: &WorkspacePath, limit: u64) -> Result<SourceFile, FileError> {
    let text = workspace.read_text(place, limit)?;
    workspace.protect(place);
    Ok(SourceFile::new(place.as_str(), text.strip_prefix('\u{feff}').unwrap_or(&text)))
}

/// Finds partials by name.
struct Finder<'a> {
    workspace: &'a Workspace,
    import: &'a TemplateImport,
    limit: u64,
    place: &'a WorkspacePath,
    /// The files of the template's folder, once they were listed.
    folder: Option<Vec<String>>,
}

impl Finder<'_> {
    /// Returns the place of a partial: of another import of that name, else in the folder, else of
    /// the import itself, which makes a cycle.
    fn find(&mut self, name: &str) -> Result<Option<WorkspacePath>, ReadError> {
        let named = self.import.all.iter().find(|(other, _)| other == name);
        let own = name == self.import.name;
        if let Some((_, path)) = named.filter(|_| !own) {
            return Ok(Some(resolve_import(self.workspace, &self.import.importer, path)?));
        }
        let (workspace, folder) = (self.workspace, self.place.parent());
        let template = self.place.name();
        let files = self.files()?.iter().map(String::as_str);
        if let Some(file) = partial_file(name, files, template)? {
            return Ok(Some(workspace.resolve_from(&folder, file)?));
        }
        Ok(own.then(|| self.place.clone()))
    }

    fn files(&mut self) -> Result<&[String], FileError> {
        if self.folder.is_none() {
            let listing = self.workspace.entries(&self.place.parent(), MAX_ENTRIES)?;
            let usable = listing.entries.into_iter().filter(|entry| match entry.kind {
                EntryKind::File => entry.bytes <= self.limit,
                EntryKind::Symlink => true,
                EntryKind::Folder | EntryKind::Special => false,
            });
            self.folder = Some(usable.map(|entry| entry.path.name().to_owned()).collect());
        }
        Ok(self.folder.as_deref().unwrap_or_default())
    }

    /// Returns all names that a partial may have.
    fn names(self) -> Vec<String> {
        let imported = self.import.all.iter().map(|(name, _)| name.clone());
        let folder = self.folder.into_iter().flatten();
        let stem = |file: String| Some(Path::new(&file).file_stem()?.to_str()?.to_owned());
        imported.filter(|name| *name != self.import.name).chain(folder.filter_map(stem)).collect()
    }
}

impl ReadTemplate {
    /// Returns the facts of the template, or all faults of it, its partials and the references that
    /// they include.
    pub(crate) fn facts(&self, project: &OnDemand) -> Result<TemplateFacts, Vec<TemplateFault>> {
        let report = check_with(self.text.text(), &self.registry);
        let mut faults = self.faults(&self.text, &report);
        for partial in self.partials.values() {
            let report = check_with(partial.text(), &self.registry);
            faults.extend(self.faults(partial, &report));
        }
        only_one_cycle(&mut faults);
        faults.extend(report.references.iter().filter_map(|one| self.misnamed(one, project)));
        if !faults.is_empty() {
            return Err(faults);
        }
        let always = report.requirements.iter().filter(|one| one.always);
        Ok(TemplateFacts {
            always: always.map(|one| one.name.clone()).collect(),
            used: report.requirements.iter().map(|one| one.name.clone()).collect(),
            partials: self.partials.keys().cloned().collect(),
        })
    }

    fn faults(&self, file: &SourceFile, report: &CheckReport) -> Vec<TemplateFault> {
        let told = report.diagnostics.iter();
        // A fault within a partial is reported for the partial.
        let told = told.filter(|fault| fault.code != codes::BROKEN_PARTIAL.code);
        told.map(|fault| self.fault(file, fault)).collect()
    }

    fn fault(&self, file: &SourceFile, fault: &Diagnostic) -> TemplateFault {
        let at = file.position(fault.span.start);
        let help = if fault.code == codes::UNKNOWN_PARTIAL.code {
            Some(self.missing_partial(file.slice(fault.span)))
        } else {
            fault.help.clone()
        };
        TemplateFault::Invalid {
            code: fault.code,
            place: TemplatePlace {
                file: file.name().to_owned(),
                line: at.line as usize,
                column: at.column as usize,
            },
            message: fault.message.clone(),
            help,
        }
    }

    /// Returns the fault of a reference, as far as it is known without loading.
    fn misnamed(&self, included: &Included, project: &OnDemand) -> Option<TemplateFault> {
        let text = included.reference.as_str();
        let (offset, fault) = match Reference::parse(text) {
            Err(error) => (error.offset, error.load_error(text)),
            Ok(reference) => {
                let place = self.place(included.partial.as_deref());
                (0, project.get().loader().route(&reference, &place).err()?)
            }
        };
        let before = text.get(..offset).unwrap_or_default().chars().count();
        Some(TemplateFault::Invalid {
            code: fault.code,
            place: TemplatePlace {
                file: self.file(included.partial.as_deref()).name().to_owned(),
                line: included.line as usize,
                column: included.column as usize + before,
            },
            message: fault.to_string(),
            help: fault.help,
        })
    }

    /// Returns the file of a partial, or the template's own.
    pub(crate) fn file(&self, partial: Option<&str>) -> &SourceFile {
        partial.and_then(|name| self.partials.get(name)).unwrap_or(&self.text)
    }

    /// Returns where the references of a partial start, or the template's own: in the folder of the
    /// file.
    pub(crate) fn place(&self, partial: Option<&str>) -> Place {
        place_of(self.file(partial).name())
    }

    fn missing_partial(&self, name: &str) -> String {
        match nearest(name, self.names.iter().map(String::as_str)) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => format!(
                "put a file of that name beside the template, or `import template {name} from \"…\"`"
            ),
        }
    }

    /// Returns the files with their digests, and what they include, for the trace.
    pub(crate) fn digests(&self, included: &IncludedTexts) -> serde_json::Value {
        let digest = |file: &SourceFile| serde_json::json!(Digest::of_text(file.text()));
        let partials = self.partials.iter().map(|(name, file)| {
            serde_json::json!({ "name": name, "file": file.name(), "digest": digest(file) })
        });
        serde_json::json!({
            "file": self.text.name(),
            "digest": digest(&self.text),
            "partials": partials.collect::<Vec<_>>(),
            "references": included.digests(),
        })
    }
}

/// Keeps one fault of a cycle, which is found from each of its partials.
fn only_one_cycle(faults: &mut Vec<TemplateFault>) {
    let mut seen = false;
    faults.retain(|fault| match fault {
        TemplateFault::Invalid { code, .. } if *code == codes::PARTIAL_CYCLE.code => {
            !std::mem::replace(&mut seen, true)
        }
        _ => true,
    });
}
