//! Walks over trees, for checks that look for something anywhere below a place.

use crate::stack::deeper;
use crate::syntax::ast::{
    Accessor, Block, Expr, ExprKind, Statement, StatementKind, Target, Use, UseSource,
};

/// All statements in a block, at any depth, in source order.
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

/// All expressions in a block, at any depth, in source order; those of a `use` too.
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

/// An expression and all below it, blocks included.
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

/// The blocks that are parts of a statement, not of its expressions.
fn blocks_of(statement: &Statement) -> Vec<&Block> {
    match &statement.kind {
        StatementKind::If { arms, otherwise } => {
            arms.iter().map(|(_, block)| block).chain(otherwise).collect()
        }
        StatementKind::Loop { body, .. } | StatementKind::Repeat { body, .. } => vec![body],
        StatementKind::For(each) => vec![&each.body],
        _ => Vec::new(),
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

/// The expressions that a `use` shows.
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
        _ => Vec::new(),
    }
}

fn own_blocks(expr: &Expr) -> Vec<&Block> {
    match &expr.kind {
        ExprKind::ParallelFor(each) => vec![&each.body],
        ExprKind::Try { body, handler, .. } => vec![body, handler],
        _ => Vec::new(),
    }
}
