//! The names of a program and their places (TY-9).
//!
//! Decision: a walk of its own over the scopes and imports of the checker. The checker judges a name
//! by where it stands, more than once or, after a fault, not at all; renaming needs each place once,
//! in a broken program too.

use super::scope::Scopes;
use crate::program::{AgentId, Program};
use crate::semantic::symbols::{Access, Reference, Symbol, SymbolKind, Symbols, item, shape_of};
use crate::stack::deeper;
use crate::syntax::ast::{
    Accessor, Agent, Block, Config, ConfigKind, Expr, ExprKind, For, Func, Import, ImportKind,
    Item, Name, ShapeDecl, ShapeNode, Statement, StatementKind, Target, Use, UseSource,
};
use crate::syntax::token::TokenKind;
use crate::syntax::walk::{shape_names, strip};
use contexture_diagnostic::Span;
use std::collections::HashMap;

/// Everything can be read here.
const EVERYWHERE: Span = Span::new(0, u32::MAX);

/// Finds the names of a program and all their places.
#[must_use]
pub fn symbols(program: &Program) -> Symbols {
    let mut resolver = Resolver {
        program,
        found: Symbols { symbols: Vec::new(), references: vec![Vec::new(); program.files.len()] },
        globals: HashMap::new(),
        agents: HashMap::new(),
        functions: HashMap::new(),
        file: 0,
        agent: None,
        container: None,
        scopes: Scopes::default(),
        variables: HashMap::new(),
        ends: Vec::new(),
        waiting: Vec::new(),
    };
    for (number, file) in program.files.iter().enumerate() {
        resolver.file = number;
        resolver.declare(&file.parsed.file.items);
    }
    for (number, file) in program.files.iter().enumerate() {
        resolver.file = number;
        resolver.import_agents(&file.parsed.file.items);
    }
    for (number, file) in program.files.iter().enumerate() {
        resolver.file = number;
        resolver.items(&file.parsed.file.items);
    }
    for places in &mut resolver.found.references {
        places.sort_by_key(|place| (place.span.start, place.span.end));
        places.dedup_by_key(|place| place.span);
    }
    resolver.found
}

struct Resolver<'p> {
    program: &'p Program,
    found: Symbols,
    /// The names at the top of each file and of each agent; the first of two equal ones counts.
    globals: HashMap<(usize, Option<usize>), HashMap<&'p str, usize>>,
    agents: HashMap<AgentId, usize>,
    /// The functions by file and start.
    functions: HashMap<(usize, u32), usize>,
    file: usize,
    agent: Option<usize>,
    /// The symbol of the current function or agent.
    container: Option<usize>,
    scopes: Scopes<'p>,
    /// The variables of the current function by the span of their definition.
    variables: HashMap<Span, usize>,
    /// The ends of the open blocks.
    ends: Vec<u32>,
    /// The names in each open block's `use` that may be assigned later (AS-13).
    waiting: Vec<Vec<(&'p str, Span)>>,
}

impl<'p> Resolver<'p> {
    fn declare(&mut self, items: &'p [Item]) {
        for (index, item) in items.iter().enumerate() {
            match item {
                Item::Import(import) if !import.kind.is_declaration() => {
                    let kind = SymbolKind::Import(import.kind);
                    let symbol = self.symbol(&import.name, kind, import.span, import.span);
                    self.global(&import.name.text, symbol);
                }
                Item::Agent(agent) if self.agent.is_none() => self.declare_agent(index, agent),
                Item::Func(func) => self.declare_func(func),
                Item::Shape(decl) => self.declare_shape(decl),
                _ => {}
            }
        }
    }

    fn declare_agent(&mut self, index: usize, agent: &'p Agent) {
        let head = Span::new(agent.span.start, self.end_of_head(agent.span));
        let name = agent.name.clone().unwrap_or_else(|| main(agent.span));
        let symbol = self.symbol(&name, SymbolKind::Agent, agent.span, head);
        self.agents.insert(AgentId { file: self.file, item: Some(index) }, symbol);
        match &agent.name {
            Some(name) => self.global(&name.text, symbol),
            None => self.unnamed(symbol),
        }
        (self.agent, self.container) = (Some(index), Some(symbol));
        self.declare(&agent.items);
        (self.agent, self.container) = (None, None);
    }

