//! What an editor asks of a project while its programs are written (TY-10).
//!
//! Decision: local files alone, through the same policy as programs; nothing is asked, started or
//! written, and nothing is kept of what was read but until [`Editor::refresh`].

use crate::inspect::Kept;
use crate::loader::WorkspaceLoader;
use crate::models::ModelNames;
use crate::observe::Silent;
use crate::profiles::Profiles;
use crate::project::{Project, runs};
use crate::references::Look;
use crate::run::{self, RunRequest, SetupError, references_of};
use crate::written::{OnDemand, place_of, resolve_import};
use contexture_context::manifest::ItemRecord;
use contexture_context::tokens::{TokenCounter, tokenizer_for};
use contexture_core::policy::paths::Door;
use contexture_core::reference::Role;
use contexture_knowledge::CatalogItem;
use contexture_reference::syntax::Reference;
use contexture_script::host::LoadedSource;
use contexture_script::program::Program;
use contexture_script::semantic::ceiling::CostFacts;
use contexture_store::runs::{RunEntry, select};
use contexture_tools::{EntryKind, Workspace, WorkspacePath, shown_entries};
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::Arc;

/// The greatest number of folders in which programs are searched.
const MAX_FOLDERS: usize = 10_000;

/// The greatest number of entries of one folder.
const MAX_ENTRIES: usize = 20_000;

/// Folders that hold no programs of the project.
const SKIPPED: &[&str] = &["target", "node_modules"];

/// A project as an editor sees it.
pub struct Editor {
    project: Project,
    references: Arc<OnDemand>,
    loader: WorkspaceLoader,
    tokenizer: &'static dyn TokenCounter,
    counted: RefCell<HashMap<String, Option<usize>>>,
    /// The items of the last run of each program, under the id of the run.
    recorded: RefCell<HashMap<String, (String, Vec<ItemRecord>)>>,
}

impl std::fmt::Debug for Editor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Editor").field("root", &self.project.root).finish_non_exhaustive()
    }
}

impl Editor {
    /// Opens a project.
    ///
    /// # Errors
    /// [`SetupError`] when its folder can't be read.
    pub fn open(project: Project) -> Result<Self, SetupError> {
        let request = RunRequest { dry_run: true, ..RunRequest::default() };
        let references = references_of(&project, &request, Arc::new(Silent))?;
        let loader = WorkspaceLoader::new(Arc::clone(&references));
        let tokenizer = tokenizer_of(&project);
        let (counted, recorded) = (RefCell::default(), RefCell::default());
        Ok(Self { project, references, loader, tokenizer, counted, recorded })
    }

    /// Returns the project.
    #[must_use]
    pub const fn project(&self) -> &Project {
        &self.project
    }

    /// Returns the name of a file in the project, links to folders resolved; `None` when it is
    /// outside.
    #[must_use]
    pub fn name(&self, path: &Path) -> Option<String> {
        let within = |path: &Path| {
            let name = path.strip_prefix(&self.project.root).ok()?;
            Some(name.to_string_lossy().replace('\\', "/"))
        };
        let real = || Some(path.parent()?.canonicalize().ok()?.join(path.file_name()?));
        within(path).or_else(|| within(&real()?)).filter(|name| !name.is_empty())
    }

    /// Returns the loader of imports.
    #[must_use]
    pub const fn loader(&self) -> &WorkspaceLoader {
        &self.loader
    }

    /// Forgets what was read: files, settings or packs may have changed. Settings that can't be read
    /// leave it as it is.
    pub fn refresh(&mut self) {
        self.counted.borrow_mut().clear();
        let environment = self.project.environment.clone();
        if let Ok(fresh) = Project::open(&self.project.root, environment).map(Self::open)
            && let Ok(fresh) = fresh
        {
            *self = Self { recorded: std::mem::take(&mut self.recorded), ..fresh };
        }
    }

    fn workspace(&self) -> Workspace {
        self.references.workspace().through(Door::Person)
    }

    /// Returns the names of the programs in the folder, at most so many; hidden folders are left out.
    #[must_use]
    pub fn programs(&self, most: usize) -> Vec<String> {
        let workspace = self.workspace();
        let (mut found, mut folders) = (Vec::new(), vec![WorkspacePath::root()]);
        let mut seen = 0;
        while let Some(folder) = folders.pop() {
            seen += 1;
            let Ok(listing) = workspace.entries(&folder, MAX_ENTRIES) else { continue };
            for entry in listing.entries {
                let name = entry.path.name();
                match entry.kind {
                    EntryKind::Folder if seen + folders.len() >= MAX_FOLDERS => {}
                    EntryKind::Folder if name.starts_with('.') || SKIPPED.contains(&name) => {}
                    EntryKind::Folder => folders.push(entry.path),
                    EntryKind::File if name.ends_with(".as") && found.len() < most => {
                        found.push(entry.path.as_str().to_owned());
                    }
                    _ => {}
                }
            }
        }
        found
    }

