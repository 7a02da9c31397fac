//! Walks over trees, for checks that search everything below a node.
//!
//! The matches name every variant, so that a new one does not compile until its parts are listed
//! here.

use crate::stack::deeper;
use crate::syntax::ast::{
    Accessor, Block, Expr, ExprKind, Statement, StatementKind, Target, Use, UseSource,
};

/// Visits all statements in a block, at any depth, in source order.
pub(crate) fn statements<'p>(block: &'p Block, look: &mut dyn FnMut(&'p Statement)) {
    for statement in &block.statements {
        look(statement);
        for inner in blocks_of(statement) {
            deeper(|| statements(inner, look));
        }
        for expr in expressions_of(statement) {
            inner_blocks(expr, &mut |inner| deeper(|| statements(inner, look)));
        }
    }
}

/// Visits all expressions in a block, at any depth, in source order, including those of a `use`.
pub(crate) fn block_expressions<'p>(block: &'p Block, look: &mut dyn FnMut(&'p Expr)) {
    for statement in &block.statements {
        for expr in expressions_of(statement) {
            expressions(expr, look);
        }
        for inner in blocks_of(statement) {
            deeper(|| block_expressions(inner, look));
        }
    }
}

/// Visits an expression and everything below it, including blocks.
pub(super) fn expressions<'p>(expr: &'p Expr, look: &mut dyn FnMut(&'p Expr)) {
    look(expr);
    for child in children(expr) {
        deeper(|| expressions(child, look));
    }
    for block in own_blocks(expr) {
        deeper(|| block_expressions(block, look));
    }
}

fn inner_blocks<'p>(expr: &'p Expr, look: &mut dyn FnMut(&'p Block)) {
    own_blocks(expr).into_iter().for_each(&mut *look);
    for child in children(expr) {
        deeper(|| inner_blocks(child, look));
    }
}

/// Returns the blocks that are direct parts of a statement, not of its expressions.
fn blocks_of(statement: &Statement) -> Vec<&Block> {
    match &statement.kind {
        StatementKind::If { arms, otherwise } => {
            arms.iter().map(|(_, block)| block).chain(otherwise).collect()
        }
        StatementKind::Loop { body, .. } | StatementKind::Repeat { body, .. } => vec![body],
        StatementKind::For(each) => vec![&each.body],
        StatementKind::Assign { .. }
        | StatementKind::Return(_)
        | StatementKind::Use(_)
        | StatementKind::Config(_)
        | StatementKind::Expr(_)
        | StatementKind::Error => Vec::new(),
    }
}

fn expressions_of(statement: &Statement) -> Vec<&Expr> {
    match &statement.kind {
        StatementKind::Assign { target, value, .. } => {
            let mut all = target_expressions(target);
            all.push(value);
            all
        }
        StatementKind::Return(value) => value.iter().collect(),
        StatementKind::If { arms, .. } => arms.iter().map(|(condition, _)| condition).collect(),
        StatementKind::Loop { until, max, .. } => std::iter::once(until).chain(max).collect(),
        StatementKind::Repeat { count, .. } => vec![count],
        StatementKind::For(each) => std::iter::once(&each.list).chain(&each.max).collect(),
        StatementKind::Use(used) => use_expressions(used),
        StatementKind::Expr(expr) => vec![expr],
        StatementKind::Config(_) | StatementKind::Error => Vec::new(),
    }
}

fn target_expressions(target: &Target) -> Vec<&Expr> {
    target.path.iter().filter_map(index_of).collect()
}

fn index_of(step: &Accessor) -> Option<&Expr> {
    match step {
        Accessor::Index(index) => Some(index),
        Accessor::Field(_) => None,
    }
}

/// Returns the expressions that a `use` shows.
pub(super) fn use_expressions(used: &Use) -> Vec<&Expr> {
    match &used.source {
        UseSource::Expr(expr) => vec![expr],
        UseSource::OneOf(candidates) => {
            candidates.iter().filter_map(|candidate| candidate.source.as_ref()).collect()
        }
    }
}

fn children(expr: &Expr) -> Vec<&Expr> {
    match &expr.kind {
        ExprKind::List(items) => items.iter().collect(),
        ExprKind::Object(fields) => fields.iter().map(|(_, value)| value).collect(),
        ExprKind::Paren(inner) => vec![inner],
        ExprKind::Unary { operand, .. } => vec![operand],
        ExprKind::Binary { left, right, .. } => vec![left, right],
        ExprKind::Field { base, .. } => vec![base],
        ExprKind::Index { base, index } => vec![base, index],
        ExprKind::Call { callee, arguments } => {
            std::iter::once(&**callee).chain(arguments).collect()
        }
        ExprKind::Generate(generate) => generate.options.iter().map(|(_, value)| value).collect(),
        ExprKind::ParallelFor(each) => std::iter::once(&each.list).chain(&each.max).collect(),
        ExprKind::None
        | ExprKind::Bool(_)
        | ExprKind::Int(_)
        | ExprKind::Float(_)
        | ExprKind::Str(_)
        | ExprKind::Name(_)
        | ExprKind::Try { .. }
        | ExprKind::Error => Vec::new(),
    }
}

fn own_blocks(expr: &Expr) -> Vec<&Block> {
    match &expr.kind {
        ExprKind::ParallelFor(each) => vec![&each.body],
        ExprKind::Try { body, handler, .. } => vec![body, handler],
        ExprKind::None
        | ExprKind::Bool(_)
        | ExprKind::Int(_)
        | ExprKind::Float(_)
        | ExprKind::Str(_)
        | ExprKind::Name(_)
        | ExprKind::List(_)
        | ExprKind::Object(_)
        | ExprKind::Paren(_)
        | ExprKind::Unary { .. }
        | ExprKind::Binary { .. }
        | ExprKind::Field { .. }
        | ExprKind::Index { .. }
        | ExprKind::Call { .. }
        | ExprKind::Generate(_)
        | ExprKind::Error => Vec::new(),
    }
}
