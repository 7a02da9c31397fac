//! What a program offers and may touch (TY-12).
//!
//! Decision: an agent is named as its actions are, and each function once, under the agent's own
//! name. Functions at the top of a file that has agents are its main agent's.

use super::declarations::Declarations;
use super::types::Types;
use crate::capability::{SECRET, noun};
use crate::program::{AgentId, Program, ProgramFile};
use crate::semantic::GenerateFacts;
use crate::semantic::grant::grant;
use crate::semantic::interface::{
    Entry, EntryInput, EntryResult, Interface, NamedShape, Touch, TouchedMethod,
};
use crate::syntax::NamedShapes;
use crate::syntax::ast::{Block, Expr, ExprKind, Func, Import, Item, Param};
use crate::syntax::walk::{self, strip};
use contexture_answer::{Field, Shape};
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// Returns the interface of a program; the stem of its file's name stands for a main agent without a
/// name, and `generates` are the facts of its check.
#[must_use]
pub fn interface(program: &Program, stem: &str, generates: &[GenerateFacts]) -> Interface {
    let declarations = Declarations::collect(program);
    let types = Types::new(program, &declarations);
    let shapes = NamedShapes::new(&declarations.shapes);
    let mut reader = Reader { program, types: &types, shapes, entries: Vec::new() };
    reader.agents(stem);
    reader.declared();
    let named = |(name, shape, decl): (String, Shape, Option<&crate::syntax::ast::ShapeDecl>)| {
        NamedShape { name, doc: decl.and_then(|decl| decl.doc.clone()), shape }
    };
    let files = program.files.iter();
    Interface {
        entries: reader.entries,
        shapes: reader.shapes.definitions().into_iter().map(named).collect(),
        touches: files.flat_map(|file| touches(program, file, generates)).collect(),
        secrets: secrets(program).into_iter().collect(),
        policy: program.policy().collect(),
    }
}

struct Reader<'p, 'c> {
    program: &'p Program,
    types: &'c Types<'p, 'c>,
    shapes: NamedShapes<'c, 'p>,
    entries: Vec<Entry>,
}

impl<'p> Reader<'p, '_> {
    fn agents(&mut self, stem: &str) {
        let Some(root) = self.program.files.first() else { return };
        let main = self.program.main_agent(0);
        for (item, agent) in root.agents() {
            let id = AgentId { file: 0, item: Some(item) };
            match &agent.name {
                Some(name) => self.agent(&name.text, id, main == Some(id)),
                None if main == Some(id) => self.agent(stem, id, true),
                None => {}
            }
        }
        if let Some(id @ AgentId { item: None, .. }) = main {
            self.agent(stem, id, false);
        }
    }

    fn agent(&mut self, name: &str, id: AgentId, has_shared: bool) {
        let entry = self.program.entry(id);
        let doc = self.program.agent(id).and_then(|agent| agent.doc.as_ref());
        if let Some(func) = entry {
            let doc = func.doc.as_ref().or(doc);
            let found = self.entry((name, None), func, doc.cloned());
            self.entries.push(found);
        }
        let mut known: HashSet<&str> = HashSet::new();
        let shared = self.program.files.first().into_iter().flat_map(ProgramFile::functions);
        let shared = shared.filter(|_| has_shared);
        for func in self.program.functions(id).into_iter().chain(shared) {
            let Some(function) = &func.name else { continue };
            let is_entry = entry.is_some_and(|entry| std::ptr::eq(entry, func));
            if known.insert(&function.text) && !is_entry {
                let found = self.entry((name, Some(&function.text)), func, func.doc.clone());
                self.entries.push(found);
            }
        }
    }

    fn entry(
        &mut self,
        (agent, function): (&str, Option<&str>),
        func: &'p Func,
        doc: Option<String>,
    ) -> Entry {
        let action = match function {
            Some(function) => format!("agent:{agent}.{function}"),
            None => format!("agent:{agent}"),
        };
        Entry {
            action,
            agent: agent.to_owned(),
            function: function.map(str::to_owned),
            doc,
            input: self.input(func),
            result: self.result(func),
        }
    }

    fn input(&mut self, func: &'p Func) -> EntryInput {
        let shapes = self.program.shapes();
        let is_object = |param: &Param| {
            let shape = param.shape.as_ref().and_then(|node| shapes.shape_of(0, node).ok());
            shape.is_some_and(|shape| shape.fields().is_some())
        };
        match func.params.as_slice() {
            [] => EntryInput::Nothing,
            [only] if only.shape.is_none() => EntryInput::Open(only.name.text.clone()),
            [only] if is_object(only) => {
                EntryInput::Whole(only.name.text.clone(), self.field(only).shape)
            }
            several => EntryInput::Named(several.iter().map(|param| self.field(param)).collect()),
        }
    }

    fn field(&mut self, param: &'p Param) -> Field {
        let shape = param.shape.as_ref().map(|node| self.shapes.shape(0, node));
        Field::new(param.name.text.clone(), shape.unwrap_or(Shape::Json))
    }

    fn result(&mut self, func: &'p Func) -> Option<EntryResult> {
        if let Some(declared) = &func.result {
            let shape = self.shapes.shape(0, declared);
            return Some(EntryResult { shape, is_declared: true });
        }
        let shape = self.types.found_result(func, &mut self.shapes)?;
        Some(EntryResult { shape, is_declared: false })
    }

    /// Adds the shapes of the program's own file, whether or not an entry has them.
    fn declared(&mut self) {
        let items = self.program.files.first().map(|file| &file.parsed.file.items);
        for item in items.into_iter().flatten() {
            if let Item::Shape(decl) = item {
                self.shapes.declared(0, &decl.name.text);
            }
        }
    }
}

