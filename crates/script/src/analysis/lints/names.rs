//! Variables and functions that nothing reads.

use super::{Function, Subject, whole_line};
use crate::codes;
use crate::syntax::ast::{AssignOp, Expr, ExprKind, Func, Item, Name, Statement, StatementKind};
use crate::syntax::walk;
use contexture_diagnostic::{Diagnostic, Span};
use std::collections::{HashMap, HashSet};

pub(super) fn look(subject: &Subject<'_>, found: &mut Vec<Diagnostic>) {
    let mut named = HashSet::new();
    for function in &subject.functions {
        named.extend(names_in(function));
        variables(subject, function, &names_read(function), found);
    }
    functions(subject, named, found);
}

fn variables<'p>(
    subject: &Subject<'p>,
    function: &Function<'p>,
    read: &HashSet<&'p str>,
    found: &mut Vec<Diagnostic>,
) {
    let is_param = |text: &str| function.func.params.iter().any(|param| param.name.text == text);
    let mut first: HashMap<&str, (&Name, &Statement)> = HashMap::new();
    for statement in &function.statements {
        if let StatementKind::Assign { target, op: AssignOp::Set, .. } = &statement.kind
            && target.path.is_empty()
            && !read.contains(target.base.text.as_str())
            && !target.base.text.starts_with('_')
        {
            first.entry(&target.base.text).or_insert((&target.base, statement));
        }
    }
    let mut unused: Vec<(&Name, &Statement)> = first.into_values().collect();
    unused.retain(|(name, _)| {
        !is_param(&name.text) && !is_in_text(subject, function.func, &name.text)
    });
    unused.sort_by_key(|(name, _)| name.span.start);
    for (name, statement) in unused {
        let message = format!("nothing reads the variable `{}`", name.text);
        let fault = codes::UNUSED_VARIABLE.at(name.span, message);
        let help = format!("remove it, or call it `_{}` if it is meant so", name.text);
        let fault = fault.with_help(help);
        found.push(match &statement.kind {
            StatementKind::Assign { value, .. } if acts(value) => {
                fault.with_edit(Span::new(statement.span.start, value.span.start), "")
            }
            _ => match whole_line(&subject.file.source, statement.span) {
                Some(line) => fault.with_edit(line, ""),
                None => fault,
            },
        });
    }
}

/// Reports whether a text has a placeholder for a variable, which is reported by itself (AS8004).
fn is_in_text(subject: &Subject<'_>, function: &Func, name: &str) -> bool {
    let body = subject.slice(function.body.span);
    let mut places = body.match_indices("${").filter_map(|(at, _)| body.get(at + 2..));
    places.any(|rest| rest.strip_prefix(name).is_some_and(|rest| rest.starts_with(['.', '}'])))
}

/// Reports whether a value is computed by something that has effects of its own.
fn acts(value: &Expr) -> bool {
    let mut found = false;
    walk::expressions(value, &mut |part| {
        found |= matches!(part.kind, ExprKind::Call { .. } | ExprKind::Generate(_));
        found |= matches!(part.kind, ExprKind::ParallelFor(_) | ExprKind::Try { .. });
    });
    found
}

/// Returns the names that a function reads; changing a field of a variable reads it.
fn names_read<'p>(function: &Function<'p>) -> HashSet<&'p str> {
    let changed = function.statements.iter().filter_map(|statement| match &statement.kind {
        StatementKind::Assign { target, op, .. }
            if *op != AssignOp::Set || !target.path.is_empty() =>
        {
            Some(target.base.text.as_str())
        }
        _ => None,
    });
    names_in(function).chain(changed).collect()
}

fn names_in<'p>(function: &Function<'p>) -> impl Iterator<Item = &'p str> {
    function.exprs.iter().filter_map(|expr| match &expr.kind {
        ExprKind::Name(name) => Some(name.as_str()),
        _ => None,
    })
}

/// Returns the computed roles and descriptions of a file and its agents, outside functions.
fn settings(items: &[Item]) -> Vec<&Expr> {
    let mut all = Vec::new();
    for item in items {
        match item {
            Item::Config(config) => all.extend(config.kind.text()),
            Item::Agent(agent) => all.extend(settings(&agent.items)),
            Item::Import(_) | Item::Func(_) | Item::Use(_) | Item::Shape(_) => {}
        }
    }
    all
}

/// Reports functions of the file that nothing in it names. Those of an agent can be called from
/// elsewhere.
fn functions<'p>(subject: &Subject<'p>, mut named: HashSet<&'p str>, found: &mut Vec<Diagnostic>) {
    let own = subject.items.iter().filter_map(|item| match item {
        Item::Func(func) if !func.main => func.name.as_ref(),
        _ => None,
    });
    let has_main = subject.functions.iter().any(|function| function.func.main);
    for text in settings(subject.items) {
        walk::expressions(text, &mut |expr| {
            if let ExprKind::Name(name) = &expr.kind {
                named.insert(name.as_str());
            }
        });
    }
    let unused = own.filter(|name| !named.contains(name.text.as_str()) && !name.text.is_empty());
    // Without a `main func`, a program may be meant for whoever calls its functions.
    for name in unused.filter(|name| has_main && !name.text.starts_with('_')) {
        let message = format!("nothing calls the function `{}`", name.text);
        let fault = codes::UNUSED_FUNCTION.at(name.span, message);
        found.push(fault.with_help("remove it, or call it"));
    }
}
