//! Lines of a session: statements that see the variables, uses and settings of earlier lines.

use super::function::{Context, FunctionCompiler, Home};
use super::scope::VisibleUse;
use super::tables::Tables;
use super::unit::Unit;
use crate::runtime::code::{Executable, Function, Reg};
use crate::syntax::ast::{Block, Config, Use};

/// The state that earlier lines left.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Past<'a> {
    /// The variables, in the order of their registers.
    pub(crate) variables: &'a [String],
    pub(crate) uses: &'a [Use],
    pub(crate) configs: &'a [Config],
}

pub(crate) struct Line {
    /// The program with the line as its last function.
    pub(crate) program: Executable,
    pub(crate) function: u32,
    /// The variables after it, with the registers that hold them.
    pub(crate) variables: Vec<(String, Reg)>,
}

pub(crate) fn compile_line(units: Vec<Unit<'_>>, block: &Block, past: Past<'_>) -> Line {
    let mut tables = Tables::new();
    let context = super::context(units, &mut tables);
    super::functions(&context, &mut tables);
    let (function, variables) = line(&context, &mut tables, block, past);
    tables.program.functions.push(function);
    let function = super::tables::index(tables.program.functions.len() - 1);
    Line { program: tables.program, function, variables }
}

fn line<'a>(
    context: &Context<'a>,
    tables: &mut Tables,
    block: &'a Block,
    past: Past<'a>,
) -> (Function, Vec<(String, Reg)>) {
    let home = Home { file: 0, agent: None };
    let mut compiler = FunctionCompiler::new(context, tables, home);
    compiler.scopes.enter();
    for name in past.variables {
        let register = compiler.code.temp();
        compiler.scopes.define(name, register);
    }
    for tree in past.uses {
        let number = super::uses::site(compiler.tables, 0, tree);
        let depth = compiler.scopes.depth();
        compiler.scopes.declare_use(VisibleUse { number, tree, depth, span: tree.span });
    }
    for config in past.configs {
        compiler.config(config);
    }
    compiler.session_body(block);
    let variables = compiler.scopes.innermost();
    let variables =
        variables.into_iter().map(|(name, register)| (name.to_owned(), register)).collect();
    let function =
        Function { label: "session".to_owned(), name: "session".to_owned(), ..compiler.finish() };
    (function, variables)
}
