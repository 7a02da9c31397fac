//! Walks over trees, for everything that searches below a node.
//!
//! The matches name every variant, so that a new one does not compile until its parts are listed
//! here.

use super::ast::{
    Accessor, Block, BoundNode, Expr, ExprKind, For, Name, ShapeKind, ShapeNode, Statement,
    StatementKind, Use, UseSource,
};
use crate::stack::deeper;

/// The direct parts of statements and expressions, each kind in source order.
#[derive(Default)]
pub(crate) struct Parts<'p> {
    pub(crate) exprs: Vec<&'p Expr>,
    pub(crate) blocks: Vec<&'p Block>,
}

impl<'p> Parts<'p> {
    pub(crate) fn of_statement(statement: &'p Statement) -> Self {
        let mut parts = Self::default();
        parts.add_statement(statement);
        parts
    }

    pub(crate) fn of_expr(expr: &'p Expr) -> Self {
        let mut parts = Self::default();
        parts.add_expr(expr);
        parts
    }

    pub(crate) fn add_statement(&mut self, statement: &'p Statement) {
        parts_of_statement(statement, |part| self.add(part));
    }

    pub(crate) fn add_expr(&mut self, expr: &'p Expr) {
        parts_of_expr(expr, |part| self.add(part));
    }

    fn add(&mut self, part: Part<'p>) {
        match part {
            Part::Expr(expr) => self.exprs.push(expr),
            Part::Block(block) => self.blocks.push(block),
        }
    }
}

