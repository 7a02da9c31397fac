//! What a name, a word, a `use` or a `generate` means.

use crate::features::library::{self, Callable};
use crate::features::navigate::symbol_at;
use crate::features::{outline, words};
use crate::protocol::{self, At};
use crate::state::View;
use crate::workspace::RecordedUse;
use contexture_context::Measure;
use contexture_diagnostic::Span;
use contexture_script::analysis;
use contexture_script::reference::reference_at;
use contexture_script::semantic::ceiling::{Ceiling, SiteCost};
use contexture_script::semantic::find::{Node, nodes_at, visible_uses};
use contexture_script::semantic::symbols::{Symbol, SymbolKind};
use contexture_script::semantic::written::written;
use contexture_script::syntax::ast::{Expr, ExprKind, Import, ImportKind, Item, Use, UseSource};
use contexture_script::syntax::token::TokenKind;
use serde_json::{Value, json};

/// The greatest number of characters of a declaration that is shown.
const MOST: usize = 400;

pub(crate) fn hover(view: View<'_>, at: &At) -> Value {
    let offset = view.offset(at.position);
    let tokens = &view.file.parsed.tokens;
    let after = tokens.partition_point(|token| token.span.start <= offset);
    let token = after.checked_sub(1).and_then(|index| tokens.get(index)).copied();
    let Some(token) = token.filter(|token| offset <= token.span.end) else { return Value::Null };
    if token.is_comment() {
        return Value::Null;
    }
    if matches!(token.kind, TokenKind::Str | TokenKind::Block)
        && let Some((text, span)) = of_reference(view, offset)
    {
        let range = protocol::range(view.source(), span);
        return json!({ "contents": protocol::markdown(&text), "range": range });
    }
    let text = about(view, offset, token.kind, view.source().slice(token.span));
    text.map_or(Value::Null, |text| {
        let range = protocol::range(view.source(), token.span);
        json!({ "contents": protocol::markdown(&text), "range": range })
    })
}

/// Explains the reference around an offset in a string.
fn of_reference(view: View<'_>, offset: u32) -> Option<(String, Span)> {
    let (reference, span) = reference_at(view.file, offset, view.files.loader())?;
    let text = view.files.explain(&view.document.name, &reference)?;
    Some((format!("```text\n{}\n```", text.trim_end()), span))
}

fn about(view: View<'_>, offset: u32, kind: TokenKind, word: &str) -> Option<String> {
    if let Some((symbol, _)) = symbol_at(view, offset).filter(|(symbol, _)| symbol.is_named) {
        return Some(of_symbol(view, symbol));
    }
    let nodes = nodes_at(&view.file.parsed.file, offset);
    if let Some(field) = nodes.iter().rev().find_map(|node| of_field(view, *node, offset)) {
        return Some(field);
    }
    if kind == TokenKind::Word && word == "generate" {
        return nodes.iter().rev().find_map(|node| match node {
            Node::Expr(expr) if matches!(expr.kind, ExprKind::Generate(_)) => {
                Some(of_generate(view, expr))
            }
            _ => None,
        });
    }
    if kind == TokenKind::Word && word == "use" {
        return nodes.iter().rev().find_map(|node| match node {
            Node::Use(used) => Some(of_use(view, used)),
            _ => None,
        });
    }
    let option = || analysis::options().find(|(name, _)| *name == word);
    let function = || library::functions().into_iter().find(|function| function.name == word);
    let text = (kind == TokenKind::Word).then(|| {
        let described = words::describe(word).map(str::to_owned);
        let described = described.or_else(|| function().as_ref().map(of_method));
        described.or_else(|| option().map(|(name, takes)| format!("`{name}`: {takes}")))
    });
    text.flatten()
}

fn of_symbol(view: View<'_>, symbol: &Symbol) -> String {
    let source = view.program().files.get(symbol.file).map(|file| &file.source);
    let head = source.map(|source| outline::head(source, symbol.head, MOST)).unwrap_or_default();
    let mut text = format!("```agentscript\n{head}\n```");
    if let Some(of) = view.analysed.type_of(symbol) {
        text = format!("```agentscript\n{} {of}\n```", symbol.name);
    }
    if let Some(doc) = &symbol.doc {
        text.push_str("\n\n");
        text.push_str(doc);
    }
    if let Some(count) = import_of(view, symbol).and_then(|import| tokens_of(view, import)) {
        text.push_str(&format!("\n\n{count} now"));
    }
    text
}

/// Returns the import in this document that binds a name.
pub(crate) fn import_of<'s>(view: View<'s>, symbol: &Symbol) -> Option<&'s Import> {
    if symbol.file != 0 || !matches!(symbol.kind, SymbolKind::Import(_)) {
        return None;
    }
    view.file.parsed.file.items.iter().find_map(|item| match item {
        Item::Import(import) if import.name.span == symbol.span => Some(import),
        _ => None,
    })
}

/// Returns `812 tokens` for an imported local file; `~` where another tokenizer counts.
pub(crate) fn tokens_of(view: View<'_>, import: &Import) -> Option<String> {
    if import.kind != ImportKind::File {
        return None;
    }
    let counted = view.files.count(&view.document.name, import)?;
    let mark = if counted.is_exact { "" } else { "~" };
    Some(format!("{mark}{} tokens", counted.tokens))
}