    fn declare_func(&mut self, func: &'p Func) {
        let head = Span::new(func.span.start, func.body.span.start.max(func.span.start));
        let written = if func.is_script { Span::at(func.span.start) } else { func.span };
        let name = func.name.clone().unwrap_or_else(|| main(written));
        let symbol = self.symbol(&name, SymbolKind::Function, func.span, head);
        self.functions.insert((self.file, func.span.start), symbol);
        self.change(symbol, |symbol| symbol.shape.clone_from(&func.result));
        if let Some(agent) = self.container.and_then(|agent| self.found.get(agent)) {
            let visible = agent.whole;
            self.change(symbol, |symbol| symbol.visible = visible);
        }
        match &func.name {
            Some(name) => self.global(&name.text, symbol),
            None => self.unnamed(symbol),
        }
    }

    fn declare_shape(&mut self, decl: &'p ShapeDecl) {
        let symbol = self.symbol(&decl.name, SymbolKind::Shape, decl.span, decl.span);
        self.change(symbol, |symbol| symbol.shape = Some(decl.shape.clone()));
        self.global(&decl.name.text, symbol);
    }

    /// Returns the offset of the first brace of a declaration.
    fn end_of_head(&self, whole: Span) -> u32 {
        let Some(file) = self.program.files.get(self.file) else { return whole.end };
        let first = file.parsed.tokens.partition_point(|token| token.span.start < whole.start);
        let tokens = file.parsed.tokens.iter().skip(first);
        let mut within = tokens.take_while(|token| token.span.start < whole.end);
        let brace = within.find(|token| token.kind == TokenKind::OpenBrace);
        brace.map_or(whole.end, |brace| brace.span.start)
    }

    /// Binds the imports of agents: one of the agent's own name means the agent itself.
    fn import_agents(&mut self, items: &'p [Item]) {
        for item in items {
            let Item::Import(import) = item else { continue };
            let target = match import.kind {
                ImportKind::Agent => {
                    let agent = self.program.imported_agent(self.file, &import.name.text);
                    agent.and_then(|agent| self.agents.get(&agent).copied())
                }
                ImportKind::Shape => self.imported(&import.name.text, SymbolKind::Shape),
                ImportKind::Func => self.imported(&import.name.text, SymbolKind::Function),
                _ => continue,
            };
            let is_same = |target: &usize| {
                let found = self.found.get(*target);
                found.is_some_and(|agent| agent.is_named && agent.name == import.name.text)
            };
            let symbol = match target.filter(is_same) {
                Some(agent) => {
                    self.refer(import.name.span, agent, Access::Read);
                    agent
                }
                None => self.import_agent(import, target),
            };
            self.global(&import.name.text, symbol);
        }
    }

    /// Returns the declaration of another file that an import of this one means.
    fn imported(&self, name: &str, kind: SymbolKind) -> Option<usize> {
        let links = &self.program.files.get(self.file)?.links;
        let (_, target) = links.iter().find(|(own, _)| own == name)?;
        let symbol = self.globals.get(&(*target, None))?.get(name).copied()?;
        self.found.get(symbol).filter(|found| found.kind == kind)?;
        Some(symbol)
    }

    /// Notes the names of shapes in a shape.
    fn shape_names(&mut self, node: &'p ShapeNode) {
        for name in shape_names(node) {
            if let Some(symbol) = self.lookup_global((self.file, None), &name.text)
                && self.found.get(symbol).is_some_and(|found| found.kind == SymbolKind::Shape)
            {
                self.refer(name.span, symbol, Access::Read);
            }
        }
    }

    fn import_agent(&mut self, import: &'p Import, target: Option<usize>) -> usize {
        let kind = SymbolKind::Import(import.kind);
        let symbol = self.symbol(&import.name, kind, import.span, import.span);
        self.change(symbol, |symbol| symbol.target = target);
        symbol
    }

