//! The port to the files of a project.

use contexture_context::Limits;
use contexture_script::host::{LoadedSource, MemoryLoader, SourceLoader};
use contexture_script::program::Program;
use contexture_script::semantic::ceiling::CostFacts;
use contexture_script::syntax::ast::Import;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The tokens of a text that a program shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counted {
    /// The number of tokens.
    pub tokens: u64,
    /// True if the model's own tokenizer counted.
    pub is_exact: bool,
}

/// An item of the last recorded run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedUse {
    /// The line of the `use`, from 1.
    pub line: u32,
    /// Its tokens before the cut.
    pub before: u64,
    /// Its tokens in the prompt.
    pub after: u64,
}

/// Opens the workspace of a folder, or says why that can't be done.
pub type Opener<'o> = dyn Fn(&Path) -> Result<Box<dyn Workspace>, String> + 'o;

/// The files of a project, and what is known of them without asking anybody.
pub trait Workspace {
    /// Returns the folder that the names of files start from.
    fn root(&self) -> &Path;

    /// Returns the name of a file; `None` when it is outside of the folder.
    fn name(&self, path: &Path) -> Option<String> {
        let name = path.strip_prefix(self.root()).ok()?.to_string_lossy().replace('\\', "/");
        (!name.is_empty()).then_some(name)
    }

    /// Returns the loader of imports.
    fn loader(&self) -> &dyn SourceLoader;

    /// Returns the limits of the project.
    fn limits(&self) -> &Limits;

    /// Returns the names of the programs in the folder, at most so many.
    fn programs(&self, most: usize) -> Vec<String>;

    /// Returns the text of a program.
    fn read(&self, name: &str) -> Option<LoadedSource>;

    /// Returns the names in a folder for the completion of a path; the names of folders end in `/`.
    fn names(&self, folder: &str) -> Vec<String>;

    /// Returns the protocols of references with what they are about: `file://`, or `markdown:` for one
    /// that works on another reference.
    fn protocols(&self) -> Vec<(String, String)>;

    /// Returns the names that a protocol gives to what it reads, such as those of packs, with what they
    /// are about.
    fn ids(&self, protocol: &str) -> Vec<(String, String)>;

    /// Explains how a reference in a program would be loaded, without loading it.
    fn explain(&self, program: &str, reference: &str) -> Option<String>;

    /// Forgets what was read: a file, a setting or a pack may have changed.
    fn refresh(&mut self);

    /// Counts the tokens of an imported local file.
    fn count(&self, importer: &str, import: &Import) -> Option<Counted>;

    /// Computes the most that the model calls of a program may take.
    fn cost(&self, program: &Program) -> Option<CostFacts>;

    /// Returns the items of the last recorded run of a program.
    fn recorded(&self, name: &str) -> Vec<RecordedUse>;
}

/// A project in memory.
#[derive(Debug, Clone, Default)]
pub struct MemoryWorkspace {
    root: PathBuf,
    files: BTreeMap<String, String>,
    loader: MemoryLoader,
    limits: Limits,
    /// The names that protocols give, each with its protocol and what it is about.
    ids: Vec<(String, String, String)>,
}

impl MemoryWorkspace {
    /// Creates an empty one at a folder.
    #[must_use]
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into(), ..Self::default() }
    }

    /// Adds a name that a protocol of references gives.
    #[must_use]
    pub fn with_id(mut self, protocol: &str, id: &str, about: &str) -> Self {
        self.ids.push((protocol.to_owned(), id.to_owned(), about.to_owned()));
        self.loader = self.loader.with_reference(format!("@!{protocol}://{id}"), None);
        self
    }

    /// Adds a file.
    #[must_use]
    pub fn with(mut self, name: &str, text: &str) -> Self {
        self.files.insert(name.to_owned(), text.to_owned());
        self.loader = self.loader.with(name, text);
        self
    }
}

impl Workspace for MemoryWorkspace {
    fn root(&self) -> &Path {
        &self.root
    }

    fn loader(&self) -> &dyn SourceLoader {
        &self.loader
    }

    fn limits(&self) -> &Limits {
        &self.limits
    }

    fn programs(&self, most: usize) -> Vec<String> {
        let names = self.files.keys().filter(|name| name.ends_with(".as"));
        names.take(most).cloned().collect()
    }

    fn read(&self, name: &str) -> Option<LoadedSource> {
        let text = self.files.get(name)?.clone();
        Some(LoadedSource { name: name.to_owned(), text })
    }

    fn names(&self, folder: &str) -> Vec<String> {
        let below = self.files.keys().filter_map(|name| name.strip_prefix(folder));
        let mut names: Vec<String> = below
            .map(|rest| rest.split_inclusive('/').next().unwrap_or_default().to_owned())
            .collect();
        names.dedup();
        names
    }

    fn protocols(&self) -> Vec<(String, String)> {
        let mut known: Vec<&str> = self.ids.iter().map(|(protocol, ..)| &**protocol).collect();
        known.push("file");
        known.sort_unstable();
        known.dedup();
        known.into_iter().map(|name| (format!("{name}://"), String::new())).collect()
    }

    fn ids(&self, protocol: &str) -> Vec<(String, String)> {
        let own = self.ids.iter().filter(|(of, ..)| of == protocol);
        own.map(|(_, id, about)| (id.clone(), about.clone())).collect()
    }

    fn explain(&self, _: &str, reference: &str) -> Option<String> {
        let (_, path) = reference.split_once("://")?;
        let known = self.ids.iter().find(|(_, id, _)| id == path);
        let file = self.files.contains_key(path).then(|| format!("file  {path}"));
        known.map(|(_, _, about)| about.clone()).or(file)
    }

    fn refresh(&mut self) {}

    fn count(&self, _: &str, _: &Import) -> Option<Counted> {
        None
    }

    fn cost(&self, _: &Program) -> Option<CostFacts> {
        None
    }

    fn recorded(&self, _: &str) -> Vec<RecordedUse> {
        Vec::new()
    }
}
