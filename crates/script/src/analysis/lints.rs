//! Lints: what is valid and probably not meant (TY-3).
//!
//! Decisions. A lint looks at one file and its tree, never at what a model does. Unused things are
//! hints, all else warns, and nothing that runs is refused; a project sets other levels, and a
//! comment allows one place. In a file with errors nothing is said of unused things, which may only
//! be misspelt where they are used, and in one with errors of syntax nothing at all.

mod allow;
mod effect;
mod hidden;
mod labels;
mod loops;
mod names;
mod placeholder;
mod sources;
mod unread;
mod unseen;

#[cfg(test)]
mod tests;

use super::visible::Visible;
use crate::program::{ProgramFile, functions_of};
use crate::syntax::ast::{Block, Expr, ExprKind, Func, Import, Item, Statement};
use crate::syntax::walk;
use contexture_diagnostic::{Diagnostic, SourceFile, Span};
use std::collections::HashMap;

pub(super) use allow::without_allowed;

/// A function with all that is in it: each lint looks through the same lists, and the tree is walked
/// once for all of them.
struct Function<'p> {
    func: &'p Func,
    statements: Vec<&'p Statement>,
    /// In source order.
    exprs: Vec<&'p Expr>,
}

impl<'p> Function<'p> {
    fn of(func: &'p Func) -> Self {
        let (mut statements, mut exprs) = (Vec::new(), Vec::new());
        walk::statements(&func.body, &mut |statement| statements.push(statement));
        walk::block_expressions(&func.body, &mut |expr| exprs.push(expr));
        Self { func, statements, exprs }
    }
}

/// A file, as the lints see it.
struct Subject<'p> {
    file: &'p ProgramFile,
    items: &'p [Item],
    /// All functions, those of agents too.
    functions: Vec<Function<'p>>,
    imports: HashMap<&'p str, &'p Import>,
    visible: Visible<'p>,
}

impl<'p> Subject<'p> {
    fn slice(&self, span: Span) -> &'p str {
        self.file.source.slice(span)
    }

    fn import(&self, name: &str) -> Option<&'p Import> {
        self.imports.get(name).copied()
    }
}

fn functions(items: &[Item]) -> Vec<Function<'_>> {
    let mut all = Vec::new();
    for item in items {
        match item {
            Item::Func(func) => all.push(Function::of(func)),
            Item::Agent(agent) => {
                all.extend(functions_of(&agent.items).map(Function::of));
            }
            Item::Import(_) | Item::Config(_) | Item::Use(_) | Item::Shape(_) => {}
        }
    }
    all
}

/// Returns the span of a line with its line end, if nothing else stands in it.
pub(super) fn whole_line(source: &SourceFile, span: Span) -> Option<Span> {
    let line = source.position(span.start).line;
    let whole = Span::new(source.line_start(line), source.line_start(line + 1));
    (source.line(line).trim() == source.slice(span)).then_some(whole)
}

/// Returns what the lints say about a file without errors of syntax, or without any.
pub(super) fn lint(file: &ProgramFile, is_faultless: bool) -> Vec<Diagnostic> {
    let items = file.parsed.file.items.as_slice();
    let mut imports = HashMap::new();
    for import in file.imports() {
        imports.entry(import.name.text.as_str()).or_insert(import);
    }
    let (functions, visible) = (functions(items), Visible::of(items));
    let subject = Subject { file, items, functions, imports, visible };
    let all: &[fn(&Subject<'_>, &mut Vec<Diagnostic>)] = &[
        unseen::look,
        effect::look,
        placeholder::look,
        labels::look,
        sources::look,
        hidden::look,
        loops::look,
    ];
    let of_unused: &[fn(&Subject<'_>, &mut Vec<Diagnostic>)] = &[names::look, unread::look];
    let mut found = Vec::new();
    for look in all.iter().chain(of_unused.iter().filter(|_| is_faultless)) {
        look(&subject, &mut found);
    }
    found
}

/// Reports whether a block calls a model itself, at any depth.
fn asks_a_model(block: &Block) -> bool {
    let mut found = false;
    walk::block_expressions(block, &mut |expr| {
        found |= matches!(expr.kind, ExprKind::Generate(_));
    });
    found
}
