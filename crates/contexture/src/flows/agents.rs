//! Agents of programs as actions: `agent:Name` and `agent:Name.func`.
//!
//! Decision: what a program can be started with, an action can be called by, so one file offers its
//! own agents and not those it imports. Parameters are an object, as those of all actions are: of a
//! function whose one parameter is an object they are that object, otherwise they are arguments by
//! name. One parameter without a declared shape gets the whole object, unless the object holds
//! nothing but a field of the parameter's name.

use super::error::FlowError;
use super::takes;
use crate::models::imported;
use crate::project::Project;
use crate::run::{self, CheckReport, Takes};
use contexture_flow::action::{ActionInfo, ActionKind};
use contexture_script::program::{AgentId, Program};
use contexture_script::syntax::ast::{Func, ImportKind};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The beginning of these actions' names.
pub(super) const PREFIX: &str = "agent:";

/// The most programs of a folder that are looked at.
const MOST: usize = 500;

/// The agents of some programs, by the names of their actions.
#[derive(Default)]
pub(super) struct Agents {
    actions: BTreeMap<String, Arc<Agent>>,
    /// The files of their programs, from the workspace.
    files: BTreeSet<String>,
    /// The names under which they import models.
    models: BTreeSet<String>,
}

/// A function of an agent as an action.
pub(super) struct Agent {
    /// The name under which a person may be asked about it, whichever one the set uses.
    pub(super) name: String,
    pub(super) program: PathBuf,
    pub(super) agent: Option<String>,
    pub(super) function: Option<String>,
    pub(super) takes: Takes,
    pub(super) info: ActionInfo,
    /// The faults of its program, if it is refused.
    pub(super) refused: Option<Arc<CheckReport>>,
}

impl Agents {
    /// Returns the agents of programs that a person named.
    ///
    /// # Errors
    /// [`FlowError`] when one of them can't be read, or is refused.
    pub(super) fn of(project: &Project, programs: &[PathBuf]) -> Result<Self, FlowError> {
        let mut agents = Self::default();
        for path in programs {
            let (program, checked) = run::load(project, path)?;
            if checked.has_errors() {
                return Err(FlowError::Program(checked));
            }
            agents.add(path, &program, None);
        }
        Ok(agents)
    }

    /// Returns the agents of the programs beside a set and in the project. A program that can't be
    /// read is left out; one that is refused is known, and refuses the set that calls it.
    pub(super) fn beside(project: &Project, set: Option<&Path>) -> Self {
        let mut agents = Self::default();
        let set = set.filter(|set| *set != project.root);
        let folders = set.into_iter().chain([project.root.as_path()]);
        for path in folders.flat_map(programs_in) {
            let Ok((program, checked)) = run::load(project, &path) else { continue };
            let refused = checked.has_errors().then(|| Arc::new(checked));
            agents.add(&path, &program, refused);
        }
        agents
    }

    pub(super) fn get(&self, name: &str) -> Option<&Arc<Agent>> {
        self.actions.get(name)
    }

    /// Returns the files of the programs, from the workspace.
    pub(super) fn files(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(String::as_str)
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &String> {
        self.actions.keys()
    }

    /// Returns the names under which the programs import models.
    pub(super) fn models(&self) -> impl Iterator<Item = &str> {
        self.models.iter().map(String::as_str)
    }

    fn add(&mut self, path: &Path, program: &Program, refused: Option<Arc<CheckReport>>) {
        let Some(root) = program.files.first() else { return };
        self.files.extend(program.files.iter().map(|file| file.source.name().to_owned()));
        self.models.extend(imported(program).map(str::to_owned));
        let source = Source { path, program, refused, is_pure: is_pure(program) };
        for (item, agent) in root.agents() {
            let Some(name) = &agent.name else { continue };
            self.add_agent(&source, &name.text, AgentId { file: 0, item: Some(item) });
        }
        // A file stands for its main agent, which may have no name.
        let stem = path.file_stem().and_then(|stem| stem.to_str());
        if let (Some(stem), Some(main)) = (stem, program.main_agent(0)) {
            self.add_agent(&source, stem, main);
        }
    }

    fn add_agent(&mut self, source: &Source<'_>, name: &str, id: AgentId) {
        let program = source.program;
        let own_name = program.agent(id).and_then(|agent| agent.name.as_ref());
        let agent = own_name.map(|name| name.text.clone());
        if let Some(entry) = program.entry(id) {
            let function = entry.name.as_ref().filter(|_| !entry.main);
            let function = function.map(|name| name.text.clone());
            let action = source.action((name, &agent), function, entry);
            self.insert(format!("{PREFIX}{name}"), action);
        }
        let shared = program.files.first().into_iter().flat_map(|file| file.functions());
        for func in program.functions(id).into_iter().chain(shared) {
            let Some(function) = &func.name else { continue };
            let action = source.action((name, &agent), Some(function.text.clone()), func);
            self.insert(format!("{PREFIX}{name}.{}", function.text), action);
        }
    }

    /// Inserts an action; one that is known first stays.
    fn insert(&mut self, name: String, action: Agent) {
        self.actions.entry(name).or_insert_with(|| Arc::new(action));
    }
}

/// A program whose agents are added.
struct Source<'p> {
    path: &'p Path,
    program: &'p Program,
    refused: Option<Arc<CheckReport>>,
    is_pure: bool,
}

