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
use crate::program::ProgramFile;
use crate::syntax::ast::{Block, ExprKind, Func, Import, Item};
use crate::syntax::walk;
use contexture_diagnostic::{Diagnostic, SourceFile, Span};
use std::collections::HashMap;

pub(super) use allow::without_allowed;

/// A file, as the lints see it.
struct Subject<'p> {
    file: &'p ProgramFile,
    items: &'p [Item],
    imports: HashMap<&'p str, &'p Import>,
    visible: Visible<'p>,
}

impl<'p> Subject<'p> {
    fn slice(&self, span: Span) -> &'p str {
        self.file.source.slice(span)
    }

    /// Returns all functions, those of agents too.
    fn functions(&self) -> Vec<&'p Func> {
        let mut all = Vec::new();
        for item in self.items {
            match item {
                Item::Func(func) => all.push(func),
                Item::Agent(agent) => {
                    all.extend(agent.items.iter().filter_map(|item| match item {
                        Item::Func(func) => Some(func),
                        _ => None,
                    }))
                }
                Item::Import(_) | Item::Config(_) | Item::Use(_) | Item::Shape(_) => {}
            }
        }
        all
    }

    fn import(&self, name: &str) -> Option<&'p Import> {
        self.imports.get(name).copied()
    }
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
    let subject = Subject { file, items, imports, visible: Visible::of(items) };
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