/// Returns the imports of a file, but for those of declarations, with the methods that are called.
fn touches(program: &Program, file: &ProgramFile, generates: &[GenerateFacts]) -> Vec<Touch> {
    let name = file.source.name();
    let called = called(file);
    let own = generates.iter().filter(|facts| facts.file == name);
    let granted: Vec<_> = own.flat_map(|facts| &facts.can).collect();
    let touch = |import: &Import| {
        let binding = import.name.text.as_str();
        let mut methods: BTreeMap<&str, TouchedMethod> = BTreeMap::new();
        for method in called.iter().filter(|(tool, _)| *tool == binding).map(|(_, method)| *method)
        {
            let class = class_of(program, file, import, method);
            let own = TouchedMethod { name: method.to_owned(), class, by_model: false };
            methods.insert(method, own);
        }
        for cause in granted.iter().filter(|cause| cause.tool == binding) {
            let (name, class) = (cause.method.clone(), Some(cause.class));
            methods.insert(&cause.method, TouchedMethod { name, class, by_model: true });
        }
        let others = import.or.iter().map(|other| other.from.value.clone());
        Touch {
            kind: noun(import.kind).trim_start_matches("a "),
            name: binding.to_owned(),
            from: std::iter::once(import.from.value.clone()).chain(others).collect(),
            file: name.to_owned(),
            methods: methods.into_values().collect(),
        }
    };
    file.imports().filter(|import| !import.kind.is_declaration()).map(touch).collect()
}

fn class_of(
    program: &Program,
    file: &ProgramFile,
    import: &Import,
    method: &str,
) -> Option<contexture_core::policy::Class> {
    let number = program.files.iter().position(|other| std::ptr::eq(other, file))?;
    let facts = program.server(number, &import.name.text);
    let found = grant(import, facts, Some(method)).ok()?;
    found.granted.first().map(|method| method.class)
}

/// Returns the methods that a file calls by name: `File.read(…)`.
fn called(file: &ProgramFile) -> Vec<(&str, &str)> {
    let mut found = Vec::new();
    each_call(file, &mut |callee, _| {
        if let ExprKind::Field { base, name } = &callee.kind
            && let ExprKind::Name(tool) = &strip(base).kind
        {
            found.push((tool.as_str(), name.text.as_str()));
        }
    });
    found
}

/// Returns the names in `secret("NAME")`, of all files.
fn secrets(program: &Program) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for file in &program.files {
        each_call(file, &mut |callee, arguments| {
            if let (ExprKind::Name(name), Some(first)) = (&callee.kind, arguments.first())
                && let (true, ExprKind::Str(secret)) = (name == SECRET, &strip(first).kind)
            {
                found.insert(secret.clone());
            }
        });
    }
    found
}

