//! A program: the file to run with all files that it imports agents, shapes and functions from (AS-2,
//! AS-28, TY-1).
//!
//! Decision: loading never fails. A file that can't be read gives a diagnostic, and the rest of the
//! program can still be checked. Files may import each other in a cycle, since they import agents,
//! which are only called when the program runs; each file is read once.
//!
//! ```
//! use contexture_context::Limits;
//! use contexture_script::host::{LoadedSource, MemoryLoader};
//! use contexture_script::program::load;
//!
//! let loader = MemoryLoader::new().with("lib.as", "agent Worker { func run(x) { x } }");
//! let root = LoadedSource {
//!     name: "main.as".to_owned(),
//!     text: "import agent Worker from \"./lib.as\"\nmain func(input) { Worker(input) }".to_owned(),
//! };
//! let program = load(root, &loader, &Limits::default());
//! let worker = program.imported_agent(0, "Worker");
//! assert_eq!(worker.map(|agent| agent.file), Some(1));
//! ```

pub(crate) mod faults;
#[cfg(test)]
mod tests;

use crate::codes;
use crate::host::{LoadedSource, SourceLoader};
use crate::reference::literals::texts_of_items;
use crate::server::ServerFacts;
use crate::syntax::ast::{Agent, Func, Import, ImportKind, Item};
use crate::syntax::{Parsed, ShapeTable, parse, reparse};
use crate::template::{TemplateFacts, TemplateImport, templates_of};
use contexture_context::Limits;
use contexture_core::policy::{Class, Verdict};
use contexture_diagnostic::{Diagnostic, SourceFile, Span};
use faults::{
    few_fit, file_fault, import_failed, pack_faults, resource_fault, server_facts, template_fault,
    text_faults,
};
use std::collections::{BTreeSet, HashMap};

/// All files of a program, the one to run first.
#[derive(Debug, Clone, Default)]
pub struct Program {
    /// The files, in the order they were found.
    pub files: Vec<ProgramFile>,
    /// The faults of loading, each diagnostic with its file.
    pub faults: Vec<Diagnostic>,
    /// The schemes of model URIs that the application adds (HO-2).
    pub model_schemes: Vec<String>,
    /// The names of the secrets that have a value, if that is known (GU-9).
    pub secrets: Option<BTreeSet<String>>,
}

/// A file of a program.
#[derive(Debug, Clone)]
pub struct ProgramFile {
    /// Its text under its name.
    pub source: SourceFile,
    /// Its tree, tokens and syntax errors.
    pub parsed: Parsed,
    /// The imports of agents, shapes and functions whose file was found: binding and index of the
    /// file.
    pub links: Vec<(String, usize)>,
    /// The imports of usable templates: binding and facts.
    pub templates: Vec<(String, TemplateFacts)>,
    /// The imports of servers with known tools: binding and facts.
    pub servers: Vec<(String, ServerFacts)>,
}

impl ProgramFile {
    /// Returns the imports of the file.
    pub fn imports(&self) -> impl Iterator<Item = &Import> {
        imports_of(&self.parsed.file.items)
    }

    /// Returns the agents of the file with the indices of their items.
    pub fn agents(&self) -> impl Iterator<Item = (usize, &Agent)> {
        self.parsed.file.items.iter().enumerate().filter_map(|(index, item)| match item {
            Item::Agent(agent) => Some((index, agent)),
            _ => None,
        })
    }

    /// Returns the functions at the top of the file, which all its agents share.
    pub fn functions(&self) -> impl Iterator<Item = &Func> {
        functions_of(&self.parsed.file.items)
    }
}

/// Returns the imports among items.
pub fn imports_of(items: &[Item]) -> impl Iterator<Item = &Import> {
    items.iter().filter_map(|item| match item {
        Item::Import(import) => Some(import),
        _ => None,
    })
}

/// Returns the functions among items.
pub fn functions_of(items: &[Item]) -> impl Iterator<Item = &Func> {
    items.iter().filter_map(|item| match item {
        Item::Func(func) => Some(func),
        _ => None,
    })
}

