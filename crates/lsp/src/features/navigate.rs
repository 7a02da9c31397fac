//! Where a name is declared, and where it stands.

use crate::protocol::{self, At};
use crate::state::{State, View};
use crate::unsaved::joined;
use contexture_diagnostic::Span;
use contexture_script::semantic::find::{Node, nodes_at};
use contexture_script::semantic::symbols::{Access, Symbol, SymbolKind};
use contexture_script::syntax::ast::{ExprKind, Import, ImportKind, Item, ShapeKind, ShapeNode};
use serde_json::{Value, json};
use url::Url;

/// Returns the declaration of the name at a place, or the file that an import names there.
pub(crate) fn definition(view: View<'_>, at: &At) -> Vec<Value> {
    let offset = view.offset(at.position);
    let found = of_name(view, offset).or_else(|| of_field(view, offset));
    found.or_else(|| of_path(view, offset)).into_iter().collect()
}

fn of_name(view: View<'_>, offset: u32) -> Option<Value> {
    let symbols = view.symbols();
    let symbol = symbols.get(symbols.at(0, offset)?.symbol)?;
    let meant = symbol.target.and_then(|target| symbols.get(target)).unwrap_or(symbol);
    location(view, meant.file, meant.span)
}

fn location(view: View<'_>, file: usize, span: Span) -> Option<Value> {
    let source = &view.program().files.get(file)?.source;
    Some(json!({ "uri": view.uri(file)?, "range": protocol::range(source, span) }))
}

/// Returns the field of a declared shape that is read at a place.
fn of_field(view: View<'_>, offset: u32) -> Option<Value> {
    let nodes = nodes_at(&view.file.parsed.file, offset);
    let (base, name) = nodes.iter().rev().find_map(|node| match node {
        Node::Expr(expr) => match &expr.kind {
            ExprKind::Field { base, name } if name.span.start <= offset => Some((base, name)),
            _ => None,
        },
        _ => None,
    })?;
    let symbols = view.symbols();
    let shape = symbols.shape(0, base)?;
    let ShapeKind::Object(fields) = &symbols.resolved(shape).kind else { return None };
    let field = fields.iter().find(|field| field.name.text == name.text)?;
    location(view, declared_in(view, shape), field.name.span)
}

/// Returns the number of the file that declares a named shape.
fn declared_in(view: View<'_>, shape: &ShapeNode) -> usize {
    let ShapeKind::Named(name) = &shape.kind else { return 0 };
    let is_meant = |symbol: &&Symbol| symbol.kind == SymbolKind::Shape && symbol.name == name.text;
    view.symbols().all().iter().find(is_meant).map_or(0, |symbol| symbol.file)
}

/// Returns the file that the text of an import names at a place.
fn of_path(view: View<'_>, offset: u32) -> Option<Value> {
    let import = import_at(view, offset)?;
    let start = json!({ "line": 0, "character": 0 });
    let range = json!({ "start": start, "end": start });
    if import.kind.is_declaration() {
        let links = &view.file.links;
        let (_, target) = links.iter().find(|(name, _)| *name == import.name.text)?;
        return Some(json!({ "uri": view.uri(*target)?, "range": range }));
    }
    let is_path = matches!(import.kind, ImportKind::File | ImportKind::Template);
    let path = is_path.then(|| joined(&view.document.name, &import.from.value))?;
    let uri = Url::from_file_path(view.files.root().join(path)).ok()?;
    Some(json!({ "uri": uri.as_str(), "range": range }))
}

/// Returns the import whose source stands at a place.
fn import_at(view: View<'_>, offset: u32) -> Option<&Import> {
    view.file.parsed.file.items.iter().find_map(|item| match item {
        Item::Import(import) => {
            let span = import.from.span;
            (span.start <= offset && offset <= span.end).then_some(import)
        }
        _ => None,
    })
}

/// Returns all places of a name in the programs of the workspace.
pub(crate) fn references(state: &mut State<'_>, at: &At) -> Vec<Value> {
    let with_declaration =
        at.context.as_ref().and_then(|context| context.include_declaration).unwrap_or(true);
    let Some(view) = state.at(at) else { return Vec::new() };
    let offset = view.offset(at.position);
    let name = view.document.name.clone();
    let Some(whole) = state.whole(&at.text_document.uri) else { return Vec::new() };
    let program = &whole.analysed.program;
    let Some(file) = program.files.iter().position(|file| file.source.name() == name) else {
        return Vec::new();
    };
    let symbols = whole.analysed.symbols();
    let Some(place) = symbols.at(file, offset) else { return Vec::new() };
    let places = symbols.places(place.symbol);
    let places = places.filter(|(_, place)| with_declaration || place.access != Access::Declare);
    let found = places.filter_map(|(file, place)| {
        let source = &program.files.get(file)?.source;
        Some(json!({ "uri": whole.uri(file)?, "range": protocol::range(source, place.span) }))
    });
    found.collect()
}

/// Returns the places of a name in its document.
pub(crate) fn highlights(view: View<'_>, at: &At) -> Vec<Value> {
    let symbols = view.symbols();
    let Some(place) = symbols.at(0, view.offset(at.position)) else { return Vec::new() };
    let own = symbols.in_file(0).iter().filter(|other| other.symbol == place.symbol);
    let shown = own.map(|other| {
        let kind = if other.access == Access::Read { 2 } else { 3 };
        json!({ "range": protocol::range(view.source(), other.span), "kind": kind })
    });
    shown.collect()
}

/// Returns the symbol that stands at an offset of the document.
pub(crate) fn symbol_at<'s>(view: View<'s>, offset: u32) -> Option<(&'s Symbol, Span)> {
    let symbols = view.symbols();
    let place = symbols.at(0, offset)?;
    Some((symbols.get(place.symbol)?, place.span))
}