impl Source<'_> {
    fn action(
        &self,
        (stem, agent): (&str, &Option<String>),
        function: Option<String>,
        func: &Func,
    ) -> Agent {
        let own = agent.as_deref().unwrap_or(stem);
        let name = match &function {
            Some(function) => format!("{PREFIX}{own}.{function}"),
            None => format!("{PREFIX}{own}"),
        };
        let agent = agent.clone();
        let takes = Takes::of(self.program, 0, func);
        let schema = if self.refused.is_some() { json!({}) } else { takes::schema(&takes) };
        let info = ActionInfo {
            idempotent: self.is_pure,
            ..ActionInfo::of(ActionKind::Generation).with_parameters(schema)
        };
        let refused = self.refused.clone();
        Agent { name, program: self.path.to_owned(), agent, function, takes, info, refused }
    }
}

/// Reports whether a program has no effect but its result: it calls no tool and no memory, so that
/// running it twice is as good as once (FL-11).
fn is_pure(program: &Program) -> bool {
    let mut imports = program.files.iter().flat_map(|file| file.imports());
    imports.all(|import| !matches!(import.kind, ImportKind::Tool | ImportKind::Memory))
}

fn programs_in(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let is_program = |path: &PathBuf| path.extension().is_some_and(|ext| ext == "as");
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let mut paths: Vec<PathBuf> = paths.filter(is_program).filter(|path| path.is_file()).collect();
    paths.sort();
    paths.truncate(MOST);
    paths
}

#[cfg(test)]
mod tests {
    use super::*;
    use contexture_context::Limits;
    use contexture_script::host::{LoadedSource, MemoryLoader};
    use contexture_script::program;

    fn agents(text: &str) -> Agents {
        let root = LoadedSource { name: "file.as".to_owned(), text: text.to_owned() };
        let program = program::load(root, &MemoryLoader::new(), &Limits::default());
        let mut agents = Agents::default();
        agents.add(Path::new("lib/file.as"), &program, None);
        agents
    }

    #[test]
    fn fl_4_agent_is_idempotent_if_its_program_only_gives_value() {
        let pure = "import knowledge Guide from \"guide\"\nmain agent A { main func() { 1 } }";
        let tool = "import tool File from \"file://workspace\"\nmain agent A { main func() { 1 } }";
        let memory = "import memory M from \"file://m.jsonl\"\nmain agent A { main func() { 1 } }";
        for (text, is_idempotent) in [(pure, true), (tool, false), (memory, false)] {
            let info = agents(text).get("agent:A").unwrap().info.clone();
            assert_eq!((info.kind, info.idempotent), (ActionKind::Generation, is_idempotent));
        }
    }

    #[test]
    fn cp_19_agent_has_one_name_in_questions_to_person() {
        let agents = agents("main agent A { main func() { 1 }\n func f() { 2 } }\nfunc g() { 3 }");
        let names: Vec<&String> = agents.names().collect();
        assert_eq!(
            names,
            ["agent:A", "agent:A.f", "agent:A.g", "agent:file", "agent:file.f", "agent:file.g"]
        );
        assert_eq!(agents.get("agent:file").unwrap().name, "agent:A");
        assert_eq!(agents.get("agent:file.f").unwrap().name, "agent:A.f");
    }
}