    /// Returns the text of a program by its name.
    #[must_use]
    pub fn read(&self, name: &str) -> Option<LoadedSource> {
        let workspace = self.workspace();
        let limit = self.project.config.limits.source_bytes as u64;
        let text = workspace.read_text(&workspace.resolve(name).ok()?, limit).ok()?;
        Some(LoadedSource { name: name.to_owned(), text })
    }

    /// Returns the names of what is in a folder, without hidden ones and what `.gitignore` names; those
    /// of folders end in `/`.
    #[must_use]
    pub fn names(&self, folder: &str) -> Vec<String> {
        let workspace = self.references.workspace();
        let path = match folder.trim_end_matches('/') {
            "" => Some(WorkspacePath::root()),
            folder => workspace.resolve(folder).ok(),
        };
        let entries = path.and_then(|path| shown_entries(workspace, &path, MAX_ENTRIES).ok());
        let named = entries.into_iter().flatten().filter_map(|entry| match entry.kind {
            EntryKind::Folder if SKIPPED.contains(&entry.path.name()) => None,
            EntryKind::Folder => Some(format!("{}/", entry.path.name())),
            EntryKind::File => Some(entry.path.name().to_owned()),
            _ => None,
        });
        named.collect()
    }

    /// Returns the protocols of references: the text before the path, and what it is about.
    #[must_use]
    pub fn protocols(&self) -> Vec<(String, String)> {
        let loader = self.references.get().loader();
        let known = loader.protocols().map(|protocol| match protocol.role() {
            Role::Source => (format!("{}://", protocol.name()), String::new()),
            Role::Processor => {
                let about = "works on what the reference behind it gives".to_owned();
                (format!("{}:", protocol.name()), about)
            }
        });
        let defined = loader.definitions().iter().map(|definition| {
            let about = definition.description().unwrap_or_default().to_owned();
            (format!("{}://", definition.name()), about)
        });
        let all: BTreeMap<String, String> = known.chain(defined).collect();
        all.into_iter().collect()
    }

    /// Returns the names that a protocol gives to what it reads: the packs of `knowledge`, the skills,
    /// and the ids of a registry.
    #[must_use]
    pub fn ids(&self, protocol: &str) -> Vec<(String, String)> {
        let references = self.references.get();
        match protocol {
            "knowledge" => {
                let packs = &self.references.packs().get().discovery().packs;
                let named = |item: &CatalogItem| (item.name.clone(), item.description.clone());
                packs.iter().map(|found| named(&found.item)).collect()
            }
            "skill" => {
                let skills = references.skills().into_iter();
                skills.map(|skill| (skill.name, skill.description)).collect()
            }
            _ => {
                let definition = references.loader().definitions().get(protocol);
                let registry = definition.and_then(|definition| definition.registry());
                let entries = registry.into_iter().flat_map(|registry| registry.entries());
                entries.map(|(id, _)| (id.to_owned(), String::new())).collect()
            }
        }
    }

    /// Explains how a reference in a program is loaded, as `contexture ref explain` does; none for what
    /// is not a reference. Nothing is loaded.
    #[must_use]
    pub fn explain(&self, program: &str, reference: &str) -> Option<String> {
        let reference = Reference::parse(reference).ok()?;
        let references = self.references.get();
        Some(match references.loader().route(&reference, &place_of(program)) {
            Ok(route) => {
                let same = |text: &str| text.to_owned();
                let plain = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
                let look = Look { plain: &plain, heading: &same, aside: &same, fault: &same };
                references.explanation(&route, look)
            }
            Err(error) => match &error.help {
                Some(help) => format!("{error}\n{help}"),
                None => error.to_string(),
            },
        })
    }

    /// Counts the tokens of a file that a program imports, by the tokenizer of the default model.
    #[must_use]
    pub fn count(&self, importer: &str, path: &str) -> Option<usize> {
        let workspace = self.references.workspace();
        let place = resolve_import(workspace, importer, path).ok()?;
        let known = self.counted.borrow().get(place.as_str()).copied();
        known.unwrap_or_else(|| {
            let limit = self.project.config.limits.file_bytes as u64;
            let text = workspace.read_text(&place, limit).ok();
            let count = text.map(|text| self.tokenizer.count(&text));
            self.counted.borrow_mut().insert(place.as_str().to_owned(), count);
            count
        })
    }

