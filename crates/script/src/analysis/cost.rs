//! The worst case of a program's model calls, before it runs (CA-5).
//!
//! Decision: the walk adds up what may happen one after the other, takes the dearest of branches,
//! multiplies by the bounds of loops, and goes into functions, each once. A bound has to be a number
//! that the program writes; what depends on data, and what calls itself, is unbounded and named.

mod site;
#[cfg(test)]
mod tests;

use super::declarations::{Declarations, Global};
use super::effects::Resolver;
use crate::host::NamedModel;
use crate::library;
use crate::program::Program;
use crate::semantic::ceiling::{Ceiling, CostFacts, KnownModel, SiteCost, Unbounded};
use crate::stack::deeper;
use crate::syntax::ast::{
    BinaryOp, Block, ConfigKind, Expr, ExprKind, For, Import, ImportKind, Item, Statement,
    StatementKind, UnaryOp, Use, UseSource,
};
use crate::syntax::walk::{self, Parts, strip};
use contexture_diagnostic::Span;
use std::collections::BTreeMap;

/// Returns what is known of an imported model; `None` is the default one.
pub type Models<'m> = &'m dyn Fn(Option<&NamedModel>) -> KnownModel;

/// Computes the worst case of a program that starts with an agent and a function; the main ones
/// when absent. Of a program without a main function it is that of its dearest one.
#[must_use]
pub fn cost(
    program: &Program,
    (agent, function): (Option<&str>, Option<&str>),
    models: Models<'_>,
) -> CostFacts {
    let declarations = Declarations::collect(program);
    let agent = match agent {
        Some(name) => program.named_agent(0, name),
        None => program.main_agent(0),
    };
    let entry = agent.and_then(|agent| match function {
        Some(name) => declarations.function_of(agent, name),
        None => declarations.entry(agent),
    });
    let mut walker = Walker {
        program,
        declarations: &declarations,
        models,
        costly: costly(program, &declarations),
        known: vec![State::New; declarations.functions.len()],
        home: (0, None),
        scopes: Vec::new(),
        sites: Vec::new(),
        unbounded: Vec::new(),
    };
    let total = match entry {
        Some(entry) => walker.function(entry, None),
        None => (0..declarations.functions.len())
            .map(|number| walker.function(number, None))
            .fold(Sum::default(), Sum::dearer),
    };
    walker.facts(&total)
}

/// Reports for each function whether a call of it may reach a model.
fn costly(program: &Program, declarations: &Declarations<'_>) -> Vec<bool> {
    let mut callees: Vec<Vec<usize>> = Vec::new();
    let mut costly = Vec::new();
    for decl in &declarations.functions {
        let resolver = Resolver { program, declarations, file: decl.file, agent: decl.agent };
        let (mut own, mut called) = (false, Vec::new());
        walk::block_expressions(&decl.func.body, &mut |expr| match &expr.kind {
            ExprKind::Generate(_) => own = true,
            ExprKind::Call { callee, arguments } => {
                called.extend(resolver.callees(callee, arguments));
            }
            _ => {}
        });
        costly.push(own);
        callees.push(called);
    }
    let mut is_new = true;
    while is_new {
        is_new = false;
        for (number, called) in callees.iter().enumerate() {
            let reaches = called.iter().any(|callee| costly.get(*callee) == Some(&true));
            if let Some(own) = costly.get_mut(number).filter(|own| reaches && !**own) {
                *own = true;
                is_new = true;
            }
        }
    }
    costly
}

/// A worst case, with how often each model call is reached.
#[derive(Debug, Clone)]
struct Sum {
    total: Ceiling,
    sites: BTreeMap<usize, Option<u64>>,
}

impl Default for Sum {
    fn default() -> Self {
        Self { total: Ceiling::ZERO, sites: BTreeMap::new() }
    }
}

impl Sum {
    fn plus(mut self, other: &Self) -> Self {
        self.total = self.total.plus(other.total);
        for (site, times) in &other.sites {
            let own = self.sites.entry(*site).or_insert(Some(0));
            *own = own.zip(*times).map(|(own, times)| own.saturating_add(times));
        }
        self
    }

