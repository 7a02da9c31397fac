//! Agents of programs as actions: `agent:Name` and `agent:Name.func`.
//!
//! Decision: what a program can be started with, an action can be called by, so one file offers its
//! own agents and not those it imports. Parameters are an object, as those of all actions are: of a
//! function whose one parameter is an object they are that object, otherwise they are arguments by
//! name. One parameter without a declared shape gets the whole object, unless the object holds
//! nothing but a field of the parameter's name.

use super::FlowError;
use crate::project::Project;
use crate::run::{self, CheckReport};
use contexture_answer::{Field, Shape};
use contexture_flow::action::{ActionInfo, ActionKind};
use contexture_script::program::{AgentId, Program};
use contexture_script::runtime::Given;
use contexture_script::syntax::ast::{Func, ImportKind, Param};
use contexture_script::syntax::shape_of;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What the names of these actions begin with.
pub(super) const PREFIX: &str = "agent:";

/// So many programs of a folder are looked at.
const MOST: usize = 500;

/// The agents of some programs, by the names of their actions.
#[derive(Default)]
pub(super) struct Agents {
    actions: BTreeMap<String, Arc<Agent>>,
}

/// A function of an agent as an action.
pub(super) struct Agent {
    pub(super) program: PathBuf,
    pub(super) agent: Option<String>,
    pub(super) function: Option<String>,
    pub(super) takes: Takes,
    pub(super) info: ActionInfo,
    /// What is wrong with its program, if it is refused.
    pub(super) refused: Option<Arc<CheckReport>>,
}

/// What a function takes.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Takes {
    /// Nothing.
    Nothing,
    /// One value of unknown form.
    Open(String),
    /// One object.
    Whole(Vec<Field>),
    /// One value that is no object.
    One(Field),
    /// Several values.
    Several(Vec<Field>),
}

impl Agents {
    /// Those of programs that a person named.
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

    /// Those of the programs that lie in some folders. What can't be read is left out; what is
    /// refused is known, and refuses the set that calls it.
    pub(super) fn in_folders(project: &Project, folders: &[PathBuf]) -> Self {
        let mut agents = Self::default();
        for path in folders.iter().flat_map(|folder| programs_in(folder)) {
            let Ok((program, checked)) = run::load(project, &path) else { continue };
            let refused = checked.has_errors().then(|| Arc::new(checked));
            agents.add(&path, &program, refused);
        }
        agents
    }

    pub(super) fn get(&self, name: &str) -> Option<&Arc<Agent>> {
        self.actions.get(name)
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &String> {
        self.actions.keys()
    }

    fn add(&mut self, path: &Path, program: &Program, refused: Option<Arc<CheckReport>>) {
        let Some(root) = program.files.first() else { return };
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
            self.insert(format!("{PREFIX}{name}"), source.action(agent.clone(), function, entry));
        }
        let shared = program.files.first().into_iter().flat_map(|file| file.functions());
        for func in program.functions(id).into_iter().chain(shared) {
            let Some(function) = &func.name else { continue };
            let action = source.action(agent.clone(), Some(function.text.clone()), func);
            self.insert(format!("{PREFIX}{name}.{}", function.text), action);
        }
    }

    /// What is known first stays.
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
    fn action(&self, agent: Option<String>, function: Option<String>, func: &Func) -> Agent {
        let takes = Takes::of(func);
        let schema = if self.refused.is_some() { json!({}) } else { takes.schema() };
        let info = ActionInfo {
            idempotent: self.is_pure,
            ..ActionInfo::of(ActionKind::Generation).with_parameters(schema)
        };
        let refused = self.refused.clone();
        Agent { program: self.path.to_owned(), agent, function, takes, info, refused }
    }
}

/// Whether a program has no effect but what it gives: it calls no tool and no memory, so that
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

impl Takes {
    fn of(func: &Func) -> Self {
        let field = |param: &Param| {
            let shape = param.shape.as_ref().map_or(Shape::Json, shape_of);
            Field::new(param.name.text.clone(), shape)
        };
        match func.params.as_slice() {
            [] => Self::Nothing,
            [only] => match only.shape.as_ref().map(shape_of) {
                None => Self::Open(only.name.text.clone()),
                Some(Shape::Object(fields)) => Self::Whole(fields),
                Some(shape) => Self::One(Field::new(only.name.text.clone(), shape)),
            },
            several => Self::Several(several.iter().map(field).collect()),
        }
    }

    /// The schema of the parameters. An idempotency key may stand beside them (FL-11).
    fn schema(&self) -> Value {
        let named: &[Field] = match self {
            Self::Open(_) => return json!({ "type": "object" }),
            Self::Whole(fields) => return object(fields, true),
            Self::Nothing => &[],
            Self::One(field) => std::slice::from_ref(field),
            Self::Several(fields) => fields,
        };
        object(named, false)
    }

    /// The input of the function.
    pub(super) fn input(&self, mut given: Vec<(String, Given)>) -> Given {
        let sole = |given: &[(String, Given)], wanted: &str| matches!(given, [(name, _)] if name == wanted);
        let wanted = match self {
            Self::One(field) => Some(&field.name),
            Self::Open(name) if sole(&given, name) => Some(name),
            _ => None,
        };
        let found = wanted.and_then(|name| given.iter().position(|(own, _)| own == name));
        match found {
            Some(at) => given.swap_remove(at).1,
            None => Given::Object(given),
        }
    }
}

fn object(fields: &[Field], may_have_more: bool) -> Value {
    let mut properties = Map::new();
    for Field { name, shape, optional, .. } in fields {
        let schema = shape.to_json_schema();
        let schema =
            if *optional { json!({ "anyOf": [schema, { "type": "null" }] }) } else { schema };
        properties.insert(name.clone(), schema);
    }
    let required: Vec<&String> =
        fields.iter().filter(|field| !field.optional).map(|field| &field.name).collect();
    let required = json!(required);
    properties.entry("idempotencyKey").or_insert_with(|| json!({ "type": "string" }));
    json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": may_have_more,
    })
}

/// What a program is given, as its function takes it.
pub(super) fn input_of(agent: &Agent, given: Vec<(String, Given)>) -> Given {
    let declares = |fields: &[Field]| fields.iter().any(|field| field.name == KEY);
    let keeps = match &agent.takes {
        Takes::Open(_) => true,
        Takes::Whole(fields) | Takes::Several(fields) => declares(fields),
        Takes::Nothing | Takes::One(_) => false,
    };
    let given = given.into_iter().filter(|(name, _)| keeps || name != KEY);
    agent.takes.input(given.collect())
}

const KEY: &str = "idempotencyKey";