    /// Reports whether the default model's own tokenizer counts.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        self.tokenizer.exact()
    }

    /// Computes the most that the model calls of a program may take.
    #[must_use]
    pub fn cost(&self, program: &Program) -> CostFacts {
        run::cost(&self.project, program, &RunRequest::default())
    }

    /// Returns the items that the last recorded run of a program showed, those of each call.
    #[must_use]
    pub fn recorded(&self, program: &str) -> Vec<ItemRecord> {
        self.last_run(program).unwrap_or_default()
    }

    fn last_run(&self, program: &str) -> Option<Vec<ItemRecord>> {
        if !self.project.state_folder().is_dir() {
            return None;
        }
        let store = runs(&self.project);
        let meant = |run: &str| Path::new(run).file_name() == Path::new(program).file_name();
        let is_meant = |entry: &RunEntry| meant(&entry.program);
        let entry = store.list(&is_meant, 1).ok()?.entries.into_iter().next()?;
        let id = entry.run;
        if let Some((known, items)) = self.recorded.borrow().get(program)
            && *known == id
        {
            return Some(items.clone());
        }
        let log = store.load(&select(&*store, &id).ok()?).ok()?;
        let calls = Kept { store: &*store, log: &log }.calls();
        let items = calls.into_iter().flat_map(|call| call.manifest.items);
        let own = |item: &ItemRecord| item.position.as_ref().is_some_and(|at| at.file == program);
        let items: Vec<ItemRecord> = items.filter(own).collect();
        self.recorded.borrow_mut().insert(program.to_owned(), (id, items.clone()));
        Some(items)
    }
}

/// Returns the tokenizer of the default model.
fn tokenizer_of(project: &Project) -> &'static dyn TokenCounter {
    let uri = ModelNames::new(project, &RunRequest::default()).uri(None);
    let profile = Profiles::new(&project.config.profiles).of(&uri);
    profile.tokenizer.unwrap_or_else(|| tokenizer_for(&uri))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Environment;

    fn editor(files: &[(&str, &str)]) -> (tempfile::TempDir, Editor) {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let project = Project::open(folder.path(), Environment::default()).unwrap();
        let editor = Editor::open(project).unwrap();
        (folder, editor)
    }

    #[test]
    fn ty_10_names_leave_out_hidden_ignored_and_secret_files() {
        let (_folder, editor) = editor(&[
            (".gitignore", "/build\n*.log\n"),
            ("a.md", ""),
            ("x.log", ""),
            (".env", "KEY=1"),
            ("build/b.md", ""),
            ("target/c.md", ""),
            ("docs/.gitignore", "!x.log\ndraft.md\n"),
            ("docs/x.log", ""),
            ("docs/draft.md", ""),
            ("docs/说明.md", ""),
        ]);
        assert_eq!(editor.names(""), ["a.md", "docs/"]);
        assert_eq!(editor.names("docs/"), ["x.log", "说明.md"]);
        assert_eq!(editor.names("../"), [""; 0]);
        assert_eq!(editor.names("docs/../../"), [""; 0]);
    }

    #[test]
    fn ty_10_protocols_and_ids_come_from_definitions_packs_and_skills() {
        let registry = "<resource protocol=\"style\">\nHow we write.\n\n<registry>\n| id | reference |\n|----|-----------|\n| tone | @file://style/tone.md |\n</registry>\n</resource>\n";
        let (_folder, editor) = editor(&[
            (".contexture/resources/style.resource.md", registry),
            ("style/tone.md", "Be brief.\n"),
        ]);
        let protocols = editor.protocols();
        let about = |name: &str| {
            protocols.iter().find(|(own, _)| own == name).map(|(_, about)| about.as_str())
        };
        assert_eq!(about("style://"), Some("How we write."));
        assert_eq!(about("file://"), Some(""));
        assert!(about("markdown:").is_some());
        assert_eq!(editor.ids("style"), [("tone".to_owned(), String::new())]);
        assert_eq!(editor.ids("nothing"), []);
        assert!(
            editor
                .ids("knowledge")
                .iter()
                .all(|(name, about)| !name.is_empty() && !about.is_empty())
        );
    }

    #[test]
    fn ty_10_reference_is_explained_from_the_folder_of_its_program() {
        let (_folder, editor) = editor(&[("docs/a.md", "# Use\n")]);
        let text = editor.explain("docs/main.as", "@!markdown:file://a.md?section=Use").unwrap();
        assert!(text.contains("hot: loaded at once"), "{text}");
        assert!(text.contains("then  markdown (processor)  section=Use"), "{text}");
        assert!(text.contains("file  docs/a.md"), "{text}");
        let text = editor.explain("main.as", "@file://a.md").unwrap();
        assert!(text.contains("a.md"), "{text}");
        let text = editor.explain("main.as", "@nowhere://a").unwrap();
        assert!(text.contains("nowhere"), "{text}");
        assert_eq!(editor.explain("main.as", "ann@example.org"), None);
    }
}