/// A direct part of a statement or expression.
#[derive(Clone, Copy)]
enum Part<'p> {
    Expr(&'p Expr),
    Block(&'p Block),
}

/// Takes the direct parts of a statement, expressions before blocks, without collecting them: the
/// checker and the lints walk over every tree many times.
fn parts_of_statement<'p>(statement: &'p Statement, mut take: impl FnMut(Part<'p>)) {
    match &statement.kind {
        StatementKind::Assign { target, value, .. } => {
            target.path.iter().filter_map(index_of).map(Part::Expr).for_each(&mut take);
            take(Part::Expr(value));
        }
        StatementKind::Return(value) => value.iter().map(Part::Expr).for_each(take),
        StatementKind::If { arms, otherwise } => {
            arms.iter().for_each(|(condition, _)| take(Part::Expr(condition)));
            arms.iter().map(|(_, block)| block).chain(otherwise).map(Part::Block).for_each(take);
        }
        StatementKind::Loop { until, max, body } => {
            std::iter::once(until).chain(max).map(Part::Expr).for_each(&mut take);
            take(Part::Block(body));
        }
        StatementKind::Repeat { count, body } => {
            take(Part::Expr(count));
            take(Part::Block(body));
        }
        StatementKind::For(each) => parts_of_for(each, take),
        StatementKind::Use(used) => parts_of_use(used, take),
        StatementKind::Expr(expr) => take(Part::Expr(expr)),
        StatementKind::Config(config) => {
            config.kind.text().into_iter().map(Part::Expr).for_each(take);
        }
        StatementKind::Error => {}
    }
}

/// Takes the direct parts of an expression, as [`parts_of_statement`] does.
fn parts_of_expr<'p>(expr: &'p Expr, mut take: impl FnMut(Part<'p>)) {
    match &expr.kind {
        ExprKind::List(items) | ExprKind::Interpolation(items) => {
            items.iter().map(Part::Expr).for_each(take);
        }
        ExprKind::Object(fields) => {
            fields.iter().for_each(|(_, value)| take(Part::Expr(value)));
        }
        ExprKind::Paren(inner) => take(Part::Expr(inner)),
        ExprKind::Unary { operand, .. } => take(Part::Expr(operand)),
        ExprKind::Binary { left, right, .. } => {
            take(Part::Expr(left));
            take(Part::Expr(right));
        }
        ExprKind::Field { base, .. } => take(Part::Expr(base)),
        ExprKind::Index { base, index } => {
            take(Part::Expr(base));
            take(Part::Expr(index));
        }
        ExprKind::Call { callee, arguments } => {
            take(Part::Expr(callee));
            arguments.iter().map(Part::Expr).for_each(take);
        }
        ExprKind::Generate(generate) => {
            generate.options.iter().for_each(|(_, value)| take(Part::Expr(value)));
        }
        ExprKind::ParallelFor(each) => parts_of_for(each, take),
        ExprKind::Try { body, handler, .. } => {
            take(Part::Block(body));
            take(Part::Block(handler));
        }
        ExprKind::None
        | ExprKind::Bool(_)
        | ExprKind::Int(_)
        | ExprKind::Float(_)
        | ExprKind::Str(_)
        | ExprKind::Name(_)
        | ExprKind::Error => {}
    }
}

fn parts_of_for<'p>(each: &'p For, mut take: impl FnMut(Part<'p>)) {
    std::iter::once(&each.list).chain(&each.max).map(Part::Expr).for_each(&mut take);
    take(Part::Block(&each.body));
}

/// Takes the expressions that a `use` shows, and its question.
fn parts_of_use<'p>(used: &'p Use, mut take: impl FnMut(Part<'p>)) {
    match &used.source {
        UseSource::Expr(expr) => take(Part::Expr(expr)),
        UseSource::OneOf(candidates) => {
            let shown = candidates.iter().filter_map(|candidate| candidate.source.as_ref());
            shown.map(Part::Expr).for_each(&mut take);
        }
    }
    used.question.as_deref().into_iter().map(Part::Expr).for_each(take);
}

/// Visits all statements in a block, at any depth: of each statement its blocks, then those in its
/// expressions.
pub(crate) fn statements<'p>(block: &'p Block, look: &mut dyn FnMut(&'p Statement)) {
    for statement in &block.statements {
        look(statement);
        parts_of_statement(statement, |part| {
            if let Part::Block(inner) = part {
                deeper(|| statements(inner, look));
            }
        });
        parts_of_statement(statement, |part| {
            if let Part::Expr(expr) = part {
                inner_blocks(expr, &mut |inner| deeper(|| statements(inner, look)));
            }
        });
    }
}

/// Visits all expressions in a block, at any depth, in source order, including those of a `use`.
pub(crate) fn block_expressions<'p>(block: &'p Block, look: &mut dyn FnMut(&'p Expr)) {
    for statement in &block.statements {
        parts_of_statement(statement, |part| expressions_of(part, look));
    }
}

/// Visits an expression and everything below it, including blocks.
pub(crate) fn expressions<'p>(expr: &'p Expr, look: &mut dyn FnMut(&'p Expr)) {
    look(expr);
    parts_of_expr(expr, |part| expressions_of(part, look));
}

fn expressions_of<'p>(part: Part<'p>, look: &mut dyn FnMut(&'p Expr)) {
    deeper(|| match part {
        Part::Expr(expr) => expressions(expr, look),
        Part::Block(block) => block_expressions(block, look),
    });
}

fn inner_blocks<'p>(expr: &'p Expr, look: &mut dyn FnMut(&'p Block)) {
    parts_of_expr(expr, |part| {
        if let Part::Block(block) = part {
            look(block);
        }
    });
    parts_of_expr(expr, |part| {
        if let Part::Expr(child) = part {
            deeper(|| inner_blocks(child, look));
        }
    });
}

/// Reports whether an expression contains a block.
pub(crate) fn has_block(expr: &Expr) -> bool {
    let mut open = Parts { exprs: vec![expr], blocks: Vec::new() };
    while open.blocks.is_empty() {
        let Some(expr) = open.exprs.pop() else { return false };
        open.add_expr(expr);
    }
    true
}

/// Returns the expression within any parentheses.
pub(crate) fn strip(mut expr: &Expr) -> &Expr {
    while let ExprKind::Paren(inner) = &expr.kind {
        expr = inner;
    }
    expr
}

fn index_of(step: &Accessor) -> Option<&Expr> {
    match step {
        Accessor::Index(index) => Some(index),
        Accessor::Field(_) => None,
    }
}

/// Returns the names of other shapes in a shape, in source order.
pub(crate) fn shape_names(shape: &ShapeNode) -> Vec<&Name> {
    let mut names = Vec::new();
    let mut open = vec![shape];
    while let Some(shape) = open.pop() {
        if let ShapeKind::Named(name) = &shape.kind {
            names.push(name);
        }
        open.extend(parts_of_shape(shape));
    }
    names
}

/// Returns the bounded types in a shape, each with its bounds.
pub(crate) fn bounds_of_shape(shape: &ShapeNode) -> Vec<(&ShapeKind, &[BoundNode])> {
    let mut found = Vec::new();
    let mut open = vec![shape];
    while let Some(shape) = open.pop() {
        if !shape.bounds.is_empty() {
            found.push((&shape.kind, &*shape.bounds));
        }
        open.extend(parts_of_shape(shape));
    }
    found
}

/// Returns the direct parts of a shape, the last first.
fn parts_of_shape(shape: &ShapeNode) -> Vec<&ShapeNode> {
    match &shape.kind {
        ShapeKind::List(Some(item)) => vec![item],
        ShapeKind::Object(fields) => {
            fields.iter().rev().filter_map(|field| field.shape.as_ref()).collect()
        }
        ShapeKind::String
        | ShapeKind::Number
        | ShapeKind::Integer
        | ShapeKind::Boolean
        | ShapeKind::Json
        | ShapeKind::List(None)
        | ShapeKind::Enum(_)
        | ShapeKind::Named(_)
        | ShapeKind::Error => Vec::new(),
    }
}