fn each_call<'p>(file: &'p ProgramFile, look: &mut dyn FnMut(&'p Expr, &'p [Expr])) {
    for body in bodies(&file.parsed.file.items) {
        walk::block_expressions(body, &mut |expr| {
            if let ExprKind::Call { callee, arguments } = &expr.kind {
                look(strip(callee), arguments);
            }
        });
    }
}

fn bodies(items: &[Item]) -> Vec<&Block> {
    let bodies = items.iter().flat_map(|item| match item {
        Item::Func(func) => vec![&func.body],
        Item::Agent(agent) => bodies(&agent.items),
        _ => Vec::new(),
    });
    bodies.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::{LoadedSource, MemoryLoader};
    use crate::program::load;
    use contexture_context::Limits;
    use contexture_diagnostic::Severity;

    fn interface_of(text: &str) -> Interface {
        let root = LoadedSource { name: "app.as".to_owned(), text: text.to_owned() };
        let program = load(root, &MemoryLoader::new(), &Limits::default());
        let model = super::super::analyze(&program);
        let errors = model.faults.iter().filter(|fault| fault.severity == Severity::Error);
        assert_eq!(errors.map(|fault| &*fault.message).collect::<Vec<_>>(), [""; 0]);
        interface(&program, "app", &model.generates)
    }

    #[test]
    fn ty_12_entries_have_actions_inputs_and_results() {
        let found = interface_of(
            "/// A report.\nshape Issue { title string, parts list[Issue]? }\n\
             /// Sorts.\nmain agent Triage {\n main func(issue Issue) -> Issue { issue }\n\
             /// Adds.\n func add(a integer, b integer) { a + b }\n func any(x) { x } }",
        );
        let actions: Vec<&str> = found.entries.iter().map(|entry| &*entry.action).collect();
        assert_eq!(actions, ["agent:Triage", "agent:Triage.add", "agent:Triage.any"]);
        let issue = Shape::Named("Issue".to_owned());
        assert_eq!(found.entries[0].input, EntryInput::Whole("issue".to_owned(), issue.clone()));
        assert_eq!(found.entries[0].doc.as_deref(), Some("Sorts."));
        let result = found.entries[0].result.clone().unwrap();
        assert_eq!((result.shape, result.is_declared), (issue, true));
        let sum = found.entries[1].result.clone().unwrap();
        assert_eq!((sum.shape, sum.is_declared), (Shape::Number, false));
        assert_eq!(found.entries[2].input, EntryInput::Open("x".to_owned()));
        assert_eq!(found.entries[2].result, None);
        assert_eq!((&*found.shapes[0].name, found.shapes.len()), ("Issue", 1));
        assert_eq!(found.shapes[0].doc.as_deref(), Some("A report."));
    }

    #[test]
    fn ty_12_functions_of_file_are_entries_under_its_stem() {
        let found =
            interface_of("main func(n integer) { twice(n) }\nfunc twice(n integer) { n * 2 }");
        let actions: Vec<&str> = found.entries.iter().map(|entry| &*entry.action).collect();
        assert_eq!(actions, ["agent:app", "agent:app.twice"]);
    }

    #[test]
    fn ty_12_methods_are_listed_with_class_and_caller() {
        let found = interface_of(
            "import tool File from \"file://workspace\"\npolicy write \"ask\"\n\
             main func(input) { File.write({ path: \"a\", content: \"b\" })\n\
             generate({ input: input, tools: [File] }) }",
        );
        let file = &found.touches[0];
        assert_eq!((file.kind, &*file.name, &*file.from[0]), ("tool", "File", "file://workspace"));
        let method = |name: &str| {
            let found = file.methods.iter().find(|method| method.name == name).unwrap();
            (found.class.map(contexture_core::policy::Class::as_str), found.by_model)
        };
        assert_eq!(method("write"), (Some("write"), false));
        assert_eq!(method("read"), (Some("read"), true));
        assert_eq!(found.policy.len(), 1);
    }
}
