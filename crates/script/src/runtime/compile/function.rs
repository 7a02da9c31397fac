//! The compilation of one function: the state that all parts of the compiler share.

use super::builder::Builder;
use super::declare::{Declarations, Global, Level, settle};
use super::scope::{Scopes, VisibleUse};
use super::tables::{Tables, push};
use super::unit::Unit;
use crate::runtime::code::{ArgumentSite, EffectPlace, FailSite, Function, Op, Place, Reg};
use crate::runtime::error::codes;
use crate::syntax::ShapeTable;
use crate::syntax::ast::{Block, Expr, ExprKind, Func, ShapeNode, Statement, StatementKind};
use crate::syntax::walk::strip;
use crate::template::TemplateNames;
use contexture_answer::Shape;
use contexture_diagnostic::{Span, suggestion};

/// The greatest number of instructions in a program: every `generate` contains code for each use it
/// sees, so that code can become far larger than its source.
const MAX_CODE: usize = 16 << 20;

pub(super) struct Context<'a> {
    pub(super) units: Vec<Unit<'a>>,
    pub(super) declarations: Declarations<'a>,
    pub(super) shapes: ShapeTable<'a>,
    /// For each function, true if it can produce trace events.
    pub(super) eventful: Vec<bool>,
    pub(super) templates: Vec<TemplateNames>,
    /// The uses of each file and agent, with their numbers.
    pub(super) file_uses: Vec<Vec<u32>>,
    pub(super) agent_uses: Vec<Vec<u32>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Home {
    pub(super) file: usize,
    pub(super) agent: Option<usize>,
}

pub(super) struct FunctionCompiler<'c, 'a> {
    pub(super) context: &'c Context<'a>,
    pub(super) tables: &'c mut Tables,
    pub(super) code: Builder,
    pub(super) scopes: Scopes<'a>,
    pub(super) home: Home,
    /// The function's name, for the sites of effects.
    pub(super) name: Option<String>,
    /// The number of instructions so far that can produce events.
    pub(super) eventful: usize,
    pub(super) loops: usize,
    /// The `return`s that leave loops, which may turn out to have events.
    pub(super) exits: Vec<usize>,
    pub(super) has_loop_events: bool,
    /// The declared shape of its value.
    pub(super) result: Option<u32>,
    /// The span to report for everything, while a `use` is evaluated.
    pub(super) blame: Option<Span>,
}

impl<'c, 'a> FunctionCompiler<'c, 'a> {
    /// Begins a function, with the uses and settings of its file and agent in scope.
    pub(super) fn new(context: &'c Context<'a>, tables: &'c mut Tables, home: Home) -> Self {
        let room = MAX_CODE.saturating_sub(tables.instructions);
        let mut this = Self {
            context,
            tables,
            code: Builder::new(room),
            scopes: Scopes::default(),
            home,
            name: None,
            eventful: 0,
            loops: 0,
            exits: Vec::new(),
            has_loop_events: false,
            result: None,
            blame: None,
        };
        let declarations = &context.declarations;
        if let Some(file) = declarations.files.get(home.file) {
            this.level(&file.level, context.file_uses.get(home.file));
        }
        if let Some(agent) = home.agent
            && let Some(level) = declarations.agent_levels.get(agent)
        {
            this.level(level, context.agent_uses.get(agent));
        }
        this
    }

    fn level(&mut self, level: &Level<'a>, numbers: Option<&Vec<u32>>) {
        self.scopes.enter();
        let depth = self.scopes.depth();
        for (tree, number) in level.uses.iter().zip(numbers.into_iter().flatten()) {
            self.scopes.declare_use(VisibleUse { number: *number, tree, depth, span: tree.span });
        }
        let depth = self.scopes.depth();
        if let Some(settings) = self.scopes.settings_mut() {
            settle(&level.configs, settings, depth);
        }
    }

    pub(super) fn function(mut self, func: &'a Func, label: String) -> Function {
        let name = func.name.as_ref().map_or("main", |name| name.text.as_str());
        self.name = Some(name.to_owned());
        self.scopes.enter();
        for param in &func.params {
            let register = self.code.temp();
            self.scopes.define(&param.name.text, register);
        }
        for param in &func.params {
            let Some(shape) = &param.shape else { continue };
            let at = self.scopes.variable(&param.name.text).unwrap_or_default();
            self.at(param.name.span);
            match self.shape(shape) {
                Ok(shape) => {
                    let name = Some(param.name.text.clone());
                    let site = ArgumentSite { shape, name };
                    let shape = push(&mut self.tables.program.arguments, site);
                    self.code.emit(Op::CheckArgument { at, shape });
                }
                Err(fault) => self.unreadable_shape(&fault),
            }
        }
        self.declare_result(func);
        self.body(&func.body);
        let params = func.params.iter().map(|param| param.name.text.clone()).collect();
        let file = self.home.file;
        Function { label, name: name.to_owned(), file, params, ..self.finish() }
    }

    /// Notes the shape that each `return` of a function checks.
    fn declare_result(&mut self, func: &'a Func) {
        let Some(node) = &func.result else { return };
        match self.shape(node) {
            Ok(shape) => {
                let site = ArgumentSite { shape, name: None };
                self.result = Some(push(&mut self.tables.program.arguments, site));
            }
            Err(fault) => self.unreadable_shape(&fault),
        }
    }