    fn dearer(mut self, other: Self) -> Self {
        self.total = self.total.dearer(other.total);
        for (site, times) in other.sites {
            let own = self.sites.entry(site).or_insert(Some(0));
            *own = own.zip(times).map(|(own, times)| own.max(times));
        }
        self
    }

    fn times(mut self, times: Option<u64>) -> Self {
        self.total = self.total.times(times);
        for own in self.sites.values_mut() {
            *own = own.zip(times).map(|(own, times)| own.saturating_mul(times));
        }
        self
    }

    fn is_zero(&self) -> bool {
        self.total == Ceiling::ZERO
    }
}

#[derive(Debug, Clone)]
enum State {
    New,
    /// It is being walked: whoever calls it now calls itself.
    Open,
    /// It is being walked, and has called itself.
    Recursive,
    Done(Sum),
}

/// The settings and uses of a block, a file or an agent.
#[derive(Default)]
struct Scope<'p> {
    model: Option<&'p str>,
    uses: Sum,
    /// True if it shows a resource, or a text of it may hold a reference: the model may load these.
    has_reference: bool,
}

struct Walker<'p, 'c> {
    program: &'p Program,
    declarations: &'c Declarations<'p>,
    models: Models<'c>,
    costly: Vec<bool>,
    known: Vec<State>,
    /// The file and the agent's item of the function that is walked.
    home: (usize, Option<usize>),
    scopes: Vec<Scope<'p>>,
    sites: Vec<SiteCost>,
    unbounded: Vec<(usize, Unbounded)>,
}

