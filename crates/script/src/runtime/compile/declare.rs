//! Declarations of a program's files, numbered, and the lookup of names among them.

use super::unit::Unit;
use crate::host::NamedModel;
use crate::syntax::ast::{Agent, Config, ConfigKind, Expr, Func, Import, ImportKind, Item, Use};
use std::collections::HashMap;

/// The meaning of a name that is not a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Global {
    Function(u32),
    Agent(u32),
    Import(u32, ImportKind),
}

/// A function with its home.
pub(super) struct FunctionDecl<'a> {
    pub(super) tree: &'a Func,
    pub(super) file: usize,
    pub(super) agent: Option<usize>,
}

/// An agent with its home. A file's `main func` outside agents makes an agent without a tree.
pub(super) struct AgentDecl<'a> {
    pub(super) tree: Option<&'a Agent>,
    pub(super) file: usize,
    pub(super) functions: Vec<u32>,
    names: HashMap<&'a str, u32>,
}

/// The uses and settings of a whole file or agent.
#[derive(Default, Clone)]
pub(super) struct Level<'a> {
    pub(super) uses: Vec<&'a Use>,
    pub(super) configs: Vec<&'a Config>,
}

pub(super) struct FileDecl<'a> {
    pub(super) names: HashMap<&'a str, Global>,
    pub(super) functions: Vec<u32>,
    pub(super) level: Level<'a>,
    pub(super) agents: Vec<u32>,
}

pub(super) struct Declarations<'a> {
    pub(super) files: Vec<FileDecl<'a>>,
    pub(super) agents: Vec<AgentDecl<'a>>,
    pub(super) agent_levels: Vec<Level<'a>>,
    pub(super) functions: Vec<FunctionDecl<'a>>,
    pub(super) imports: Vec<(&'a Import, usize)>,
}