    /// Emits the end of a function with a value, which is checked against the declared result.
    pub(super) fn emit_return(&mut self, from: Option<Reg>) {
        let Some(shape) = self.result else {
            self.code.emit(from.map_or(Op::ReturnNone, |from| Op::Return { from }));
            return;
        };
        let at = from.unwrap_or_else(|| {
            let none = self.code.temp();
            self.code.emit(Op::LoadNone { to: none });
            none
        });
        self.code.emit(Op::CheckArgument { at, shape });
        self.code.emit(Op::Return { from: at });
    }

    /// Returns the shape of a tree, or why it can't be used.
    pub(super) fn shape(&self, node: &ShapeNode) -> Result<Shape, String> {
        let shape = self.context.shapes.shape_of(self.home.file, node);
        let shape = shape.map_err(|fault| fault.to_string())?;
        shape.check().map_err(|fault| fault.to_string())?;
        Ok(shape)
    }

    /// Compiles the statements of a function; the last expression is its value.
    pub(super) fn body(&mut self, block: &'a Block) {
        let end = Span::new(block.span.end.saturating_sub(1), block.span.end);
        match block.statements.split_last() {
            Some((Statement { kind: StatementKind::Expr(value), .. }, before)) => {
                before.iter().for_each(|statement| self.statement(statement));
                let from = self.operand(value);
                self.at(value.span);
                self.emit_return(Some(from));
            }
            _ => {
                block.statements.iter().for_each(|statement| self.statement(statement));
                self.at(end);
                self.emit_return(None);
            }
        }
    }

    /// Compiles the statements of a session's line: like [`Self::body`], but the variables outlive
    /// it.
    pub(super) fn session_body(&mut self, block: &'a Block) {
        for statement in &block.statements {
            if let StatementKind::Expr(value) = &statement.kind
                && std::ptr::eq(statement, block.statements.last().unwrap_or(statement))
            {
                let from = self.code.temp();
                self.expr(value, from);
                self.code.emit(Op::Return { from });
                return;
            }
            self.statement(statement);
        }
        self.code.emit(Op::ReturnNone);
    }

    /// Returns the code after everything is compiled.
    pub(super) fn finish(mut self) -> Function {
        if self.has_loop_events {
            for at in std::mem::take(&mut self.exits) {
                self.code.patch(at, Op::EventsEndAll);
            }
        }
        let overflow = self.code.overflow;
        let function = self.code.finish();
        self.tables.instructions += function.code.len();
        if !overflow {
            return function;
        }
        let site = self.tables.fail(FailSite {
            code: codes::TOO_LARGE,
            message: "the function is too large to be run".to_owned(),
            help: Some("split it into several functions".to_owned()),
        });
        let span = function.spans.first().copied().unwrap_or_default();
        Function {
            registers: 1,
            code: vec![Op::Fail { site }],
            spans: vec![span],
            ..Function::default()
        }
    }

    /// Sets the span of the instructions that follow.
    pub(super) fn at(&mut self, span: Span) {
        self.code.span = self.blame.unwrap_or(span);
    }

    pub(super) fn fail(
        &mut self,
        code: &'static str,
        message: impl Into<String>,
        help: Option<String>,
    ) {
        let site = self.tables.fail(FailSite { code, message: message.into(), help });
        self.code.emit(Op::Fail { site });
    }

    /// Emits the failure of a shape that `check` refuses too.
    pub(super) fn unreadable_shape(&mut self, fault: &str) {
        let help = "fix the shape: `check` shows the place".to_owned();
        self.fail(codes::NOT_READABLE, fault, Some(help));
    }

    pub(super) fn global(&self, name: &str) -> Option<Global> {
        self.context.declarations.global(self.home.file, self.home.agent, name)
    }

    /// Looks up a name, unless a variable shadows it.
    pub(super) fn global_of(&self, expr: &Expr) -> Option<Global> {
        match &strip(expr).kind {
            ExprKind::Name(name) if self.scopes.variable(name).is_none() => self.global(name),
            _ => None,
        }
    }

    pub(super) fn unknown_name(&mut self, name: &str) {
        let mut known = self.scopes.names();
        known.extend(self.context.declarations.names(self.home.file, self.home.agent));
        known.sort_unstable();
        let help = suggestion(name, known).unwrap_or_else(|| {
            "assign it before it is read, in this block or an enclosing one".to_owned()
        });
        self.fail(codes::UNKNOWN_NAME, format!("use of undefined name `{name}`"), Some(help));
    }

    pub(super) fn site(&self, span: Span) -> EffectPlace {
        let agent = self.home.agent.and_then(|agent| self.context.declarations.agents.get(agent));
        let agent = agent.and_then(|decl| decl.tree).and_then(|tree| tree.name.as_ref());
        EffectPlace {
            place: self.place(span),
            agent: agent.map(|name| name.text.clone()),
            function: self.name.clone(),
        }
    }

    pub(super) fn place(&self, span: Span) -> Place {
        Place { file: self.home.file, span }
    }
}