    fn symbol(&mut self, name: &Name, kind: SymbolKind, whole: Span, head: Span) -> usize {
        let number = self.found.symbols.len();
        let symbol = Symbol {
            name: name.text.clone(),
            kind,
            file: self.file,
            span: name.span,
            whole,
            head,
            visible: EVERYWHERE,
            container: self.container,
            doc: self.doc(whole.start),
            shape: None,
            target: None,
            is_named: true,
        };
        self.found.symbols.push(symbol);
        // Nothing is written where a main function without a head and its parameter begin (TY-7).
        if !name.text.is_empty() && !name.span.is_empty() {
            self.refer(name.span, number, Access::Declare);
        }
        number
    }

    fn unnamed(&mut self, symbol: usize) {
        self.change(symbol, |symbol| symbol.is_named = false);
    }

    fn change(&mut self, symbol: usize, change: impl FnOnce(&mut Symbol)) {
        if let Some(symbol) = self.found.symbols.get_mut(symbol) {
            change(symbol);
        }
    }

    fn global(&mut self, name: &'p str, symbol: usize) {
        let names = self.globals.entry((self.file, self.agent)).or_default();
        if !name.is_empty() {
            names.entry(name).or_insert(symbol);
        }
    }

    /// Returns the lines of `///` right above an offset.
    fn doc(&self, at: u32) -> Option<String> {
        let file = self.program.files.get(self.file)?;
        let tokens = &file.parsed.tokens;
        let before = tokens.partition_point(|token| token.span.start < at);
        let above = tokens.get(..before)?.iter().rev();
        let mut below = file.source.position(at).line;
        let mut lines = Vec::new();
        for token in above {
            let line = file.source.position(token.span.start).line;
            if token.kind != TokenKind::DocComment || line.saturating_add(1) != below {
                break;
            }
            lines.push(file.source.slice(token.span).trim_start_matches('/').trim());
            below = line;
        }
        lines.reverse();
        (!lines.is_empty()).then(|| lines.join("\n"))
    }

    fn refer(&mut self, span: Span, symbol: usize, access: Access) {
        if let Some(places) = self.found.references.get_mut(self.file) {
            places.push(Reference { span, symbol, access });
        }
    }

    fn items(&mut self, items: &'p [Item]) {
        for (index, item) in items.iter().enumerate() {
            match item {
                Item::Config(config) => self.config(config),
                Item::Use(used) => self.level_use(used),
                Item::Func(func) => self.func(func),
                Item::Shape(decl) => self.shape_names(&decl.shape),
                Item::Agent(agent) if self.agent.is_none() => {
                    self.agent = Some(index);
                    self.items(&agent.items);
                    self.agent = None;
                }
                _ => {}
            }
        }
    }

    fn level_use(&mut self, used: &'p Use) {
        self.enter(used.span.end);
        self.used(used);
        self.leave();
    }

    fn func(&mut self, func: &'p Func) {
        let outer = std::mem::take(&mut self.scopes);
        self.container = self.functions.get(&(self.file, func.span.start)).copied();
        self.enter(func.body.span.end);
        func.result.iter().for_each(|result| self.shape_names(result));
        for param in &func.params {
            param.shape.iter().for_each(|shape| self.shape_names(shape));
            let whole = param
                .shape
                .as_ref()
                .map_or(param.name.span, |shape| param.name.span.to(shape.span));
            self.define(&param.name, SymbolKind::Parameter, whole, param.shape.clone());
        }
        self.statements(&func.body);
        self.leave();
        self.container = None;
        self.variables.clear();
        self.scopes = outer;
    }

    fn define(&mut self, name: &'p Name, kind: SymbolKind, whole: Span, shape: Option<ShapeNode>) {
        let symbol = self.symbol(name, kind, whole, whole);
        let end = self.ends.last().copied().unwrap_or(whole.end);
        let visible = Span::new(name.span.start, end.max(name.span.end));
        self.change(symbol, |symbol| {
            symbol.visible = visible;
            symbol.shape = shape;
        });
        if name.span.is_empty() {
            self.unnamed(symbol);
        }
        self.scopes.define(&name.text, name.span);
        self.variables.insert(name.span, symbol);
    }