/// Describes the field or method that stands at a place.
fn of_field(view: View<'_>, node: Node<'_>, offset: u32) -> Option<String> {
    let Node::Expr(expr) = node else { return None };
    let ExprKind::Field { base, name } = &expr.kind else { return None };
    if offset < name.span.start || name.span.end < offset {
        return None;
    }
    // A declared field with its bounds, else what is known of the value.
    let declared = view.symbols().shape(0, expr).map(written);
    if let Some(of) = declared.or_else(|| analysis::type_of(view.program(), 0, expr)) {
        return Some(format!("```agentscript\n{} {of}\n```", name.text));
    }
    let method = callables(view, base).into_iter().find(|method| method.name == name.text)?;
    Some(of_method(&method))
}

fn callables(view: View<'_>, base: &Expr) -> Vec<Callable> {
    let symbol = match &base.kind {
        ExprKind::Name(_) => symbol_at(view, base.span.start).map(|(symbol, _)| symbol),
        _ => None,
    };
    match symbol.and_then(|symbol| import_of(view, symbol)) {
        Some(import) if import.kind != ImportKind::File => {
            library::of_import(view.program(), 0, import)
        }
        _ => {
            let shape = view.symbols().shape(0, base);
            library::of_values(shape.map(|shape| view.symbols().resolved(shape)))
        }
    }
}

pub(crate) fn of_method(method: &Callable) -> String {
    let mut text = format!("```agentscript\n{}\n```\n{}", method.signature, method.description);
    for (name, about, is_required) in &method.fields {
        let mark = if *is_required { "" } else { "?" };
        text.push_str(&format!("\n- `{name}{mark}` {about}"));
    }
    text
}

fn of_use(view: View<'_>, used: &Use) -> String {
    let mut lines = vec![part(view, used)];
    if used.max.is_none() {
        lines.push(
            "It has no budget: it takes as many tokens as it has, up to the room of the model."
                .to_owned(),
        );
    }
    let line = view.source().position(used.span.start).line;
    lines.extend(last_run(&view.files.recorded(&view.document.name), line));
    lines.join("\n\n")
}

/// Returns what the last recorded run showed of the `use` in a line.
pub(crate) fn last_run(recorded: &[RecordedUse], line: u32) -> Option<String> {
    // Of several calls the last one.
    let item = recorded.iter().rev().find(|item| item.line == line)?;
    Some(match item.before > item.after {
        true => format!("last run: {} of {} tokens", item.after, item.before),
        false => format!("last run: {} tokens", item.after),
    })
}

/// Describes what a `use` shows: its value, tokens now, budget and label.
fn part(view: View<'_>, used: &Use) -> String {
    let shown: Vec<&Expr> = match &used.source {
        UseSource::Expr(expr) => vec![expr],
        UseSource::OneOf(candidates) => {
            candidates.iter().filter_map(|one| one.source.as_ref()).collect()
        }
    };
    let names: Vec<String> = shown
        .iter()
        .map(|expr| {
            let name = outline::head(view.source(), expr.span, 60);
            match count(view, expr) {
                Some(tokens) => format!("`{name}` ({tokens} now)"),
                None => format!("`{name}`"),
            }
        })
        .collect();
    let mut text = names.join(" or ");
    if let Some(max) = &used.max {
        let unit = if max.measure == Measure::Chars { "characters" } else { "tokens" };
        text.push_str(&format!(", at most {} {unit}", max.limit));
    }
    if let Some(label) = &used.label {
        text.push_str(&format!(", as “{}”", label.value.trim()));
    }
    text
}

/// Counts the tokens of an imported file that is shown.
pub(crate) fn count(view: View<'_>, shown: &Expr) -> Option<String> {
    let ExprKind::Name(_) = &shown.kind else { return None };
    let (symbol, _) = symbol_at(view, shown.span.start)?;
    tokens_of(view, import_of(view, symbol)?)
}

fn of_generate(view: View<'_>, expr: &Expr) -> String {
    let uses = visible_uses(&view.file.parsed.file, expr.span.start);
    let mut text = "The model sees, besides the instruction:".to_owned();
    if uses.is_empty() {
        text = "The model sees the instruction alone: no `use` stands above.".to_owned();
    }
    for used in uses {
        text.push_str(&format!("\n- {}", part(view, used)));
    }
    if let Some(cost) = cost(view, expr.span) {
        text.push_str(&format!("\n\n{cost}"));
    }
    text
}

/// Describes the most that a `generate` may take.
fn cost(view: View<'_>, span: Span) -> Option<String> {
    let facts = view.files.cost(view.program())?;
    let name = view.source().name();
    let site = facts.sites.into_iter().find(|site| site.file == name && site.span == span)?;
    let SiteCost { model, each, times, is_exact, .. } = site;
    let times = times.map_or("any number of times".to_owned(), |times| format!("at most {times}×"));
    Some(format!("worst case: {times}, each {}, by {model}", amounts(&each, is_exact)))
}

fn amounts(each: &Ceiling, is_exact: bool) -> String {
    let mark = if is_exact { "" } else { "~" };
    let number = |number: Option<u64>| {
        number.map_or("unbounded".to_owned(), |number| format!("{mark}{number}"))
    };
    let calls = number(each.calls).trim_start_matches('~').to_owned();
    let money = each.money.map(|money| format!(", {:.4} USD", money.dollars())).unwrap_or_default();
    format!("{calls} calls, {} + {} tokens{money}", number(each.input), number(each.output))
}
