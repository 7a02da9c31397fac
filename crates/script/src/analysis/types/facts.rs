//! What takes away the certainty of a type: values that the program changes after they were made.

use crate::program::Program;
use crate::syntax::ast::{Accessor, Block, Expr, ExprKind, Item, Statement, StatementKind, Target};
use crate::syntax::walk::{self, strip};
use std::collections::{HashMap, HashSet};

/// The methods that make sure of a field by its name.
const ABOUT_FIELDS: &[&str] = &["has", "get"];

/// What a program changes, wherever it does.
#[derive(Debug, Default)]
pub(super) struct Facts<'p> {
    /// The fields that are assigned.
    pub(super) assigned: HashSet<&'p str>,
    /// The fields whose presence is asked for: with `.has(…)`, they are read where they are there.
    pub(super) asked: HashSet<&'p str>,
    /// True if fields of computed names are assigned to an object that is not known to be a
    /// literal of the same function.
    pub(super) fields_grow: bool,
    /// True if fields of computed names are assigned at all.
    pub(super) has_computed_fields: bool,
    /// True if a list that is not known to be a literal of the same function gets items.
    pub(super) lists_grow: bool,
    /// True if any list gets items.
    pub(super) has_added_items: bool,
}

impl<'p> Facts<'p> {
    pub(super) fn collect(program: &'p Program) -> Self {
        let mut facts = Self::default();
        for file in &program.files {
            facts.items(&file.parsed.file.items);
        }
        facts
    }

    fn items(&mut self, items: &'p [Item]) {
        for item in items {
            match item {
                Item::Agent(agent) => self.items(&agent.items),
                Item::Func(func) => self.function(&func.body),
                Item::Import(_) | Item::Config(_) | Item::Use(_) | Item::Shape(_) => {}
            }
        }
    }

    fn function(&mut self, body: &'p Block) {
        let made = made_here(body);
        walk::statements(body, &mut |statement| {
            if let StatementKind::Assign { target, .. } = &statement.kind {
                self.target(target, &made);
            }
        });
        walk::block_expressions(body, &mut |expr| self.call(expr, &made));
    }

    fn target(&mut self, target: &'p Target, made: &HashMap<&str, bool>) {
        for step in &target.path {
            match step {
                Accessor::Field(name) => {
                    self.assigned.insert(&name.text);
                }
                Accessor::Index(key) => match &strip(key).kind {
                    ExprKind::Str(name) => {
                        self.assigned.insert(name);
                    }
                    _ => {
                        let is_own = target.path.len() == 1
                            && made.get(target.base.text.as_str()) == Some(&true);
                        self.fields_grow |= !is_own;
                        self.has_computed_fields = true;
                    }
                },
            }
        }
    }

    fn call(&mut self, expr: &'p Expr, made: &HashMap<&str, bool>) {
        let ExprKind::Call { callee, arguments } = &expr.kind else { return };
        let ExprKind::Field { base, name } = &strip(callee).kind else { return };
        if ABOUT_FIELDS.contains(&name.text.as_str())
            && let Some(ExprKind::Str(field)) = arguments.first().map(|first| &strip(first).kind)
        {
            self.asked.insert(field);
        }
        if name.text == "add" {
            let is_own = match &strip(base).kind {
                ExprKind::Name(name) => made.get(name.as_str()) == Some(&true),
                _ => false,
            };
            self.lists_grow |= !is_own;
            self.has_added_items = true;
        }
    }
}

/// Returns the variables of a function, and whether each is only ever assigned values that are
/// written there.
fn made_here(body: &Block) -> HashMap<&str, bool> {
    let mut made: HashMap<&str, bool> = HashMap::new();
    walk::statements(body, &mut |Statement { kind, .. }| {
        let (name, is_literal) = match kind {
            StatementKind::Assign { target, value, .. } if target.path.is_empty() => {
                let value = &strip(value).kind;
                (&target.base.text, matches!(value, ExprKind::List(_) | ExprKind::Object(_)))
            }
            StatementKind::For(each) => (&each.variable.text, false),
            _ => return,
        };
        let known = made.entry(name).or_insert(true);
        *known &= is_literal;
    });
    made
}
