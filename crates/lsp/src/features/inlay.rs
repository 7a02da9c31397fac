//! What stands beside the text: shapes of variables, and tokens of what a `use` shows.

use crate::features::hover::{count, last_run};
use crate::protocol::{self, At};
use crate::state::View;
use crate::workspace::RecordedUse;
use contexture_diagnostic::Span;
use contexture_script::semantic::find::{Node, nodes_at, uses};
use contexture_script::semantic::symbols::{Symbol, SymbolKind};
use contexture_script::syntax::ast::{ExprKind, StatementKind, Use, UseSource};
use serde_json::{Value, json};

/// The greatest number of characters of a hint.
const MOST: usize = 40;

pub(crate) fn hints(view: View<'_>, at: &At) -> Vec<Value> {
    let source = view.source();
    let within = at.range.map_or(Span::new(0, u32::MAX), |range| range.span(source));
    let is_within = |at: u32| within.start <= at && at <= within.end;
    let variables = view.symbols().all().iter().filter(|symbol| is_variable(symbol));
    let mut hints: Vec<Value> = variables
        .filter(|symbol| is_within(symbol.span.end) && !is_evident(view, symbol))
        .filter_map(|symbol| {
            let of = view.analysed.type_of(symbol)?;
            Some(hint(view, symbol.span.end, &format!(" {}", short(of)), 1))
        })
        .collect();
    let recorded = view.files.recorded(&view.document.name);
    for used in uses(&view.file.parsed.file) {
        if is_within(used.span.end)
            && let Some(text) = of_use(view, used, &recorded)
        {
            hints.push(hint(view, used.span.end, &format!("  {text}"), 1));
        }
    }
    hints
}

/// Reports whether a variable is first assigned a value as written, whose type everybody sees.
fn is_evident(view: View<'_>, symbol: &Symbol) -> bool {
    let nodes = nodes_at(&view.file.parsed.file, symbol.span.start);
    let statement = nodes.iter().rev().find_map(|node| match node {
        Node::Statement(statement) => Some(&statement.kind),
        _ => None,
    });
    match statement {
        Some(StatementKind::Assign { value, .. }) => matches!(
            value.kind,
            ExprKind::None
                | ExprKind::Bool(_)
                | ExprKind::Int(_)
                | ExprKind::Float(_)
                | ExprKind::Str(_)
                | ExprKind::Interpolation(_)
                | ExprKind::List(_)
                | ExprKind::Object(_)
        ),
        _ => false,
    }
}

fn is_variable(symbol: &Symbol) -> bool {
    symbol.file == 0 && symbol.kind == SymbolKind::Variable
}

fn of_use(view: View<'_>, used: &Use, recorded: &[RecordedUse]) -> Option<String> {
    let line = view.source().position(used.span.start).line;
    let now = match &used.source {
        UseSource::Expr(expr) if matches!(expr.kind, ExprKind::Name(_)) => count(view, expr),
        _ => None,
    };
    let texts: Vec<String> = now.into_iter().chain(last_run(recorded, line)).collect();
    (!texts.is_empty()).then(|| texts.join(" · "))
}

fn hint(view: View<'_>, at: u32, text: &str, kind: u8) -> Value {
    json!({ "position": protocol::position(view.source(), at), "label": text, "kind": kind })
}

fn short(text: &str) -> String {
    match text.char_indices().nth(MOST) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text.to_owned(),
    }
}
