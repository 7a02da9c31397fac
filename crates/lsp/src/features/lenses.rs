//! What can be started from a line: the program, and the prompt of a `generate`.
//!
//! The commands are the client's: the server starts nothing.

use crate::protocol;
use crate::state::View;
use contexture_diagnostic::Span;
use contexture_script::semantic::find::{Node, visit};
use contexture_script::syntax::ast::{ExprKind, Item};
use serde_json::{Value, json};

/// Runs a program; its argument is an object with the `uri`.
const RUN: (&str, &str) = ("Run", "contexture.run");
/// Runs a program without asking a model or changing anything.
const DRY_RUN: (&str, &str) = ("Dry run", "contexture.dryRun");
/// Shows what the model of a `generate` will see; its argument has the `line`, from 1, too.
const SHOW_PROMPT: (&str, &str) = ("Show prompt", "contexture.showPrompt");

pub(crate) fn lenses(view: View<'_>) -> Vec<Value> {
    let mut lenses = Vec::new();
    if let Some(place) = main_of(view) {
        lenses.push(lens(view, place, RUN));
        lenses.push(lens(view, place, DRY_RUN));
    }
    visit(&view.file.parsed.file, &mut |node| {
        if let Node::Expr(expr) = node
            && matches!(expr.kind, ExprKind::Generate(_))
        {
            lenses.push(lens(view, Span::at(expr.span.start), SHOW_PROMPT));
        }
    });
    lenses
}

/// Returns the place of the agent or function that runs.
fn main_of(view: View<'_>) -> Option<Span> {
    let main = view.program().main_agent(0)?;
    let place = match view.program().agent(main) {
        Some(agent) => agent.span,
        None => {
            let items = view.file.parsed.file.items.iter();
            let funcs = items.filter_map(|item| match item {
                Item::Func(func) => Some(func),
                _ => None,
            });
            let mut funcs = funcs.clone().filter(|func| func.main).chain(funcs);
            funcs.next()?.span
        }
    };
    Some(Span::at(place.start))
}

fn lens(view: View<'_>, place: Span, (title, command): (&str, &str)) -> Value {
    let line = view.source().position(place.start).line;
    let about = json!({ "uri": view.document.uri, "line": line });
    let command = json!({ "title": title, "command": command, "arguments": [about] });
    json!({ "range": protocol::range(view.source(), place), "command": command })
}
