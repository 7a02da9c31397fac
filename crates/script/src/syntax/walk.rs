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
        match &statement.kind {
            StatementKind::Assign { target, value, .. } => {
                self.exprs.extend(target.path.iter().filter_map(index_of));
                self.exprs.push(value);
            }
            StatementKind::Return(value) => self.exprs.extend(value),
            StatementKind::If { arms, otherwise } => {
                self.exprs.extend(arms.iter().map(|(condition, _)| condition));
                self.blocks.extend(arms.iter().map(|(_, block)| block).chain(otherwise));
            }
            StatementKind::Loop { until, max, body } => {
                self.exprs.extend(std::iter::once(until).chain(max));
                self.blocks.push(body);
            }
            StatementKind::Repeat { count, body } => {
                self.exprs.push(count);
                self.blocks.push(body);
            }
            StatementKind::For(each) => self.add_for(each),
            StatementKind::Use(used) => self.exprs.extend(use_expressions(used)),
            StatementKind::Expr(expr) => self.exprs.push(expr),
            StatementKind::Config(config) => self.exprs.extend(config.kind.text()),
            StatementKind::Error => {}
        }
    }

    pub(crate) fn add_expr(&mut self, expr: &'p Expr) {
        match &expr.kind {
            ExprKind::List(items) | ExprKind::Interpolation(items) => self.exprs.extend(items),
            ExprKind::Object(fields) => self.exprs.extend(fields.iter().map(|(_, value)| value)),
            ExprKind::Paren(inner) => self.exprs.push(inner),
            ExprKind::Unary { operand, .. } => self.exprs.push(operand),
            ExprKind::Binary { left, right, .. } => self.exprs.extend([&**left, &**right]),
            ExprKind::Field { base, .. } => self.exprs.push(base),
            ExprKind::Index { base, index } => self.exprs.extend([&**base, &**index]),
            ExprKind::Call { callee, arguments } => {
                self.exprs.extend(std::iter::once(&**callee).chain(arguments));
            }
            ExprKind::Generate(generate) => {
                self.exprs.extend(generate.options.iter().map(|(_, value)| value));
            }
            ExprKind::ParallelFor(each) => self.add_for(each),
            ExprKind::Try { body, handler, .. } => self.blocks.extend([body, handler]),
            ExprKind::None
            | ExprKind::Bool(_)
            | ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::Str(_)
            | ExprKind::Name(_)
            | ExprKind::Error => {}
        }
    }

    fn add_for(&mut self, each: &'p For) {
        self.exprs.extend(std::iter::once(&each.list).chain(&each.max));
        self.blocks.push(&each.body);
    }
}

/// Visits all statements in a block, at any depth, in source order.
pub(crate) fn statements<'p>(block: &'p Block, look: &mut dyn FnMut(&'p Statement)) {
    for statement in &block.statements {
        look(statement);
        let parts = Parts::of_statement(statement);
        for inner in parts.blocks {
            deeper(|| statements(inner, look));
        }
        for expr in parts.exprs {
            inner_blocks(expr, &mut |inner| deeper(|| statements(inner, look)));
        }
    }
}

/// Visits all expressions in a block, at any depth, in source order, including those of a `use`.
pub(crate) fn block_expressions<'p>(block: &'p Block, look: &mut dyn FnMut(&'p Expr)) {
    for statement in &block.statements {
        expressions_of(Parts::of_statement(statement), look);
    }
}

/// Visits an expression and everything below it, including blocks.
pub(crate) fn expressions<'p>(expr: &'p Expr, look: &mut dyn FnMut(&'p Expr)) {
    look(expr);
    expressions_of(Parts::of_expr(expr), look);
}

fn expressions_of<'p>(parts: Parts<'p>, look: &mut dyn FnMut(&'p Expr)) {
    for expr in parts.exprs {
        deeper(|| expressions(expr, look));
    }
    for block in parts.blocks {
        deeper(|| block_expressions(block, look));
    }
}

fn inner_blocks<'p>(expr: &'p Expr, look: &mut dyn FnMut(&'p Block)) {
    let parts = Parts::of_expr(expr);
    parts.blocks.into_iter().for_each(&mut *look);
    for child in parts.exprs {
        deeper(|| inner_blocks(child, look));
    }
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

/// Returns the expressions that a `use` shows, and its question.
fn use_expressions(used: &Use) -> Vec<&Expr> {
    let shown = match &used.source {
        UseSource::Expr(expr) => vec![expr],
        UseSource::OneOf(candidates) => {
            candidates.iter().filter_map(|candidate| candidate.source.as_ref()).collect()
        }
    };
    shown.into_iter().chain(used.question.as_deref()).collect()
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
