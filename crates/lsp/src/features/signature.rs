//! The parameters of the call that is being written.

use crate::features::complete::{named, shape_of_path};
use crate::features::hover::import_of;
use crate::features::library::{self, Callable};
use crate::features::outline;
use crate::features::spots::Spot;
use crate::protocol::{self, At};
use crate::state::View;
use contexture_script::semantic::symbols::{Symbol, SymbolKind};
use contexture_script::syntax::ast::ImportKind;
use contexture_script::syntax::token::{Token, TokenKind};
use serde_json::{Value, json};

pub(crate) fn signature(view: View<'_>, at: &At) -> Value {
    found(view, view.offset(at.position)).unwrap_or(Value::Null)
}

fn found(view: View<'_>, offset: u32) -> Option<Value> {
    let spot = Spot::new(view.file, offset);
    let (mut index, mut open) = spot.open_bracket()?;
    while open.kind != TokenKind::OpenParen {
        (index, open) = spot.open_bracket_before(index)?;
    }
    let names = spot.names(spot.back_from(index))?;
    let argument = commas(spot.after(index));
    let (label, about) = described(view, &names, offset)?;
    let parameters = parameters(&label);
    Some(json!({
        "signatures": [{
            "label": label,
            "documentation": protocol::markdown(&about),
            "parameters": parameters,
        }],
        "activeSignature": 0,
        "activeParameter": argument,
    }))
}

/// Counts the commas outside of inner brackets.
fn commas(tokens: &[Token]) -> usize {
    let (mut open, mut commas) = (0_usize, 0);
    for token in tokens {
        if token.kind.closer().is_some() {
            open += 1;
        } else if token.kind.is_closer() {
            open = open.saturating_sub(1);
        } else if token.kind == TokenKind::Comma && open == 0 {
            commas += 1;
        }
    }
    commas
}

fn described(view: View<'_>, names: &[&str], offset: u32) -> Option<(String, String)> {
    let (last, path) = names.split_last()?;
    let Some((first, _)) = path.split_first() else { return of_name(view, last, offset) };
    let symbol = named(view, first, offset);
    if let Some(symbol) = symbol.filter(|symbol| symbol.kind == SymbolKind::Agent) {
        let functions = view.symbols().all().iter();
        let mut functions =
            functions.filter(|one| one.kind == SymbolKind::Function && one.file == symbol.file);
        let function = functions.find(|one| one.name == **last)?;
        return Some(of_symbol(view, function));
    }
    let import = symbol.and_then(|symbol| import_of(view, symbol));
    let methods = match import {
        Some(import) if import.kind != ImportKind::File => {
            library::of_import(view.program(), 0, import)
        }
        _ => {
            let shape = shape_of_path(view, path, offset);
            library::of_values(shape.map(|shape| view.symbols().resolved(shape)))
        }
    };
    let method: Callable = methods.into_iter().find(|method| method.name == **last)?;
    Some((method.signature, method.description))
}

fn of_name(view: View<'_>, name: &str, offset: u32) -> Option<(String, String)> {
    if name == "generate" {
        let about = "The options stand in an object; the shape of the answer follows after `->`.";
        return Some(("generate({ input: \"…\" })".to_owned(), about.to_owned()));
    }
    let Some(symbol) = named(view, name, offset) else {
        let function = library::functions().into_iter().find(|function| function.name == name)?;
        return Some((function.signature, function.description));
    };
    let is_callable = matches!(symbol.kind, SymbolKind::Function | SymbolKind::Agent);
    is_callable.then(|| of_symbol(view, symbol))
}

fn of_symbol(view: View<'_>, symbol: &Symbol) -> (String, String) {
    let source = view.program().files.get(symbol.file).map(|file| &file.source);
    let head = source.map(|source| outline::head(source, symbol.head, 400)).unwrap_or_default();
    let label = head.trim_start_matches("main ").trim_start_matches("func ").to_owned();
    let label =
        if symbol.kind == SymbolKind::Agent { format!("{}(input)", symbol.name) } else { label };
    (label, symbol.doc.clone().unwrap_or_default())
}

/// Returns the parameters within a signature, split at the commas outside of inner brackets.
fn parameters(label: &str) -> Vec<Value> {
    let Some((_, rest)) = label.split_once('(') else { return Vec::new() };
    let inner = rest.rsplit_once(')').map_or(rest, |(inner, _)| inner);
    let (mut depth, mut all, mut own) = (0_usize, Vec::new(), String::new());
    for sign in inner.chars() {
        match sign {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                all.push(std::mem::take(&mut own));
                continue;
            }
            _ => {}
        }
        own.push(sign);
    }
    all.push(own);
    let named = all.iter().map(|one| one.trim()).filter(|one| !one.is_empty());
    named.map(|one| json!({ "label": one })).collect()
}