    fn enter(&mut self, end: u32) {
        self.scopes.enter();
        self.ends.push(end);
        self.waiting.push(Vec::new());
    }

    /// Leaves a block; by now the names that its uses waited for are assigned.
    fn leave(&mut self) {
        for (name, span) in self.waiting.pop().unwrap_or_default() {
            if let Some(symbol) = self.variable(name) {
                self.refer(span, symbol, Access::Read);
            }
        }
        self.scopes.leave();
        self.ends.pop();
    }

    fn variable(&self, name: &str) -> Option<usize> {
        let (_, definition) = self.scopes.find(name)?;
        self.variables.get(&definition).copied()
    }

    fn lookup(&self, name: &str) -> Option<usize> {
        self.variable(name).or_else(|| self.lookup_global((self.file, self.agent), name))
    }

    fn lookup_global(&self, (file, agent): (usize, Option<usize>), name: &str) -> Option<usize> {
        let within = |agent: Option<usize>| self.globals.get(&(file, agent))?.get(name).copied();
        agent.and_then(|_| within(agent)).or_else(|| within(None))
    }

    fn name(&mut self, name: &str, span: Span, access: Access) {
        if let Some(symbol) = self.lookup(name) {
            self.refer(span, symbol, access);
        }
    }

    fn config(&mut self, config: &'p Config) {
        if let ConfigKind::Model(name) = &config.kind
            && let Some(symbol) = self.lookup_global((self.file, None), &name.text)
        {
            self.refer(name.span, symbol, Access::Read);
        }
        config.kind.text().into_iter().for_each(|text| self.expr(text));
    }

    fn block(&mut self, block: &'p Block) {
        self.enter(block.span.end);
        self.statements(block);
        self.leave();
    }

    fn statements(&mut self, block: &'p Block) {
        for statement in &block.statements {
            deeper(|| self.statement(statement));
        }
    }

    fn statement(&mut self, statement: &'p Statement) {
        match &statement.kind {
            StatementKind::Assign { target, value, .. } => {
                self.expr(value);
                self.assign(target, value, statement.span);
            }
            StatementKind::Return(value) => value.iter().for_each(|value| self.expr(value)),
            StatementKind::If { arms, otherwise } => {
                for (condition, block) in arms {
                    self.expr(condition);
                    self.block(block);
                }
                otherwise.iter().for_each(|block| self.block(block));
            }
            StatementKind::Loop { until, max, body } => {
                self.expr(until);
                max.iter().for_each(|max| self.expr(max));
                self.block(body);
            }
            StatementKind::Repeat { count, body } => {
                self.expr(count);
                self.block(body);
            }
            StatementKind::For(each) => self.each(each),
            StatementKind::Use(used) => self.used(used),
            StatementKind::Config(config) => self.config(config),
            StatementKind::Expr(expr) => self.expr(expr),
            StatementKind::Error => {}
        }
    }

    fn assign(&mut self, target: &'p Target, value: &'p Expr, whole: Span) {
        for step in &target.path {
            if let Accessor::Index(index) = step {
                self.expr(index);
            }
        }
        let name = &target.base;
        match self.variable(&name.text) {
            Some(symbol) if target.path.is_empty() => {
                self.refer(name.span, symbol, Access::Write);
                let shape = self.shape(value);
                // What is known of one value need not hold for the next one.
                self.change(symbol, |symbol| {
                    symbol.shape = shape.filter(|shape| symbol.shape.as_ref() == Some(shape))
                });
            }
            None if target.path.is_empty() => {
                let shape = self.shape(value);
                self.define(name, SymbolKind::Variable, whole, shape);
            }
            _ => self.name(&name.text, name.span, Access::Read),
        }
    }

    fn shape(&self, expr: &Expr) -> Option<ShapeNode> {
        shape_of(&self.found.symbols, expr, &|name, _| self.lookup(name)).cloned()
    }

