//! Declarations of a program's files, and the lookup of names among them.

use crate::program::{AgentId, Program};
use crate::syntax::ShapeTable;
use crate::syntax::ast::{Func, Import, ImportKind, Item};
use std::collections::HashMap;

/// The meaning of a name that is not a variable.
#[derive(Debug, Clone, Copy)]
pub(super) enum Global<'p> {
    Function(usize),
    /// An agent; `None` when its import could not be resolved, which has been reported.
    Agent(Option<AgentId>),
    /// Any other import.
    Import(&'p Import),
    /// A shape (TY-1).
    Shape,
}

/// A function with its home.
#[derive(Debug, Clone, Copy)]
pub(super) struct FuncDecl<'p> {
    pub(super) func: &'p Func,
    pub(super) file: usize,
    /// The item of its agent.
    pub(super) agent: Option<usize>,
}

/// The limit of names with which a misspelt one is compared.
pub(super) const MAX_CANDIDATES: usize = 2_000;

type Names<'p> = HashMap<&'p str, Global<'p>>;

/// The declarations of all files; the first of two equal names counts. Everything is looked up
/// in time that does not grow with the program.
pub(super) struct Declarations<'p> {
    pub(super) functions: Vec<FuncDecl<'p>>,
    files: Vec<Names<'p>>,
    agents: HashMap<(usize, usize), Names<'p>>,
    entries: HashMap<AgentId, Option<usize>>,
    exports: Vec<Exports<'p>>,
    pub(super) shapes: ShapeTable<'p>,
}

struct Exports<'p> {
    /// Its agents by name, as items.
    agents: HashMap<&'p str, usize>,
    main: Option<AgentId>,
    /// The files it imports agents from, by binding.
    links: HashMap<&'p str, usize>,
}

impl<'p> Declarations<'p> {
    pub(super) fn collect(program: &'p Program) -> Self {
        let exports = (0..program.files.len()).map(|file| exports_of(program, file)).collect();
        let mut all = Self {
            functions: Vec::new(),
            files: Vec::new(),
            agents: HashMap::new(),
            entries: HashMap::new(),
            exports,
            shapes: program.shapes(),
        };
        for (file, unit) in program.files.iter().enumerate() {
            let names = all.names(file, None, &unit.parsed.file.items);
            all.files.push(names);
        }
        all.link(program);
        all
    }

    /// Binds the imports of functions and shapes to the declarations of other files (TY-1). One
    /// that its file does not have stays an import, which is reported.
    fn link(&mut self, program: &'p Program) {
        for (file, unit) in program.files.iter().enumerate() {
            for import in unit.imports() {
                let name = import.name.text.as_str();
                let target = self.link_of(file, name).and_then(|target| self.files.get(target));
                let found = match (import.kind, target.and_then(|names| names.get(name))) {
                    (ImportKind::Shape, Some(Global::Shape)) => Global::Shape,
                    (ImportKind::Func, Some(Global::Function(number))) => Global::Function(*number),
                    _ => continue,
                };
                let own = self.files.get_mut(file).and_then(|names| names.get_mut(name));
                if let Some(own @ Global::Import(_)) = own {
                    *own = found;
                }
            }
        }
    }

