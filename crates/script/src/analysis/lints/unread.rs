//! A field of an answer that the program never reads: the model is paid for writing it.
//!
//! Decision: it is told only when the answer is held by one variable that never leaves its fields:
//! as soon as the whole is used, passed on, returned or copied, anybody may read it.

use super::{Function, Subject};
use crate::codes;
use crate::syntax::ast::{Expr, ExprKind, FieldNode, ShapeKind, StatementKind};
use crate::syntax::walk::strip;
use contexture_diagnostic::Diagnostic;
use std::collections::{HashMap, HashSet};

pub(super) fn look(subject: &Subject<'_>, found: &mut Vec<Diagnostic>) {
    for function in &subject.functions {
        let answers = answers(function);
        if answers.is_empty() {
            continue;
        }
        let read = fields_read(function, &answers);
        for (name, fields) in answers {
            let Some(read) = read.get(name).and_then(Reads::fields_alone) else { continue };
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
fn answers<'p>(function: &Function<'p>) -> Vec<(&'p str, &'p [FieldNode])> {
    let mut assigned: HashMap<&str, (usize, Option<&[FieldNode]>)> = HashMap::new();
    for statement in &function.statements {
        if let StatementKind::Assign { target, value, .. } = &statement.kind {
            let entry = assigned.entry(&target.base.text).or_default();
            entry.0 += 1;
            entry.1 = fields_of(value).filter(|_| target.path.is_empty());
        }
    }
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

/// The reads of a variable.
#[derive(Default)]
struct Reads<'p> {
    /// The number of times that it stands anywhere, also before a field.
    times: usize,
    /// The number of times that it stands before a field.
    before_fields: usize,
    fields: HashSet<&'p str>,
}

impl<'p> Reads<'p> {
    /// Returns the fields that are read; none if the variable also stands as a whole, or nowhere
    /// before a field.
    fn fields_alone(&self) -> Option<&HashSet<&'p str>> {
        (self.before_fields > 0 && self.times <= self.before_fields).then_some(&self.fields)
    }
}

fn fields_read<'p>(
    function: &Function<'p>,
    answers: &[(&'p str, &[FieldNode])],
) -> HashMap<&'p str, Reads<'p>> {
    let mut all: HashMap<&str, Reads<'_>> =
        answers.iter().map(|(name, _)| (*name, Reads::default())).collect();
    for expr in &function.exprs {
        match &expr.kind {
            ExprKind::Name(name) => {
                if let Some(reads) = all.get_mut(name.as_str()) {
                    reads.times += 1;
                }
            }
            ExprKind::Field { base, name } => {
                if let ExprKind::Name(of) = &base.kind
                    && let Some(reads) = all.get_mut(of.as_str())
                {
                    reads.before_fields += 1;
                    reads.fields.insert(&name.text);
                }
            }
            _ => {}
        }
    }
    all
}
