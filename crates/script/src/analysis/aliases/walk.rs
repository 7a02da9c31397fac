//! Walks over a function: the possible values of its variables, the parameters it writes, and the
//! outer writes of its `parallel for`s.

use super::super::declarations::{Declarations, Global};
use super::super::statements::root;
use super::held::{Held, Outside, Root, Step};
use super::scopes::{Changes, Scopes};
use super::{Finding, How, Summary, Write};
use crate::stack::deeper;
use crate::syntax::ast::{
    Accessor, AssignOp, Block, Expr, ExprKind, For, Func, Statement, StatementKind, Target,
};
use crate::syntax::walk::strip;
use contexture_diagnostic::Span;

/// The nesting of loops whose bodies are walked twice, for values that one iteration leaves to the
/// next.
const MOST_LOOPS: usize = 3;
/// The number of writes that a summary distinguishes.
const MOST_WRITES: usize = 32;

pub(super) struct Walker<'p, 'c> {
    pub(super) declarations: &'c Declarations<'p>,
    pub(super) summaries: &'c [Summary<'p>],
    pub(super) file: usize,
    pub(super) agent: Option<usize>,
    pub(super) scopes: Scopes<'p>,
    pub(super) summary: Summary<'p>,
    pub(super) findings: Vec<Finding<'p>>,
    /// The number of nodes that may still be visited.
    pub(super) fuel: u64,
    pub(super) loops: usize,
}