/// The identity of an agent in a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AgentId {
    /// The index of its file.
    pub file: usize,
    /// The index of its item; `None` is the implicit agent that the functions at the top of the
    /// file make up.
    pub item: Option<usize>,
}

impl Program {
    /// Returns the verdicts on classes of effects that the program adds to the policy of its project
    /// (GU-6).
    pub fn policy(&self) -> impl Iterator<Item = (Class, Verdict)> {
        crate::analysis::narrowed::of(self)
    }

    /// Returns the named shapes of its files (TY-1).
    #[must_use]
    pub fn shapes(&self) -> ShapeTable<'_> {
        let files = self.files.iter();
        ShapeTable::new(files.map(|file| (&*file.parsed.file.items, &*file.links)))
    }

    /// Returns the agent that runs when the file is run, or that an import of the file means when
    /// no agent has the name of the import: `main agent`, else a `main func` at the top, else the
    /// only agent, else the functions at the top when there is no agent.
    #[must_use]
    pub fn main_agent(&self, file: usize) -> Option<AgentId> {
        let found = self.files.get(file)?;
        if let Some((item, _)) = found.agents().find(|(_, agent)| agent.main) {
            return Some(AgentId { file, item: Some(item) });
        }
        let mut agents = found.agents();
        let first = agents.next();
        let implicit = found.functions().any(|func| func.main);
        match (first, agents.next()) {
            _ if implicit => Some(AgentId { file, item: None }),
            (Some((item, _)), None) => Some(AgentId { file, item: Some(item) }),
            (None, _) if found.functions().next().is_some() => Some(AgentId { file, item: None }),
            _ => None,
        }
    }

    /// Returns the agent of a file that has a name.
    #[must_use]
    pub fn named_agent(&self, file: usize, name: &str) -> Option<AgentId> {
        let named = |agent: &Agent| agent.name.as_ref().is_some_and(|own| own.text == name);
        let (item, _) = self.files.get(file)?.agents().find(|(_, agent)| named(agent))?;
        Some(AgentId { file, item: Some(item) })
    }

    /// Returns the agent that `import agent NAME` in a file stands for: the one of that name in the
    /// imported file, else its main agent.
    #[must_use]
    pub fn imported_agent(&self, file: usize, name: &str) -> Option<AgentId> {
        let file = self.files.get(file)?;
        let is_agent =
            |import: &Import| import.kind == ImportKind::Agent && import.name.text == name;
        file.imports().find(|import| is_agent(import))?;
        let (_, target) = file.links.iter().find(|(own, _)| own == name)?;
        self.named_agent(*target, name).or_else(|| self.main_agent(*target))
    }

    /// Returns the agent that a name means in a file: one of its own, else an imported one.
    #[must_use]
    pub fn resolve_agent(&self, file: usize, name: &str) -> Option<AgentId> {
        self.named_agent(file, name).or_else(|| self.imported_agent(file, name))
    }

    /// Returns the tree of an agent; `None` for an implicit one.
    #[must_use]
    pub fn agent(&self, id: AgentId) -> Option<&Agent> {
        match self.files.get(id.file)?.parsed.file.items.get(id.item?)? {
            Item::Agent(agent) => Some(agent),
            _ => None,
        }
    }

    /// Returns the functions of an agent, without those at the top of its file unless it is
    /// implicit.
    #[must_use]
    pub fn functions(&self, id: AgentId) -> Vec<&Func> {
        match (id.item, self.files.get(id.file)) {
            (Some(_), _) => self.agent(id).map(|agent| functions_of(&agent.items).collect()),
            (None, file) => file.map(|file| file.functions().collect()),
        }
        .unwrap_or_default()
    }

    /// Returns the function that `Name(input)` calls: the agent's `main func`, or its only
    /// function.
    #[must_use]
    pub fn entry(&self, id: AgentId) -> Option<&Func> {
        let functions = self.functions(id);
        match functions.iter().find(|func| func.main) {
            Some(main) => Some(main),
            None if functions.len() == 1 => functions.first().copied(),
            None => None,
        }
    }

    /// Returns the function of an agent that has a name.
    #[must_use]
    pub fn function(&self, id: AgentId, name: &str) -> Option<&Func> {
        let named = |func: &&Func| func.name.as_ref().is_some_and(|own| own.text == name);
        self.functions(id).into_iter().find(named)
    }

    /// Returns the facts about the server or tool that an import of a file binds.
    #[must_use]
    pub fn server(&self, file: usize, name: &str) -> Option<&ServerFacts> {
        let servers = &self.files.get(file)?.servers;
        servers.iter().find(|(own, _)| own == name).map(|(_, facts)| facts)
    }

    /// Returns the source of a file by its name, for rendering a diagnostic.
    #[must_use]
    pub fn source(&self, name: &str) -> Option<&SourceFile> {
        self.files.iter().map(|file| &file.source).find(|source| source.name() == name)
    }
}

