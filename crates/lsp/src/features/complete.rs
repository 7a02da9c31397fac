//! What can stand at a place.
//!
//! Decision: the tokens before the place decide what is offered, and not the tree: a text that is
//! being written rarely parses.

use crate::features::hover::{import_of, of_method, tokens_of};
use crate::features::library;
use crate::features::paths;
use crate::features::spots::Spot;
use crate::features::words::{self, Word};
use crate::protocol::{self, At};
use crate::state::View;
use contexture_script::analysis;
use contexture_script::semantic::symbols::{Symbol, SymbolKind};
use contexture_script::semantic::written::written;
use contexture_script::syntax::ast::{ImportKind, Item, ShapeKind, ShapeNode, Use};
use contexture_script::syntax::token::{Token, TokenKind};
use serde_json::{Value, json};

/// The numbers of kinds in the protocol.
const METHOD: u8 = 2;
const FUNCTION: u8 = 3;
const FIELD: u8 = 5;
const VARIABLE: u8 = 6;
const CLASS: u8 = 7;
const MODULE: u8 = 9;
const PROPERTY: u8 = 10;
const VALUE: u8 = 12;
const KEYWORD: u8 = 14;
const TYPE: u8 = 25;

pub(crate) fn complete(view: View<'_>, at: &At) -> Vec<Value> {
    let offset = view.offset(at.position);
    let spot = Spot::new(view.file, offset);
    if spot.in_comment {
        return Vec::new();
    }
    match spot.inside {
        Some(label) if label.kind == TokenKind::Label => return labels(view),
        Some(text) => return paths::complete(view, &spot, text),
        None => {}
    }
    match spot.previous() {
        Some(token) if token.kind == TokenKind::Dot => match spot.path() {
            Some(path) => members(view, &path, offset),
            None => methods(None),
        },
        _ => words_at(view, &spot),
    }
}

/// An item of a completion.
pub(crate) fn item(label: &str, kind: u8, detail: &str, about: &str) -> Value {
    let mut item = json!({ "label": label, "kind": kind });
    if let Some(item) = item.as_object_mut() {
        if !detail.is_empty() {
            item.insert("detail".to_owned(), detail.into());
        }
        if !about.is_empty() {
            item.insert("documentation".to_owned(), protocol::markdown(about));
        }
    }
    item
}

fn of_words(words: &[Word], kind: u8) -> impl Iterator<Item = Value> {
    words.iter().map(move |(word, about)| item(word, kind, "", about))
}

/// Returns the symbol that a name means at an offset; in a text that does not parse, the nearest one
/// of that name above.
pub(crate) fn named<'s>(view: View<'s>, name: &str, offset: u32) -> Option<&'s Symbol> {
    let visible = view.symbols().visible(0, offset);
    let found = visible.into_iter().find(|symbol| symbol.name == name);
    found
        .or_else(|| {
            let above = |symbol: &&Symbol| symbol.name == name && symbol.span.start <= offset;
            let named = view.symbols().all().iter().filter(|symbol| symbol.file == 0);
            named.filter(above).max_by_key(|symbol| symbol.span.start)
        })
        .or_else(|| imported(view, name))
}

/// Reports whether it is an agent or a function of another file.
fn is_imported(symbol: &Symbol) -> bool {
    let is_callable = matches!(symbol.kind, SymbolKind::Agent | SymbolKind::Function);
    symbol.file != 0 && symbol.container.is_none() && is_callable
}

/// Returns the imported agent or function of a name.
fn imported<'s>(view: View<'s>, name: &str) -> Option<&'s Symbol> {
    let found =
        view.symbols().in_file(0).iter().filter_map(|place| view.symbols().get(place.symbol));
    found.into_iter().find(|symbol| symbol.name == name && is_imported(symbol))
}

/// Returns the shape of a path of names, such as `input.rows`.
pub(crate) fn shape_of_path<'s>(
    view: View<'s>,
    path: &[&str],
    offset: u32,
) -> Option<&'s ShapeNode> {
    let (first, rest) = path.split_first()?;
    let mut shape = named(view, first, offset)?.shape.as_ref()?;
    for name in rest {
        shape = view.symbols().field(shape, name)?;
    }
    Some(shape)
}

