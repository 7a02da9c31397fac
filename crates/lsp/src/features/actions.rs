//! What can be repaired or changed at a place.

use crate::features::extract::{self, Extracted};
use crate::features::faults::diagnostic;
use crate::protocol::{self, At};
use crate::state::View;
use contexture_diagnostic::{Diagnostic, Edit, Span};
use contexture_script::semantic::find::{Node, nodes_at};
use contexture_script::syntax::ast::{Use, UseSource};
use serde_json::{Value, json};

pub(crate) const KINDS: [&str; 4] =
    ["quickfix", "refactor.extract", "refactor.rewrite", "source.fixAll"];

pub(crate) fn actions(view: View<'_>, at: &At) -> Vec<Value> {
    let only = at.context.as_ref().and_then(|context| context.only.as_deref());
    let wants = |kind: &str| {
        only.is_none_or(|only| {
            only.iter().any(|wanted| {
                let below = kind.strip_prefix(wanted.as_str());
                below.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
            })
        })
    };
    let span = at.range.map_or(Span::at(0), |range| range.span(view.source()));
    let mut found = Vec::new();
    if wants("quickfix") {
        let meets =
            |fault: &&Diagnostic| fault.span.start <= span.end && span.start <= fault.span.end;
        found.extend(
            view.analysed.faults().iter().filter(meets).filter_map(|fault| fix(view, fault)),
        );
    }
    if wants("refactor.extract") {
        found.extend(extract::shape(view, span.start).map(|Extracted { name, edits }| {
            action(view, &format!("Extract the shape `{name}`"), "refactor.extract", &edits)
        }));
    }
    if wants("refactor.rewrite") {
        found.extend(add_budget(view, span.start));
    }
    if wants("source.fixAll") {
        found.extend(fix_all(view));
    }
    found
}

fn action(view: View<'_>, title: &str, kind: &str, edits: &[Edit]) -> Value {
    let edits =
        edits.iter().map(|edit| protocol::edit(view.source(), edit.span, &edit.replacement));
    let edits: Vec<Value> = edits.collect();
    let changes = json!({ view.document.uri.as_str(): edits });
    json!({ "title": title, "kind": kind, "edit": { "changes": changes } })
}

fn fix(view: View<'_>, fault: &Diagnostic) -> Option<Value> {
    let edits = edits_of(view, fault)?;
    let title = fault.help.as_deref().unwrap_or("repair it").to_owned();
    let mut action = action(view, &title, "quickfix", &edits);
    if let Some(action) = action.as_object_mut() {
        action.insert("diagnostics".to_owned(), json!([diagnostic(view, fault)]));
        action.insert("isPreferred".to_owned(), true.into());
    }
    Some(action)
}

/// Returns the edits of a fault; a single word that was meant is one, too.
fn edits_of(view: View<'_>, fault: &Diagnostic) -> Option<Vec<Edit>> {
    if !fault.fix.is_empty() {
        return Some(fault.fix.clone());
    }
    let meant = fault.help.as_deref()?.strip_prefix("did you mean `")?.strip_suffix("`?")?;
    let is_word = |text: &str| text.chars().all(|sign| sign.is_alphanumeric() || sign == '_');
    let written = view.source().slice(fault.span);
    let fits = is_word(meant) && !written.is_empty() && is_word(written);
    fits.then(|| vec![Edit { span: fault.span, replacement: meant.to_owned() }])
}

fn fix_all(view: View<'_>) -> Option<Value> {
    let all = view.analysed.faults().iter().filter(|fault| !fault.fix.is_empty());
    let mut edits: Vec<Edit> = Vec::new();
    for fault in all {
        // What meets an edit that is taken waits for the next time.
        let is_free = |edit: &Edit| {
            edits.iter().all(|own| own.span.end < edit.span.start || edit.span.end < own.span.start)
        };
        if fault.fix.iter().all(is_free) {
            edits.extend(fault.fix.iter().cloned());
        }
    }
    let action = || action(view, "Repair all that can be repaired", "source.fixAll", &edits);
    (!edits.is_empty()).then(action)
}

/// Offers a budget to a `use` without one.
fn add_budget(view: View<'_>, offset: u32) -> Option<Value> {
    let nodes = nodes_at(&view.file.parsed.file, offset);
    let used: &Use = nodes.iter().find_map(|node| match node {
        Node::Use(used) => Some(*used),
        _ => None,
    })?;
    let UseSource::Expr(shown) = &used.source else { return None };
    if used.max.is_some() {
        return None;
    }
    let edit = Edit { span: Span::at(shown.span.end), replacement: " max 2k".to_owned() };
    Some(action(view, "Add a budget: `max 2k`", "refactor.rewrite", &[edit]))
}