impl<'p> Walker<'p, '_> {
    pub(super) fn function(&mut self, func: &'p Func) {
        self.scopes.enter();
        for (number, param) in func.params.iter().enumerate() {
            let held = Held::root(Root::Parameter(number, Vec::new()));
            self.scopes.define(&param.name.text, param.name.span, held);
        }
        let value = self.statements(&func.body);
        self.returns(value);
        self.scopes.leave();
    }

    fn returns(&mut self, value: Held<'p>) {
        let joined = match self.summary.returns.take() {
            Some(before) => before.join(value),
            None => value,
        };
        self.summary.returns = Some(joined);
    }

    /// Walks the statements of a block in the current scope, and returns the value of its last
    /// expression.
    fn statements(&mut self, block: &'p Block) -> Held<'p> {
        let mut value = Held::fresh();
        for statement in &block.statements {
            value = deeper(|| self.statement(statement));
        }
        value
    }

    fn block(&mut self, block: &'p Block) -> (Held<'p>, Changes<'p>) {
        self.scopes.enter();
        let value = self.statements(block);
        (value, self.scopes.leave())
    }

    fn statement(&mut self, statement: &'p Statement) -> Held<'p> {
        match &statement.kind {
            StatementKind::Assign { target, op, value } => self.assign(target, *op, value),
            StatementKind::Return(value) => {
                let value = value.as_ref().map_or_else(Held::fresh, |value| self.eval(value));
                self.returns(value);
            }
            StatementKind::If { arms, otherwise } => self.branches(arms, otherwise.as_ref()),
            StatementKind::Loop { until, max, body } => {
                self.eval(until);
                max.iter().for_each(|max| drop(self.eval(max)));
                self.turns(|walker| walker.block(body).1);
            }
            StatementKind::Repeat { count, body } => {
                self.eval(count);
                self.turns(|walker| walker.block(body).1);
            }
            StatementKind::For(each) => self.for_loop(each),
            StatementKind::Expr(expr) => return self.eval(expr),
            StatementKind::Use(_) | StatementKind::Config(_) | StatementKind::Error => {}
        }
        Held::fresh()
    }

    fn branches(&mut self, arms: &'p [(Expr, Block)], otherwise: Option<&'p Block>) {
        let mut branches = Vec::with_capacity(arms.len() + 1);
        for (condition, block) in arms {
            self.eval(condition);
            branches.push(self.block(block).1);
        }
        branches.push(otherwise.map_or_else(Changes::new, |block| self.block(block).1));
        self.scopes.join(&branches);
    }

    fn for_loop(&mut self, each: &'p For) {
        let item = self.eval(&each.list).part(Step::Each);
        each.max.iter().for_each(|max| drop(self.eval(max)));
        self.turns(|walker| {
            walker.scopes.enter();
            walker.scopes.define(&each.variable.text, each.variable.span, item.clone());
            walker.statements(&each.body);
            walker.scopes.leave()
        });
    }

    fn turns(&mut self, mut turn: impl FnMut(&mut Self) -> Changes<'p>) {
        self.loops += 1;
        let first = turn(self);
        let again = !first.is_empty() && self.loops <= MOST_LOOPS;
        self.scopes.join(&[first, Changes::new()]);
        if again {
            let second = turn(self);
            self.scopes.join(&[second, Changes::new()]);
        }
        self.loops -= 1;
    }

    fn assign(&mut self, target: &'p Target, op: AssignOp, value: &'p Expr) {
        let mut value = self.value(value);
        if op != AssignOp::Set {
            value = Held::fresh();
        }
        let name = target.base.text.as_str();
        let steps: Vec<Step<'p>> = target.path.iter().map(|step| self.accessor(step)).collect();
        let Some((_, above)) = steps.split_last() else {
            return self.scopes.assign(name, target.base.span, value);
        };
        let Some(variable) = self.scopes.held(name) else { return };
        self.write(&variable.below(above), target.span, Some(name), How::Here(target.span));
        self.scopes.update(name, |held| held.put_below(&steps, value));
    }

    fn accessor(&mut self, accessor: &'p Accessor) -> Step<'p> {
        match accessor {
            Accessor::Field(name) => Step::Field(&name.text),
            Accessor::Index(index) => self.index(index),
        }
    }

    fn index(&mut self, index: &'p Expr) -> Step<'p> {
        match &strip(index).kind {
            ExprKind::Int(at) => Step::Index(*at),
            ExprKind::Str(key) => Step::Field(key),
            _ => {
                self.eval(index);
                Step::Some
            }
        }
    }

    /// Evaluates an expression whose value gets another name or place.
    pub(super) fn value(&mut self, expr: &'p Expr) -> Held<'p> {
        let held = self.eval(expr);
        if !held.parts.is_empty() {
            self.escape(expr);
        }
        held
    }

    pub(super) fn escape(&mut self, expr: &'p Expr) {
        if let Some(name) = root(expr) {
            self.scopes.update(name, Held::escape);
        }
    }

    pub(super) fn eval(&mut self, expr: &'p Expr) -> Held<'p> {
        let Some(fuel) = self.fuel.checked_sub(1) else { return Held::fresh() };
        self.fuel = fuel;
        deeper(|| self.eval_kind(expr))
    }

    fn eval_kind(&mut self, expr: &'p Expr) -> Held<'p> {
        match &expr.kind {
            ExprKind::Name(name) => return self.scopes.held(name).unwrap_or_else(Held::fresh),
            ExprKind::Paren(inner) => return self.eval(inner),
            ExprKind::List(items) => return self.list(items),
            ExprKind::Object(fields) => {
                let mut object = Held::fresh();
                for (key, value) in fields {
                    let value = self.value(value);
                    object.put(Step::Field(&key.value), value);
                }
                return object;
            }
            ExprKind::Field { base, name } => {
                let base = self.eval(base);
                // An object may have a field of that name; otherwise it is a number or a copy.
                let own = matches!(name.text.as_str(), "length" | "summary");
                return if own { Held::fresh() } else { base.part(Step::Field(&name.text)) };
            }
            ExprKind::Index { base, index } => {
                let base = self.eval(base);
                let step = self.index(index);
                return base.part(step);
            }
            ExprKind::Call { callee, arguments } => return self.call(expr, callee, arguments),
            ExprKind::ParallelFor(each) => return self.parallel_for(each),
            ExprKind::Try { body, error, handler } => {
                return self.attempt(body, error.as_ref().map(|name| &name.text), handler);
            }
            ExprKind::Unary { operand, .. } => drop(self.eval(operand)),
            ExprKind::Interpolation(parts) => parts.iter().for_each(|part| drop(self.eval(part))),
            ExprKind::Binary { left, right, .. } => {
                self.eval(left);
                self.eval(right);
            }
            ExprKind::Generate(generate) => {
                generate.options.iter().for_each(|(_, value)| drop(self.eval(value)));
            }
            ExprKind::None
            | ExprKind::Bool(_)
            | ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::Str(_)
            | ExprKind::Error => {}
        }
        Held::fresh()
    }

    fn list(&mut self, items: &'p [Expr]) -> Held<'p> {
        let mut list = Held::fresh();
        for (at, item) in items.iter().enumerate() {
            let item = self.value(item);
            list.put(i64::try_from(at).map_or(Step::Some, Step::Index), item);
        }
        list
    }

    fn attempt(
        &mut self,
        body: &'p Block,
        error: Option<&'p String>,
        handler: &'p Block,
    ) -> Held<'p> {
        let (value, changes) = self.block(body);
        self.scopes.join(&[changes, Changes::new()]);
        self.scopes.enter();
        if let Some(error) = error {
            self.scopes.define(error, Span::default(), Held::fresh());
        }
        let instead = self.statements(handler);
        let changes = self.scopes.leave();
        self.scopes.join(&[changes, Changes::new()]);
        value.join(instead)
    }

    fn parallel_for(&mut self, each: &'p For) -> Held<'p> {
        let list = self.eval(&each.list);
        each.max.iter().for_each(|max| drop(self.eval(max)));
        let item = Outside { name: &each.variable.text, span: each.variable.span };
        self.scopes.enter_parallel();
        self.scopes.define(item.name, item.span, Held::root(Root::Outside(item)));
        let value = self.statements(&each.body);
        self.scopes.leave();
        let scopes = &self.scopes;
        let value = value.resolve(&|root| match root {
            Root::Outside(outside) if *outside == item => list.part(Step::Each),
            Root::Outside(outside) => scopes.held(outside.name).unwrap_or_else(Held::fresh),
            Root::Parameter(..) => Held::fresh(),
        });
        Held::list_of(value)
    }

    /// Notes a write to an outer value or a parameter.
    pub(super) fn write(
        &mut self,
        held: &Held<'p>,
        span: Span,
        base: Option<&'p str>,
        how: How<'p>,
    ) {
        for root in &held.roots {
            match root {
                Root::Outside(outside) => {
                    let finding = Finding { span, base, outside: *outside, how: how.clone() };
                    self.findings.push(finding);
                }
                Root::Parameter(parameter, steps) => {
                    let known =
                        |write: &Write<'p>| write.parameter == *parameter && write.steps == *steps;
                    if self.summary.writes.len() < MOST_WRITES
                        && !self.summary.writes.iter().any(known)
                    {
                        let (parameter, steps) = (*parameter, steps.clone());
                        self.summary.writes.push(Write { parameter, steps, how: how.clone() });
                    }
                }
            }
        }
    }

    pub(super) fn global(&self, expr: &'p Expr) -> Option<Global<'p>> {
        match &strip(expr).kind {
            ExprKind::Name(name) if self.scopes.held(name).is_none() => {
                self.declarations.global(self.file, self.agent, name)
            }
            _ => None,
        }
    }
}