/// Returns what can stand after `path.`.
fn members(view: View<'_>, path: &[&str], offset: u32) -> Vec<Value> {
    if let [name] = path
        && let Some(symbol) = named(view, name, offset)
    {
        if symbol.kind == SymbolKind::Agent {
            return functions_of(view, symbol);
        }
        if let Some(import) =
            import_of(view, symbol).filter(|import| import.kind != ImportKind::File)
        {
            let methods = library::of_import(view.program(), 0, import);
            return methods
                .iter()
                .map(|one| item(&one.name, METHOD, &one.signature, &of_method(one)))
                .collect();
        }
    }
    let shape = shape_of_path(view, path, offset).map(|shape| view.symbols().resolved(shape));
    let mut found = fields(shape);
    found.extend(methods(shape));
    found
}

fn fields(shape: Option<&ShapeNode>) -> Vec<Value> {
    let Some(ShapeKind::Object(fields)) = shape.map(|shape| &shape.kind) else { return Vec::new() };
    let shown = fields.iter().map(|field| {
        let kind = field.shape.as_ref().map_or("string".to_owned(), written);
        let mark = if field.optional { "optional " } else { "" };
        let about = field.description.as_deref().unwrap_or_default();
        item(&field.name.text, FIELD, &format!("{mark}{kind}"), about)
    });
    shown.collect()
}

fn methods(shape: Option<&ShapeNode>) -> Vec<Value> {
    let methods = library::of_values(shape);
    let mut found: Vec<Value> = methods
        .iter()
        .map(|one| item(&one.name, METHOD, &one.signature, &one.description))
        .collect();
    found.push(item("length", PROPERTY, "integer", "The number of characters, items or fields."));
    found
}

fn functions_of(view: View<'_>, agent: &Symbol) -> Vec<Value> {
    let number = view.symbols().all().iter().position(|one| one == agent);
    let own =
        view.symbols().all().iter().filter(|one| {
            one.kind == SymbolKind::Function && one.is_named && one.container == number
        });
    own.map(|one| item(&one.name, FUNCTION, "", one.doc.as_deref().unwrap_or_default())).collect()
}

/// Returns the labels that the file has already.
fn labels(view: View<'_>) -> Vec<Value> {
    let uses = contexture_script::semantic::find::uses(&view.file.parsed.file);
    let mut labels: Vec<&str> =
        uses.iter().filter_map(|used: &&Use| Some(used.label.as_ref()?.value.trim())).collect();
    labels.sort_unstable();
    labels.dedup();
    let labels = labels.into_iter().filter(|label| !label.is_empty());
    labels.map(|label| item(label, VALUE, "label", "")).collect()
}

fn words_at(view: View<'_>, spot: &Spot<'_>) -> Vec<Value> {
    let line = spot.line_words();
    let previous = spot.previous();
    let is_word = previous.is_some_and(|token| token.kind == TokenKind::Word);
    match line.as_slice() {
        ["import"] if is_word => return of_words(words::IMPORTS, KEYWORD).collect(),
        ["import", _, _] if is_word => return vec![item("from", KEYWORD, "", "")],
        [.., "model"] if is_word => return models(view),
        [.., "keep"] if is_word => {
            return ["head", "tail", "middle"].map(|word| item(word, KEYWORD, "", "")).into();
        }
        [.., "as"] if is_word => return labels(view),
        _ => {}
    }
    if let Some(options) = options(view, spot) {
        return options;
    }
    if is_type_place(spot, previous) {
        return of_words(words::TYPES, TYPE).chain(shapes(view)).collect();
    }
    let mut found = Vec::new();
    if line.first() == Some(&"use") && line.len() > 1 {
        found.extend(of_words(words::CLAUSES, KEYWORD));
    }
    found.extend(names(view, spot.offset));
    let at_top = spot.open_bracket().is_none();
    if at_top {
        found.extend(of_words(words::ITEMS, KEYWORD));
    }
    if !at_top || !has_written_main(view) {
        let is_new =
            |(word, _): &&Word| !at_top || !words::ITEMS.iter().any(|(own, _)| own == word);
        let statements = words::STATEMENTS.iter().filter(is_new);
        found.extend(statements.map(|(word, about)| item(word, KEYWORD, "", about)));
        let functions = library::functions();
        found.extend(
            functions.iter().map(|one| item(&one.name, FUNCTION, &one.signature, &one.description)),
        );
    }
    found
}

/// Reports whether a main function or agent has a head, so that no statement can stand at the top
/// level (TY-7).
fn has_written_main(view: View<'_>) -> bool {
    view.file.parsed.file.items.iter().any(|item| match item {
        Item::Agent(agent) => agent.main,
        Item::Func(func) => func.main && !func.is_script,
        _ => false,
    })
}

