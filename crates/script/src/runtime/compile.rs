//! From the tree of a program to its code.
//!
//! The compiler assumes that analysis passed, and never fails: an invalid part becomes an
//! instruction that fails when it is reached, with the reason.

mod assign;
mod builder;
mod call;
mod changes;
mod declare;
mod each;
mod eventful;
mod expression;
mod function;
pub(crate) mod generate;
mod loops;
mod operator;
mod scope;
pub(crate) mod session;
mod statement;
mod tables;
pub(crate) mod unit;
mod uses;

use super::code::{AgentCode, Executable, ImportCode};
use crate::analysis::narrowed::of_agent;
use crate::syntax::ShapeTable;
use crate::template::templates_of;
use declare::{Declarations, Level};
use function::{Context, FunctionCompiler, Home};
use tables::Tables;
use unit::Unit;

/// Compiles the files of a program; the first is its own, the others provide agents to it.
pub(crate) fn compile_units(units: Vec<Unit<'_>>) -> Executable {
    let mut tables = Tables::new();
    let context = context(units, &mut tables);
    functions(&context, &mut tables);
    tables.program
}

fn context<'a>(units: Vec<Unit<'a>>, tables: &mut Tables) -> Context<'a> {
    let declarations = Declarations::collect(&units);
    let eventful = eventful::eventful_functions(&declarations);
    let templates = units.iter().map(|unit| templates_of(unit.imports())).collect();
    let shapes = ShapeTable::new(units.iter().map(|unit| (&*unit.tree.items, unit.links)));
    let mut context = Context {
        units,
        shapes,
        declarations,
        eventful,
        templates,
        file_uses: Vec::new(),
        agent_uses: Vec::new(),
    };
    let declarations = &context.declarations;
    context.file_uses = (declarations.files.iter().enumerate())
        .map(|(file, decl)| level_uses(tables, &decl.level, file))
        .collect();
    context.agent_uses = (declarations.agents.iter().zip(&declarations.agent_levels))
        .map(|(decl, level)| level_uses(tables, level, decl.file))
        .collect();
    imports(&context, tables);
    agents(&context, tables);
    tables.program.files = context.units.iter().map(|unit| unit.source.clone()).collect();
    context
}

fn level_uses(tables: &mut Tables, level: &Level<'_>, file: usize) -> Vec<u32> {
    level.uses.iter().map(|tree| uses::site(tables, file, tree)).collect()
}

fn imports(context: &Context<'_>, tables: &mut Tables) {
    let imports = context.declarations.imports.iter().map(|(import, file)| ImportCode {
        kind: import.kind,
        name: import.name.text.clone(),
        from: import.from.value.clone(),
        importer: context
            .units
            .get(*file)
            .map_or(String::new(), |unit| unit.source.name().to_owned()),
    });
    tables.program.imports = imports.collect();
}

fn agents(context: &Context<'_>, tables: &mut Tables) {
    let declarations = &context.declarations;
    for (number, decl) in declarations.agents.iter().enumerate() {
        let number = tables::index(number);
        let file = declarations.files.get(decl.file);
        let file_functions = file.map_or(&[][..], |file| &file.functions);
        let named = |function: &u32| {
            let name = declarations.function_at(*function)?.name.as_ref()?;
            Some((name.text.clone(), *function))
        };
        let uses = [context.file_uses.get(decl.file), context.agent_uses.get(number as usize)];
        tables.program.agents.push(AgentCode {
            name: decl.tree.and_then(|tree| tree.name.as_ref()).map(|name| name.text.clone()),
            main: declarations.main_function(number),
            functions: decl.functions.iter().chain(file_functions).filter_map(named).collect(),
            uses: uses.into_iter().flatten().flatten().copied().collect(),
            policy: decl.tree.into_iter().flat_map(of_agent).collect(),
        });
    }
    tables.program.main = declarations.main_of(0);
    let own = declarations.files.first();
    tables.program.own_agents = own.map(|file| file.agents.clone()).unwrap_or_default();
}

fn functions(context: &Context<'_>, tables: &mut Tables) {
    for (number, decl) in context.declarations.functions.iter().enumerate() {
        let home = Home { file: decl.file, agent: decl.agent };
        let label = context.declarations.label(tables::index(number));
        let function = FunctionCompiler::new(context, tables, home).function(decl.tree, label);
        tables.program.functions.push(function);
    }
}
