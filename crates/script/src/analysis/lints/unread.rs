//! A field of an answer that the program never reads: the model is paid for writing it.
//!
//! Decision: it is told only when the answer is held by one variable that never leaves its fields:
//! as soon as the whole is used, passed on, returned or copied, anybody may read it.

use super::Subject;
use crate::codes;
use crate::syntax::ast::{Expr, ExprKind, FieldNode, Func, ShapeKind, StatementKind};
use crate::syntax::walk::{self, strip};
use contexture_diagnostic::Diagnostic;
use std::collections::{HashMap, HashSet};

pub(super) fn look(subject: &Subject<'_>, found: &mut Vec<Diagnostic>) {
    for function in subject.functions() {
        let answers = answers(function);
        if answers.is_empty() {
            continue;
        }
        let read = fields_read(function);
        for (name, fields) in answers {
            let Some(Some(read)) = read.get(name) else { continue };
            for field in fields.iter().filter(|field| !read.contains(field.name.text.as_str())) {
                let message = format!("nothing reads the field `{}` of `{name}`", field.name.text);
                let fault = codes::UNREAD_FIELD.at(field.span, message);
                found.push(
                    fault.with_help(
                        "remove it, unless the model is to write it down for what follows",
                    ),
                );
            }
        }
    }
}

/// Returns the variables that are assigned once, an answer with fields.
fn answers(function: &Func) -> Vec<(&str, &[FieldNode])> {
    let mut assigned: HashMap<&str, (usize, Option<&[FieldNode]>)> = HashMap::new();
    walk::statements(&function.body, &mut |statement| {
        if let StatementKind::Assign { target, value, .. } = &statement.kind {
            let entry = assigned.entry(&target.base.text).or_default();
            entry.0 += 1;
            entry.1 = fields_of(value).filter(|_| target.path.is_empty());
        }
    });
    let once = assigned.into_iter().filter_map(|(name, (times, fields))| {
        fields.filter(|_| times == 1).map(|fields| (name, fields))
    });
    let mut all: Vec<_> = once.collect();
    all.sort_by_key(|(name, _)| *name);
    all
}

fn fields_of(value: &Expr) -> Option<&[FieldNode]> {
    let ExprKind::Generate(generate) = &strip(value).kind else { return None };
    match &generate.shape.as_ref()?.kind {
        ShapeKind::Object(fields) => Some(fields),
        _ => None,
    }
}

/// Returns the fields that are read of each name; `None` for a name that also stands as a whole.
fn fields_read(function: &Func) -> HashMap<&str, Option<HashSet<&str>>> {
    let mut whole: HashMap<&str, usize> = HashMap::new();
    let mut fields: HashMap<&str, (usize, HashSet<&str>)> = HashMap::new();
    walk::block_expressions(&function.body, &mut |expr| match &expr.kind {
        ExprKind::Name(name) => *whole.entry(name).or_default() += 1,
        ExprKind::Field { base, name } => {
            if let ExprKind::Name(of) = &base.kind {
                let (times, read) = fields.entry(of).or_default();
                *times += 1;
                read.insert(&name.text);
            }
        }
        _ => {}
    });
    let known = fields.into_iter().map(|(name, (times, read))| {
        let alone = whole.get(name).copied().unwrap_or_default() > times;
        (name, (!alone).then_some(read))
    });
    known.collect()
}