    fn each(&mut self, each: &'p For) {
        self.expr(&each.list);
        each.max.iter().for_each(|max| self.expr(max));
        let shape = self.shape(&each.list).as_ref().and_then(item).cloned();
        self.enter(each.body.span.end);
        self.define(&each.variable, SymbolKind::Variable, each.variable.span, shape);
        self.statements(&each.body);
        self.leave();
    }

    fn used(&mut self, used: &'p Use) {
        let shown: Vec<&Expr> = match &used.source {
            UseSource::Expr(expr) => vec![expr],
            UseSource::OneOf(candidates) => {
                candidates.iter().filter_map(|one| one.source.as_ref()).collect()
            }
        };
        for expr in shown.into_iter().chain(used.question.as_deref()) {
            self.shown(expr);
        }
    }

    /// Reads what a `use` shows: a name that is not known yet may be assigned later.
    fn shown(&mut self, expr: &'p Expr) {
        let root = root(expr);
        if let ExprKind::Name(name) = &root.kind
            && self.lookup(name).is_none()
            && let Some(waiting) = self.waiting.last_mut()
        {
            waiting.push((name, root.span));
        }
        self.expr(expr);
    }

    fn expr(&mut self, expr: &'p Expr) {
        deeper(|| self.expr_kind(expr));
    }

    fn expr_kind(&mut self, expr: &'p Expr) {
        match &expr.kind {
            ExprKind::Name(name) => self.name(name, expr.span, Access::Read),
            ExprKind::List(items) | ExprKind::Interpolation(items) => {
                items.iter().for_each(|item| self.expr(item));
            }
            ExprKind::Object(fields) => fields.iter().for_each(|(_, value)| self.expr(value)),
            ExprKind::Paren(inner) => self.expr(inner),
            ExprKind::Unary { operand, .. } => self.expr(operand),
            ExprKind::Binary { left, right, .. } => {
                self.expr(left);
                self.expr(right);
            }
            ExprKind::Field { base, name } => {
                self.expr(base);
                self.function_of_agent(base, name);
            }
            ExprKind::Index { base, index } => {
                self.expr(base);
                self.expr(index);
            }
            ExprKind::Call { callee, arguments } => {
                self.expr(callee);
                arguments.iter().for_each(|argument| self.expr(argument));
            }
            ExprKind::Generate(generate) => {
                generate.options.iter().for_each(|(_, value)| self.expr(value));
                generate.shape.iter().for_each(|shape| self.shape_names(shape));
            }
            ExprKind::ParallelFor(each) => self.each(each),
            ExprKind::Try { body, error, handler } => {
                self.block(body);
                self.enter(handler.span.end);
                if let Some(error) = error {
                    self.define(error, SymbolKind::Variable, error.span, None);
                }
                self.statements(handler);
                self.leave();
            }
            _ => {}
        }
    }

    /// Notes the function of `Agent.function`.
    fn function_of_agent(&mut self, base: &'p Expr, name: &'p Name) {
        let ExprKind::Name(own) = &strip(base).kind else { return };
        if name.text.is_empty() || self.variable(own).is_some() {
            return;
        }
        let Some(agent) = self.program.resolve_agent(self.file, own) else { return };
        if let Some(symbol) = self.lookup_global((agent.file, agent.item), &name.text)
            && self.found.get(symbol).is_some_and(|found| found.kind == SymbolKind::Function)
        {
            self.refer(name.span, symbol, Access::Read);
        }
    }
}

/// Returns the innermost value of a path of fields.
fn root(expr: &Expr) -> &Expr {
    let mut at = expr;
    loop {
        at = match &at.kind {
            ExprKind::Paren(inner) => inner,
            ExprKind::Field { base, .. } | ExprKind::Index { base, .. } => base,
            _ => return at,
        };
    }
}

/// Returns the name of a main function or agent without one, at its keyword.
fn main(whole: Span) -> Name {
    let end = whole.start.saturating_add(4).min(whole.end);
    Name { text: "main".to_owned(), span: Span::new(whole.start, end) }
}