    fn names(&mut self, file: usize, agent: Option<usize>, items: &'p [Item]) -> Names<'p> {
        let mut names = Names::new();
        let mut own: Vec<usize> = Vec::new();
        for (index, item) in items.iter().enumerate() {
            let (name, global) = match item {
                Item::Import(import) => (Some(&import.name), self.import(file, import)),
                Item::Agent(tree) => {
                    let own = agent.unwrap_or(index);
                    let inner = self.names(file, Some(own), &tree.items);
                    self.agents.insert((file, own), inner);
                    (tree.name.as_ref(), Global::Agent(Some(AgentId { file, item: Some(own) })))
                }
                Item::Func(func) => {
                    let number = self.functions.len();
                    self.functions.push(FuncDecl { func, file, agent });
                    own.push(number);
                    (func.name.as_ref(), Global::Function(number))
                }
                Item::Shape(decl) => (Some(&decl.name), Global::Shape),
                Item::Config(_) | Item::Use(_) => continue,
            };
            if let Some(name) = name.filter(|name| !name.text.is_empty()) {
                names.entry(&name.text).or_insert(global);
            }
        }
        let entry = self.entry_among(&own);
        self.entries.insert(AgentId { file, item: agent }, entry);
        names
    }

    /// Returns the `main func`, else the only function.
    fn entry_among(&self, functions: &[usize]) -> Option<usize> {
        let is_main =
            |number: &&usize| self.functions.get(**number).is_some_and(|decl| decl.func.main);
        let only = || functions.first().filter(|_| functions.len() == 1);
        functions.iter().find(is_main).or_else(only).copied()
    }

    fn import(&self, file: usize, import: &'p Import) -> Global<'p> {
        if import.kind == ImportKind::Agent {
            return Global::Agent(self.imported(file, &import.name.text));
        }
        Global::Import(import)
    }

    /// Returns the file that a binding imports a declaration from.
    pub(super) fn link_of(&self, file: usize, name: &str) -> Option<usize> {
        self.exports.get(file)?.links.get(name).copied()
    }

    /// Does the same as [`Program::imported_agent`].
    pub(super) fn imported(&self, file: usize, name: &str) -> Option<AgentId> {
        let target = self.link_of(file, name)?;
        let exports = self.exports.get(target)?;
        match exports.agents.get(name) {
            Some(item) => Some(AgentId { file: target, item: Some(*item) }),
            None => exports.main,
        }
    }

    pub(super) fn entry(&self, agent: AgentId) -> Option<usize> {
        self.entries.get(&agent).copied().flatten()
    }

    /// Looks up a name in an agent of a file, and returns its meaning with the name as declared.
    pub(super) fn lookup(
        &self,
        file: usize,
        agent: Option<usize>,
        name: &str,
    ) -> Option<(&'p str, Global<'p>)> {
        let own = agent.and_then(|agent| self.agents.get(&(file, agent))?.get_key_value(name));
        let found = own.or_else(|| self.files.get(file)?.get_key_value(name));
        found.map(|(name, global)| (*name, *global))
    }

    pub(super) fn global(
        &self,
        file: usize,
        agent: Option<usize>,
        name: &str,
    ) -> Option<Global<'p>> {
        self.lookup(file, agent, name).map(|(_, global)| global)
    }

    /// Returns all names that [`Declarations::lookup`] finds, sorted; none when there are too many
    /// to compare a misspelt one with.
    pub(super) fn visible(&self, file: usize, agent: Option<usize>) -> Vec<&'p str> {
        let own = agent.and_then(|agent| self.agents.get(&(file, agent)));
        let tables = || own.into_iter().chain(self.files.get(file));
        if tables().map(HashMap::len).sum::<usize>() > MAX_CANDIDATES {
            return Vec::new();
        }
        let mut all: Vec<&str> = tables().flat_map(|names| names.keys().copied()).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Returns a function of an agent by name: its own, else one that its file shares.
    pub(super) fn function_of(&self, agent: AgentId, name: &str) -> Option<usize> {
        match self.global(agent.file, agent.item, name) {
            Some(Global::Function(number)) => Some(number),
            _ => None,
        }
    }

    /// Returns the names of the functions that can be called as `Agent.name`.
    pub(super) fn functions_of(&self, agent: AgentId) -> Vec<&'p str> {
        let is_function = |name: &&str| self.function_of(agent, name).is_some();
        self.visible(agent.file, agent.item).into_iter().filter(is_function).collect()
    }
}

fn exports_of(program: &Program, file: usize) -> Exports<'_> {
    let mut exports =
        Exports { agents: HashMap::new(), main: program.main_agent(file), links: HashMap::new() };
    let Some(unit) = program.files.get(file) else { return exports };
    for (item, agent) in unit.agents() {
        if let Some(name) = &agent.name {
            exports.agents.entry(&name.text).or_insert(item);
        }
    }
    for (name, target) in &unit.links {
        exports.links.entry(name).or_insert(*target);
    }
    exports
}