/// Returns the named shapes of the document, its own and the imported ones.
fn shapes(view: View<'_>) -> Vec<Value> {
    let symbols = view.symbols();
    let mut known: Vec<&Symbol> =
        symbols.in_file(0).iter().filter_map(|place| symbols.get(place.symbol)).collect();
    known.retain(|symbol| symbol.kind == SymbolKind::Shape && !symbol.name.is_empty());
    known.sort_by_key(|symbol| &symbol.name);
    known.dedup_by_key(|symbol| &symbol.name);
    let shown = known
        .iter()
        .map(|symbol| item(&symbol.name, TYPE, "shape", symbol.doc.as_deref().unwrap_or_default()));
    shown.collect()
}

/// Reports whether a type is wanted: after `->`, the name of a field of a shape, or in `list[`.
fn is_type_place(spot: &Spot<'_>, previous: Option<Token>) -> bool {
    if previous.is_some_and(|token| token.kind == TokenKind::Arrow) {
        return true;
    }
    let Some((index, open)) = spot.open_bracket() else { return false };
    let mut before = spot.back_from(index);
    match open.kind {
        TokenKind::OpenBracket => before.next().is_some_and(|token| spot.text(token) == "list"),
        TokenKind::OpenBrace => {
            let is_shape = before.next().is_some_and(|token| token.kind == TokenKind::Arrow);
            is_shape && previous.is_some_and(|token| token.kind == TokenKind::Word)
        }
        _ => false,
    }
}

/// Returns the options of `generate({ … })` that are not there yet, where one can begin.
fn options(view: View<'_>, spot: &Spot<'_>) -> Option<Vec<Value>> {
    let (index, brace) = spot.open_bracket()?;
    let mut before = spot.back_from(index);
    let is_call = brace.kind == TokenKind::OpenBrace
        && before.next().is_some_and(|token| token.kind == TokenKind::OpenParen)
        && before.next().is_some_and(|token| spot.text(token) == "generate");
    let previous = spot.previous()?;
    let begins = matches!(previous.kind, TokenKind::OpenBrace | TokenKind::Comma)
        || view.source().position(previous.span.end).line
            < view.source().position(spot.offset).line;
    if !is_call || !begins {
        return None;
    }
    let given: Vec<&str> = spot
        .after(index)
        .windows(2)
        .filter_map(|pair| match pair {
            [name, colon] if colon.kind == TokenKind::Colon => Some(spot.text(*name)),
            _ => None,
        })
        .collect();
    let left = analysis::options().filter(|(name, _)| !given.contains(name));
    let options = left.map(|(name, takes)| {
        let mut option = item(name, PROPERTY, takes, "");
        if let Some(option) = option.as_object_mut() {
            option.insert("insertText".to_owned(), format!("{name}: ").into());
        }
        option
    });
    Some(options.collect())
}

fn models(view: View<'_>) -> Vec<Value> {
    let imports = view.file.imports().filter(|import| import.kind == ImportKind::Llm);
    imports.map(|import| item(&import.name.text, MODULE, &import.from.value, "")).collect()
}

/// Returns the names that can be read at a place.
fn names(view: View<'_>, offset: u32) -> Vec<Value> {
    let mut known: Vec<&str> = Vec::new();
    let mut found = Vec::new();
    let imported =
        view.symbols().in_file(0).iter().filter_map(|place| view.symbols().get(place.symbol));
    let imported = imported.filter(|symbol| is_imported(symbol));
    for symbol in view.symbols().visible(0, offset).into_iter().chain(imported) {
        let is_value = symbol.kind != SymbolKind::Shape;
        // That of statements at the top level is not written, but can be read (TY-7).
        let is_parameter = symbol.kind == SymbolKind::Parameter;
        if !is_value
            || !(symbol.is_named || is_parameter)
            || symbol.name.is_empty()
            || known.contains(&symbol.name.as_str())
        {
            continue;
        }
        known.push(&symbol.name);
        let kind = match symbol.kind {
            SymbolKind::Agent | SymbolKind::Import(ImportKind::Agent) => CLASS,
            SymbolKind::Function => FUNCTION,
            SymbolKind::Shape | SymbolKind::Import(ImportKind::Shape) => TYPE,
            SymbolKind::Parameter | SymbolKind::Variable => VARIABLE,
            SymbolKind::Import(_) => MODULE,
        };
        let shape = symbol.shape.as_ref().map(written);
        let tokens = import_of(view, symbol).and_then(|import| tokens_of(view, import));
        let detail = shape.or(tokens).unwrap_or_default();
        found.push(item(&symbol.name, kind, &detail, symbol.doc.as_deref().unwrap_or_default()));
    }
    found
}