/// Loads a program: parses `root` and every file that an `import agent` reaches.
#[must_use]
pub fn load(root: LoadedSource, loader: &dyn SourceLoader, limits: &Limits) -> Program {
    reload(Program::default(), vec![root], loader, limits)
}

/// Loads a program again after some of its files have changed: what is parsed already of a file with
/// the same text is kept, and of a file that has changed in one place the items around it (TY-9). Several roots give one program of all their files.
#[must_use]
pub fn reload(
    previous: Program,
    roots: Vec<LoadedSource>,
    loader: &dyn SourceLoader,
    limits: &Limits,
) -> Program {
    let parsed = previous.files.into_iter();
    let mut loading = Loading {
        loader,
        limits,
        program: Program {
            model_schemes: loader.model_schemes(),
            secrets: loader.secrets(),
            ..Program::default()
        },
        by_name: HashMap::new(),
        previous: parsed.map(|file| (file.source.name().to_owned(), file)).collect(),
        templates: 0,
    };
    for root in roots {
        if !loading.by_name.contains_key(&root.name) {
            loading.add(root);
        }
    }
    let mut next = 0;
    while next < loading.program.files.len() {
        loading.follow(next);
        next += 1;
    }
    loading.program
}

const MAX_FAULTS: usize = 1_000;

struct Loading<'a> {
    loader: &'a dyn SourceLoader,
    limits: &'a Limits,
    program: Program,
    by_name: HashMap<String, usize>,
    /// The files of the last time, by name.
    previous: HashMap<String, ProgramFile>,
    /// The number of template imports so far.
    templates: usize,
}

