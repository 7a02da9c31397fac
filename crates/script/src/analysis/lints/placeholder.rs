//! `${name}` in a plain string: it goes to the model as it stands.

use super::{Function, Subject};
use crate::codes;
use crate::syntax::ast::{Expr, ExprKind, StatementKind};
use crate::syntax::lexer::is_identifier;
use contexture_diagnostic::{Diagnostic, Span};
use std::collections::HashSet;

pub(super) fn look(subject: &Subject<'_>, found: &mut Vec<Diagnostic>) {
    for function in &subject.functions {
        let is_meant = |expr: &&&Expr| {
            matches!(expr.kind, ExprKind::Str(_)) && subject.slice(expr.span).contains("${")
        };
        let mut texts = function.exprs.iter().filter(is_meant).peekable();
        if texts.peek().is_some() {
            let names = names_of(function);
            texts.for_each(|expr| text(subject, expr.span, &names, found));
        }
    }
}

/// Returns the parameters and variables of a function.
fn names_of<'p>(function: &Function<'p>) -> HashSet<&'p str> {
    let params = function.func.params.iter().map(|param| param.name.text.as_str());
    let variables = function.statements.iter().filter_map(|statement| match &statement.kind {
        StatementKind::Assign { target, .. } => Some(target.base.text.as_str()),
        StatementKind::For(each) => Some(each.variable.text.as_str()),
        _ => None,
    });
    params.chain(variables).collect()
}

/// Reports the first placeholder in a string that names something of the program: text for a
/// template or a shell has other names.
fn text(subject: &Subject<'_>, span: Span, names: &HashSet<&str>, found: &mut Vec<Diagnostic>) {
    let raw = subject.slice(span);
    let Some((start, path)) = placeholder(raw, names) else { return };
    let written = format!("${{{path}}}");
    let at = span.start + u32::try_from(start).unwrap_or_default();
    let place = Span::new(at, at + u32::try_from(written.len()).unwrap_or_default());
    let message = format!("`{written}` is not replaced: it stays in the text as it is");
    let fault = codes::PLACEHOLDER.at(place, message);
    let quote = raw.get(..1).unwrap_or("\"");
    let help = format!("join the parts: `{quote}… {quote} + {path} + {quote} …{quote}`");
    let one_line = !raw.starts_with("\"\"\"") && !raw.starts_with("'''");
    let fault = fault.with_help(help);
    found.push(if one_line {
        fault.with_edit(place, format!("{quote} + {path} + {quote}"))
    } else {
        fault
    });
}

/// Returns the place of a placeholder and what it names.
fn placeholder<'t>(raw: &'t str, names: &HashSet<&str>) -> Option<(usize, &'t str)> {
    for (start, _) in raw.match_indices("${") {
        let inner = raw.get(start + 2..)?;
        let Some(path) = inner.split_once('}').map(|(path, _)| path) else { continue };
        let mut steps = path.split('.');
        let known = steps.next().is_some_and(|root| names.contains(root));
        if known && steps.all(is_identifier) {
            return Some((start, path));
        }
    }
    None
}