impl<'p> Walker<'p, '_> {
    fn facts(mut self, total: &Sum) -> CostFacts {
        let mut sites = std::mem::take(&mut self.sites);
        for (number, site) in sites.iter_mut().enumerate() {
            site.times = total.sites.get(&number).copied().unwrap_or(Some(0));
        }
        let order =
            |name: &str| self.program.files.iter().position(|file| file.source.name() == name);
        sites.sort_by_key(|site| (order(&site.file), site.span.start));
        self.unbounded.sort_by_key(|(file, found)| (*file, found.span.start));
        let unbounded = self.unbounded.into_iter().map(|(_, found)| found).collect();
        CostFacts { total: total.total, sites, unbounded }
    }

    fn source(&self) -> &'p str {
        self.program.files.get(self.home.0).map_or("", |file| file.source.name())
    }

    /// Notes a place that nothing bounds.
    fn open(&mut self, span: Span, reason: impl Into<String>) {
        let found = Unbounded { file: self.source().to_owned(), span, reason: reason.into() };
        let entry = (self.home.0, found);
        if !self.unbounded.contains(&entry) {
            self.unbounded.push(entry);
        }
    }

    /// Returns the worst case of a call of a function, from the place of the call.
    fn function(&mut self, number: usize, call: Option<Span>) -> Sum {
        match self.known.get(number) {
            Some(State::Done(sum)) => return sum.clone(),
            Some(State::Open | State::Recursive) => return self.recursion(number, call),
            _ => {}
        }
        let Some(decl) = self.declarations.functions.get(number).copied() else {
            return Sum::default();
        };
        self.set(number, State::Open);
        let home = std::mem::replace(&mut self.home, (decl.file, decl.agent));
        let scopes = std::mem::take(&mut self.scopes);
        self.levels();
        let mut sum = deeper(|| self.block(&decl.func.body));
        (self.home, self.scopes) = (home, scopes);
        if matches!(self.known.get(number), Some(State::Recursive)) {
            sum.sites.values_mut().for_each(|times| *times = None);
        }
        self.set(number, State::Done(sum.clone()));
        sum
    }

    fn set(&mut self, number: usize, state: State) {
        if let Some(slot) = self.known.get_mut(number) {
            *slot = state;
        }
    }

    fn recursion(&mut self, number: usize, call: Option<Span>) -> Sum {
        if self.costly.get(number) != Some(&true) {
            return Sum::default();
        }
        self.set(number, State::Recursive);
        let decl = self.declarations.functions.get(number);
        let name = decl.and_then(|decl| decl.func.name.as_ref());
        let name = name.map_or("the function", |name| name.text.as_str());
        if let Some(span) = call {
            self.open(span, format!("`{name}` calls itself, as often as it likes"));
        }
        let total = Ceiling { calls: None, input: None, output: None, money: None };
        Sum { total, sites: BTreeMap::new() }
    }

    /// Enters the scopes of the file and the agent.
    fn levels(&mut self) {
        let Some(file) = self.program.files.get(self.home.0) else { return };
        let items = &file.parsed.file.items;
        self.level(items);
        let agent = self.home.1.and_then(|item| items.get(item));
        if let Some(Item::Agent(agent)) = agent {
            self.level(&agent.items);
        }
    }

    fn level(&mut self, items: &'p [Item]) {
        self.scopes.push(Scope::default());
        for item in items {
            match item {
                Item::Config(config) => self.config(&config.kind),
                Item::Use(used) => self.used(used),
                Item::Import(_) | Item::Agent(_) | Item::Func(_) | Item::Shape(_) => {}
            }
        }
    }

    fn config(&mut self, kind: &'p ConfigKind) {
        let Some(scope) = self.scopes.last_mut() else { return };
        match kind {
            ConfigKind::Model(name) => scope.model = Some(&name.text),
            ConfigKind::Role(text) | ConfigKind::Description(text) => {
                walk::expressions(text, &mut |part| {
                    scope.has_reference |=
                        matches!(&part.kind, ExprKind::Str(text) if text.contains('@'));
                });
            }
            ConfigKind::Policy { .. } => {}
        }
    }

    /// Declares a `use`: its expression is evaluated by each `generate` that sees it.
    fn used(&mut self, used: &'p Use) {
        let exprs: Vec<&Expr> = match &used.source {
            UseSource::Expr(expr) => vec![expr],
            UseSource::OneOf(candidates) => {
                candidates.iter().filter_map(|candidate| candidate.source.as_ref()).collect()
            }
        };
        let question = self.opt(used.question.as_deref());
        let is_resource = |expr: &&Expr| {
            self.import(expr).is_some_and(|import| import.kind == ImportKind::Resource)
        };
        let has_resource = exprs.iter().any(is_resource);
        let mut sum = Sum::default();
        for expr in exprs {
            sum = sum.dearer(self.expr(expr));
        }
        let sum = sum.plus(&question);
        if let Some(scope) = self.scopes.last_mut() {
            scope.uses = std::mem::take(&mut scope.uses).plus(&sum);
            scope.has_reference |= has_resource;
        }
    }

    fn import(&self, expr: &Expr) -> Option<&'p Import> {
        let ExprKind::Name(name) = &strip(expr).kind else { return None };
        match self.declarations.global(self.home.0, self.home.1, name)? {
            Global::Import(import) => Some(import),
            _ => None,
        }
    }

    fn block(&mut self, block: &'p Block) -> Sum {
        self.scopes.push(Scope::default());
        let mut sum = Sum::default();
        for statement in &block.statements {
            let own = deeper(|| self.statement(statement));
            sum = sum.plus(&own);
        }
        self.scopes.pop();
        sum
    }

    fn statement(&mut self, statement: &'p Statement) -> Sum {
        match &statement.kind {
            StatementKind::Config(config) => {
                self.config(&config.kind);
                Sum::default()
            }
            StatementKind::Use(used) => {
                self.used(used);
                Sum::default()
            }
            StatementKind::If { arms, otherwise } => {
                let mut conditions = Sum::default();
                let mut dearest = Sum::default();
                for (condition, block) in arms {
                    let own = self.expr(condition);
                    conditions = conditions.plus(&own);
                    dearest = dearest.dearer(self.block(block));
                }
                if let Some(block) = otherwise {
                    dearest = dearest.dearer(self.block(block));
                }
                conditions.plus(&dearest)
            }
            StatementKind::Loop { until, max, body } => {
                let turns = max.as_ref().and_then(constant);
                let test = self.expr(until);
                let at = max.as_ref().map_or(statement.span, |max| max.span);
                let tests = self.repeated(test, turns.map(|turns| turns.saturating_add(1)), at);
                let body = self.block(body);
                self.repeated(body, turns, at).plus(&tests).plus(&self.opt(max.as_ref()))
            }
            StatementKind::Repeat { count, body } => {
                let body = self.block(body);
                let all = self.repeated(body, constant(count), count.span);
                all.plus(&self.expr(count))
            }
            StatementKind::For(each) => self.each(each, statement.span),
            _ => self.parts(Parts::of_statement(statement)),
        }
    }

    /// Returns the worst case of a loop over a list.
    fn each(&mut self, each: &'p For, span: Span) -> Sum {
        let listed = match &strip(&each.list).kind {
            ExprKind::List(items) => u64::try_from(items.len()).ok(),
            _ => None,
        };
        let most = each.max.as_ref().and_then(constant);
        let turns = most.into_iter().chain(listed).min();
        let at = each.max.as_ref().map_or(span, |max| max.span);
        let body = self.block(&each.body);
        let all = self.repeated(body, turns, at);
        all.plus(&self.expr(&each.list)).plus(&self.opt(each.max.as_ref()))
    }

    /// Returns the worst case of so many times a part, and notes when nothing says how many.
    fn repeated(&mut self, part: Sum, times: Option<u64>, at: Span) -> Sum {
        if times.is_none() && !part.is_zero() {
            self.open(at, "the bound of the loop is not a number that the program writes");
        }
        part.times(times)
    }

    fn opt(&mut self, expr: Option<&'p Expr>) -> Sum {
        expr.map_or_else(Sum::default, |expr| self.expr(expr))
    }

    fn parts(&mut self, parts: Parts<'p>) -> Sum {
        let mut sum = Sum::default();
        for expr in parts.exprs {
            sum = sum.plus(&self.expr(expr));
        }
        for block in parts.blocks {
            sum = sum.plus(&self.block(block));
        }
        sum
    }

    fn expr(&mut self, expr: &'p Expr) -> Sum {
        deeper(|| match &expr.kind {
            ExprKind::Generate(generate) => self.generate(expr, generate),
            ExprKind::ParallelFor(each) => self.each(each, expr.span),
            ExprKind::Call { callee, arguments } => {
                let sum = self.parts(Parts::of_expr(expr));
                sum.plus(&self.call(expr.span, callee, arguments))
            }
            _ => self.parts(Parts::of_expr(expr)),
        })
    }

    fn call(&mut self, span: Span, callee: &'p Expr, arguments: &'p [Expr]) -> Sum {
        let (file, agent) = self.home;
        let (program, declarations) = (self.program, self.declarations);
        let callees = Resolver { program, declarations, file, agent }.callees(callee, arguments);
        let higher = match &strip(callee).kind {
            ExprKind::Field { base, name } if library::takes_function(&name.text) => {
                Some((base, &name.text))
            }
            _ => None,
        };
        let mut sum = Sum::default();
        for number in callees {
            let own = self.function(number, Some(span));
            sum = sum.plus(&own);
        }
        match higher {
            Some((_, name)) if !sum.is_zero() => {
                self.open(span, format!("`{name}` calls it for each item of a list"));
                sum.times(None)
            }
            _ => sum,
        }
    }
}

/// Returns the number that an expression is, whatever the input.
fn constant(expr: &Expr) -> Option<u64> {
    number(expr).map(|number| u64::try_from(number).unwrap_or(0))
}

fn number(expr: &Expr) -> Option<i64> {
    match &strip(expr).kind {
        ExprKind::Int(number) => Some(*number),
        ExprKind::Unary { op: UnaryOp::Negate, operand } => number(operand)?.checked_neg(),
        ExprKind::Binary { op, left, right, .. } => {
            let (left, right) = (deeper(|| number(left))?, deeper(|| number(right))?);
            match op {
                BinaryOp::Add => left.checked_add(right),
                BinaryOp::Subtract => left.checked_sub(right),
                BinaryOp::Multiply => left.checked_mul(right),
                _ => None,
            }
        }
        _ => None,
    }
}
