//! The parts of a tree at a place (TY-9).

use crate::stack::deeper;
use crate::syntax::ast::{Block, Expr, File, Item, Statement, StatementKind, Use};
use crate::syntax::walk::Parts;
use contexture_diagnostic::Span;

/// A part of a tree.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Node<'p> {
    /// An item of a file or an agent.
    Item(&'p Item),
    /// A `use`, of a block, a file or an agent.
    Use(&'p Use),
    /// A statement.
    Statement(&'p Statement),
    /// An expression.
    Expr(&'p Expr),
}

/// Returns the parts of a file around an offset, from the outermost to the innermost one.
#[must_use]
pub fn nodes_at(file: &File, offset: u32) -> Vec<Node<'_>> {
    let mut found = Vec::new();
    items(&file.items, offset, &mut found);
    found
}

/// Returns the `use`s that a `generate` at an offset can see: those above it in its block and the
/// blocks around, and those of its agent and file.
#[must_use]
pub fn visible_uses(file: &File, offset: u32) -> Vec<&Use> {
    let mut found = uses_among(&file.items);
    for node in nodes_at(file, offset) {
        match node {
            Node::Item(Item::Agent(agent)) => found.extend(uses_among(&agent.items)),
            Node::Item(Item::Func(func)) => above(&func.body, offset, &mut found),
            Node::Statement(statement) => {
                let blocks = Parts::of_statement(statement).blocks;
                blocks.into_iter().for_each(|block| above(block, offset, &mut found));
            }
            Node::Expr(expr) => {
                let blocks = Parts::of_expr(expr).blocks;
                blocks.into_iter().for_each(|block| above(block, offset, &mut found));
            }
            Node::Item(_) | Node::Use(_) => {}
        }
    }
    found
}

fn uses_among(items: &[Item]) -> Vec<&Use> {
    let uses = items.iter().filter_map(|item| match item {
        Item::Use(used) => Some(used),
        _ => None,
    });
    uses.collect()
}

/// Adds the uses of a block above an offset that is in it.
fn above<'p>(block: &'p Block, offset: u32, found: &mut Vec<&'p Use>) {
    if !holds(block.span, offset) {
        return;
    }
    let before = block.statements.iter().take_while(|statement| statement.span.end <= offset);
    found.extend(before.filter_map(|statement| match &statement.kind {
        StatementKind::Use(used) => Some(used),
        _ => None,
    }));
}

/// Returns all `use`s of a file, in order.
#[must_use]
pub fn uses(file: &File) -> Vec<&Use> {
    let mut found = Vec::new();
    visit(file, &mut |node| {
        if let Node::Use(used) = node {
            found.push(used);
        }
    });
    found
}

/// Visits all parts of a file, each before what is in it.
pub fn visit<'p>(file: &'p File, look: &mut dyn FnMut(Node<'p>)) {
    visit_items(&file.items, look);
}

fn visit_items<'p>(items: &'p [Item], look: &mut dyn FnMut(Node<'p>)) {
    for item in items {
        look(Node::Item(item));
        match item {
            Item::Agent(agent) => visit_items(&agent.items, look),
            Item::Func(func) => visit_block(&func.body, look),
            Item::Use(used) => look(Node::Use(used)),
            _ => {}
        }
    }
}

fn visit_block<'p>(block: &'p Block, look: &mut dyn FnMut(Node<'p>)) {
    for statement in &block.statements {
        look(Node::Statement(statement));
        if let StatementKind::Use(used) = &statement.kind {
            look(Node::Use(used));
        }
        visit_parts(Parts::of_statement(statement), look);
    }
}

fn visit_parts<'p>(parts: Parts<'p>, look: &mut dyn FnMut(Node<'p>)) {
    for expr in parts.exprs {
        look(Node::Expr(expr));
        deeper(|| visit_parts(Parts::of_expr(expr), look));
    }
    for block in parts.blocks {
        deeper(|| visit_block(block, look));
    }
}

const fn holds(span: Span, offset: u32) -> bool {
    span.start <= offset && offset <= span.end
}

fn items<'p>(items: &'p [Item], offset: u32, found: &mut Vec<Node<'p>>) {
    for item in items {
        let span = match item {
            Item::Import(import) => import.span,
            Item::Agent(agent) => agent.span,
            Item::Func(func) => func.span,
            Item::Shape(decl) => decl.span,
            Item::Config(config) => config.span,
            Item::Use(used) => used.span,
        };
        if !holds(span, offset) {
            continue;
        }
        found.push(Node::Item(item));
        match item {
            Item::Agent(agent) => self::items(&agent.items, offset, found),
            Item::Func(func) => block(&func.body, offset, found),
            Item::Use(used) => found.push(Node::Use(used)),
            Item::Config(config) => {
                let exprs = config.kind.text().into_iter().collect();
                parts(Parts { exprs, blocks: Vec::new() }, offset, found);
            }
            _ => {}
        }
        return;
    }
}

fn block<'p>(block: &'p Block, offset: u32, found: &mut Vec<Node<'p>>) {
    let after = block.statements.partition_point(|statement| statement.span.start <= offset);
    let before = block.statements.get(..after).unwrap_or_default().iter().rev();
    // Two statements may meet at the offset, and the first one be empty.
    let Some(statement) = before.take(2).find(|statement| holds(statement.span, offset)) else {
        return;
    };
    found.push(Node::Statement(statement));
    if let StatementKind::Use(used) = &statement.kind {
        found.push(Node::Use(used));
    }
    parts(Parts::of_statement(statement), offset, found);
}

fn parts<'p>(parts: Parts<'p>, offset: u32, found: &mut Vec<Node<'p>>) {
    for expr in parts.exprs {
        if holds(expr.span, offset) {
            found.push(Node::Expr(expr));
            return deeper(|| self::parts(Parts::of_expr(expr), offset, found));
        }
    }
    for inner in parts.blocks {
        if holds(inner.span, offset) {
            return deeper(|| block(inner, offset, found));
        }
    }
}