impl Loading<'_> {
    fn add(&mut self, loaded: LoadedSource) -> usize {
        let index = self.program.files.len();
        self.by_name.insert(loaded.name.clone(), index);
        let (source, parsed) = match self.previous.remove(&loaded.name) {
            Some(kept) if kept.source.text() == loaded.text => (kept.source, kept.parsed),
            Some(kept) => {
                let source = SourceFile::new(loaded.name, loaded.text);
                let parsed = reparse(kept.parsed, kept.source.text(), &source, self.limits);
                (source, parsed)
            }
            None => {
                let source = SourceFile::new(loaded.name, loaded.text);
                let parsed = parse(&source, self.limits);
                (source, parsed)
            }
        };
        self.program.files.push(ProgramFile {
            source,
            parsed,
            links: Vec::new(),
            templates: Vec::new(),
            servers: Vec::new(),
        });
        index
    }

    /// Loads the files that a file imports agents, shapes or functions from.
    fn follow(&mut self, index: usize) {
        let Some(file) = self.program.files.get(index) else { return };
        let importer = file.source.name().to_owned();
        // A URL is not a path: the checker refuses it, and nothing is loaded.
        let is_path = |text: &str| !text.is_empty() && !text.contains("://");
        let of_programs =
            |import: &&Import| import.kind.is_declaration() && is_path(&import.from.value);
        let imports: Vec<Import> = file.imports().filter(of_programs).cloned().collect();
        let mut known: HashMap<String, usize> = HashMap::new();
        for import in imports {
            let found = known.get(&import.from.value).copied();
            let target = found.map_or_else(|| self.target(&importer, &import), Ok);
            if let Ok(target) = target {
                known.insert(import.from.value.clone(), target);
            }
            match target {
                Ok(target) => {
                    if let Some(file) = self.program.files.get_mut(index) {
                        file.links.push((import.name.text, target));
                    }
                }
                Err(fault) => self.fault(fault.in_file(&importer)),
            }
        }
        self.templates(index, &importer);
        self.servers(index);
        self.references(index);
    }

    fn servers(&mut self, index: usize) {
        let Some(file) = self.program.files.get(index) else { return };
        let known = file.imports().filter_map(|import| {
            let facts = server_facts(import, &file.source, self.loader)?;
            Some((import.name.text.clone(), facts))
        });
        for (name, facts) in known.collect::<Vec<_>>() {
            match facts {
                Ok(facts) => {
                    if let Some(file) = self.program.files.get_mut(index) {
                        file.servers.push((name, facts));
                    }
                }
                Err(fault) => self.fault(fault),
            }
        }
    }

    /// Queries the faults of the resources and packs that a file imports, and of the references in
    /// its texts.
    fn references(&mut self, index: usize) {
        let Some(file) = self.program.files.get(index) else { return };
        let source = &file.source;
        let resources = file.imports().filter(|import| import.kind == ImportKind::Resource);
        let written = resources.filter(|import| !import.from.span.is_empty());
        let mut faults: Vec<Diagnostic> =
            written.filter_map(|import| resource_fault(import, source, self.loader)).collect();
        faults.extend(file.imports().filter_map(|import| file_fault(import, source, self.loader)));
        for text in texts_of_items(&file.parsed.file.items, source) {
            faults.extend(text_faults(&text, self.loader));
        }
        faults.extend(few_fit(&file.parsed.file.items, source, self.loader));
        faults.extend(file.imports().flat_map(|import| pack_faults(import, source, self.loader)));
        let name = source.name().to_owned();
        faults.into_iter().for_each(|fault| self.fault(fault.in_file(&name)));
    }

    fn fault(&mut self, fault: Diagnostic) {
        if self.program.faults.len() < MAX_FAULTS {
            self.program.faults.push(fault);
        }
    }

    fn templates(&mut self, index: usize, importer: &str) {
        let Some(file) = self.program.files.get(index) else { return };
        let names = templates_of(file.imports());
        // Something that is not a path at all is reported by the check.
        let is_path = |import: &&Import| {
            let path = import.from.value.trim();
            !path.is_empty() && !path.contains("://")
        };
        let templates = file.imports().filter(|import| import.kind == ImportKind::Template);
        let imports: Vec<(TemplateImport, Span)> = templates
            .filter(is_path)
            .map(|import| (TemplateImport::new(import, importer, &names), import.from.span))
            .collect();
        for (import, span) in imports {
            self.templates += 1;
            if self.templates > self.limits.source_files {
                return self.fault(self.too_many_files(span).in_file(importer));
            }
            match self.loader.template(&import) {
                Ok(facts) => {
                    if let Some(file) = self.program.files.get_mut(index) {
                        file.templates.push((import.name, facts));
                    }
                }
                Err(faults) => {
                    for fault in &faults {
                        self.fault(template_fault(fault, &import.name, span).in_file(importer));
                    }
                }
            }
        }
    }

    fn target(&mut self, importer: &str, import: &Import) -> Result<usize, Diagnostic> {
        let span = import.from.span;
        let loaded = self.loader.load(importer, &import.from.value);
        let loaded = loaded.map_err(|fault| import_failed(&fault, span))?;
        if let Some(known) = self.by_name.get(&loaded.name) {
            return Ok(*known);
        }
        if self.program.files.len() >= self.limits.source_files {
            return Err(self.too_many_files(span));
        }
        Ok(self.add(loaded))
    }

    fn too_many_files(&self, span: Span) -> Diagnostic {
        let most = self.limits.source_files;
        let message = format!("the program has more files than {most}, the limit `source_files`");
        let help =
            "import from fewer files, or raise `source_files` under [limits] in contexture.toml";
        codes::TOO_MANY_FILES.at(span, message).with_help(help)
    }
}