impl<'a> Declarations<'a> {
    /// Collects the declarations of all files; the first of two equal names counts.
    pub(super) fn collect(units: &[Unit<'a>]) -> Self {
        let mut all = Self {
            files: Vec::new(),
            agents: Vec::new(),
            agent_levels: Vec::new(),
            functions: Vec::new(),
            imports: Vec::new(),
        };
        for (file, unit) in units.iter().enumerate() {
            let decl = all.file(file, unit);
            all.files.push(decl);
        }
        all.link(units);
        all
    }

    fn file(&mut self, file: usize, unit: &Unit<'a>) -> FileDecl<'a> {
        let mut decl = FileDecl {
            names: HashMap::new(),
            functions: Vec::new(),
            level: Level::default(),
            agents: Vec::new(),
        };
        for item in &unit.tree.items {
            match item {
                Item::Import(import) => {
                    let number = number(self.imports.len());
                    self.imports.push((import, file));
                    let global = Global::Import(number, import.kind);
                    decl.names.entry(&import.name.text).or_insert(global);
                }
                Item::Agent(agent) => {
                    let number = self.agent(file, agent);
                    decl.agents.push(number);
                    if let Some(name) = &agent.name {
                        decl.names.entry(&name.text).or_insert(Global::Agent(number));
                    }
                }
                Item::Func(func) => {
                    let number = self.function(func, file, None);
                    decl.functions.push(number);
                    if let Some(name) = &func.name {
                        decl.names.entry(&name.text).or_insert(Global::Function(number));
                    }
                }
                Item::Config(config) => decl.level.configs.push(config),
                Item::Use(used) => decl.level.uses.push(used),
                // Shapes are found in their own table.
                Item::Shape(_) => {}
            }
        }
        self.implicit_agent(file, &mut decl);
        decl
    }

    /// Adds the agent without a name that a `main func` outside agents makes up.
    fn implicit_agent(&mut self, file: usize, decl: &mut FileDecl<'a>) {
        let is_main = |number: &&u32| self.function_at(**number).is_some_and(|func| func.main);
        let explicit = self.main_agent(&decl.agents).is_some();
        let starts = decl.functions.iter().any(|number| is_main(&number));
        if explicit || !(starts || decl.agents.is_empty()) {
            return;
        }
        decl.agents.push(number(self.agents.len()));
        let functions = decl.functions.clone();
        self.agents.push(AgentDecl { tree: None, file, functions, names: HashMap::new() });
        self.agent_levels.push(Level::default());
    }

    fn agent(&mut self, file: usize, agent: &'a Agent) -> u32 {
        let at = self.agents.len();
        let mut decl =
            AgentDecl { tree: Some(agent), file, functions: Vec::new(), names: HashMap::new() };
        let mut level = Level::default();
        for item in &agent.items {
            match item {
                Item::Func(func) => {
                    let number = self.function(func, file, Some(at));
                    decl.functions.push(number);
                    if let Some(name) = &func.name {
                        decl.names.entry(&name.text).or_insert(number);
                    }
                }
                Item::Config(config) => level.configs.push(config),
                Item::Use(used) => level.uses.push(used),
                Item::Import(_) | Item::Agent(_) | Item::Shape(_) => {}
            }
        }
        self.agents.push(decl);
        self.agent_levels.push(level);
        number(at)
    }

    fn function(&mut self, tree: &'a Func, file: usize, agent: Option<usize>) -> u32 {
        self.functions.push(FunctionDecl { tree, file, agent });
        number(self.functions.len() - 1)
    }

    /// Binds imports of agents and functions to the declarations of other files.
    fn link(&mut self, units: &[Unit<'a>]) {
        for (file, unit) in units.iter().enumerate() {
            for (name, target) in unit.links {
                let agent = self.exported(*target, name);
                let function = self.exported_function(*target, name);
                let Some(decl) = self.files.get_mut(file) else { continue };
                let Some(slot) = decl.names.get_mut(name.as_str()) else { continue };
                match (*slot, agent, function) {
                    (Global::Import(_, ImportKind::Agent), Some(agent), _) => {
                        *slot = Global::Agent(agent);
                    }
                    (Global::Import(_, ImportKind::Func), _, Some(function)) => {
                        *slot = Global::Function(function);
                    }
                    _ => {}
                }
            }
        }
    }

    /// Returns the function that a file itself declares under a name.
    fn exported_function(&self, file: usize, name: &str) -> Option<u32> {
        let own = &self.files.get(file)?.functions;
        let is_named = |number: &&u32| {
            let name_of = self.function_at(**number).and_then(|func| func.name.as_ref());
            name_of.is_some_and(|own| own.text == name)
        };
        own.iter().find(is_named).copied()
    }

    /// Returns the agent that a file exports under a name: the one of that name, else its main one.
    fn exported(&self, file: usize, name: &str) -> Option<u32> {
        match self.files.get(file)?.names.get(name) {
            Some(Global::Agent(agent)) => Some(*agent),
            _ => self.main_of(file),
        }
    }

    /// Returns the agent a file starts with: its main one, else the one of its `main func`, else
    /// its only.
    pub(super) fn main_of(&self, file: usize) -> Option<u32> {
        let agents = &self.files.get(file)?.agents;
        self.main_agent(agents).or_else(|| {
            let unnamed = |agent: &&u32| {
                self.agents.get(**agent as usize).is_some_and(|decl| decl.tree.is_none())
            };
            agents.iter().find(unnamed).or(agents.first().filter(|_| agents.len() == 1)).copied()
        })
    }

    fn main_agent(&self, agents: &[u32]) -> Option<u32> {
        let is_main = |agent: &&u32| {
            self.agents
                .get(**agent as usize)
                .and_then(|decl| decl.tree)
                .is_some_and(|tree| tree.main)
        };
        agents.iter().find(is_main).copied()
    }

    pub(super) fn function_at(&self, number: u32) -> Option<&'a Func> {
        self.functions.get(number as usize).map(|decl| decl.tree)
    }

    /// Returns the function an agent starts with: its `main func`, else its only one.
    pub(super) fn main_function(&self, agent: u32) -> Option<u32> {
        let functions = &self.agents.get(agent as usize)?.functions;
        let main = |number: &&u32| self.function_at(**number).is_some_and(|func| func.main);
        let only = || functions.first().filter(|_| functions.len() == 1);
        functions.iter().find(main).or_else(only).copied()
    }

    /// Returns a function of an agent by name, or one of its file that all agents share.
    pub(super) fn agent_function(&self, agent: u32, name: &str) -> Option<u32> {
        let decl = self.agents.get(agent as usize)?;
        let shared = || match self.files.get(decl.file)?.names.get(name) {
            Some(Global::Function(number)) => Some(*number),
            _ => None,
        };
        decl.names.get(name).copied().or_else(shared)
    }

    /// Looks up a name in a function of `file` and `agent`.
    pub(super) fn global(&self, file: usize, agent: Option<usize>, name: &str) -> Option<Global> {
        let own = agent.and_then(|agent| self.agents.get(agent)?.names.get(name).copied());
        match own {
            Some(number) => Some(Global::Function(number)),
            None => self.files.get(file)?.names.get(name).copied(),
        }
    }

    pub(super) fn names(&self, file: usize, agent: Option<usize>) -> Vec<&'a str> {
        let own = agent.and_then(|agent| self.agents.get(agent)).map(|decl| decl.names.keys());
        let own = own.into_iter().flatten().copied();
        let file = self.files.get(file).into_iter().flat_map(|decl| decl.names.keys().copied());
        own.chain(file).collect()
    }

    pub(super) fn model(&self, file: usize, name: &str) -> Option<NamedModel> {
        let Global::Import(number, ImportKind::Llm) = self.files.get(file)?.names.get(name)? else {
            return None;
        };
        let (import, _) = self.imports.get(*number as usize)?;
        let groups = import.groups().into_iter();
        let groups = groups.map(|group| group.into_iter().map(|uri| uri.value.clone()).collect());
        Some(NamedModel { name: name.to_owned(), groups: groups.collect() })
    }

    /// Returns the name of a function as traces show it.
    pub(super) fn label(&self, number: u32) -> String {
        let Some(decl) = self.functions.get(number as usize) else { return String::new() };
        let name = decl.tree.name.as_ref().map_or("main", |name| name.text.as_str());
        let agent = decl.agent.and_then(|agent| self.agents.get(agent)).and_then(|decl| decl.tree);
        match agent.and_then(|agent| agent.name.as_ref()) {
            Some(agent) => format!("{}.{name}", agent.text),
            None => name.to_owned(),
        }
    }
}

/// Applies the settings of one level: of each kind the last one.
pub(super) fn settle<'a>(configs: &[&'a Config], config: &mut Settings<'a>, depth: usize) {
    for setting in configs {
        match &setting.kind {
            ConfigKind::Model(name) => config.model = Some(&name.text),
            ConfigKind::Role(text) => config.role = Some((text, depth)),
            ConfigKind::Description(text) => config.description = Some((text, depth)),
            // It holds for the whole run, and the host decides by it.
            ConfigKind::Policy { .. } => {}
        }
    }
}

#[derive(Debug, Default, Clone, Copy, PartialEq)]
pub(super) struct Settings<'a> {
    pub(super) model: Option<&'a str>,
    /// With the number of scopes that its expression sees.
    pub(super) role: Option<(&'a Expr, usize)>,
    pub(super) description: Option<(&'a Expr, usize)>,
}

fn number(at: usize) -> u32 {
    super::tables::index(at)
}
