//! The names of a document as a tree, and those of a workspace.

use crate::protocol;
use crate::state::{State, View};
use contexture_diagnostic::{SourceFile, Span};
use contexture_script::semantic::symbols::{Symbol, SymbolKind};
use contexture_script::syntax::ast::ImportKind;
use serde_json::{Value, json};

/// The greatest number of names that a search answers.
const MOST: usize = 1_000;

/// Returns the declarations of a document, functions within their agents.
pub(crate) fn of_document(view: View<'_>) -> Vec<Value> {
    let symbols = view.symbols();
    let shown = |symbol: &&Symbol| symbol.file == 0 && is_declaration(symbol);
    let mut tree: Vec<Value> = Vec::new();
    let mut agents: Vec<(usize, usize)> = Vec::new();
    for (number, symbol) in symbols.all().iter().enumerate() {
        if !shown(&symbol) {
            continue;
        }
        let node = node(view.source(), symbol);
        let parent = agents.iter().find(|(agent, _)| Some(*agent) == symbol.container);
        let parent = parent.and_then(|(_, at)| tree.get_mut(*at));
        let children = parent.and_then(|parent| parent.get_mut("children")?.as_array_mut());
        match children {
            Some(children) => children.push(node),
            None => {
                agents.push((number, tree.len()));
                tree.push(node);
            }
        }
    }
    tree
}

const fn is_declaration(symbol: &Symbol) -> bool {
    !matches!(symbol.kind, SymbolKind::Variable | SymbolKind::Parameter)
}

fn node(source: &SourceFile, symbol: &Symbol) -> Value {
    let whole = symbol.whole.to(symbol.span);
    json!({
        "name": shown_name(symbol),
        "kind": kind(symbol.kind),
        "detail": head(source, symbol.head, 80),
        "range": protocol::range(source, whole),
        "selectionRange": protocol::range(source, symbol.span),
        "children": [],
    })
}

fn shown_name(symbol: &Symbol) -> &str {
    if symbol.name.is_empty() { "?" } else { &symbol.name }
}

/// Returns a declaration in one line of at most so many characters.
pub(crate) fn head(source: &SourceFile, span: Span, most: usize) -> String {
    let words: Vec<&str> = source.slice(span).split_whitespace().collect();
    let line = words.join(" ");
    match line.char_indices().nth(most) {
        Some((at, _)) => format!("{}…", line.get(..at).unwrap_or_default()),
        None => line,
    }
}

/// Returns the number of a kind of name in the protocol.
pub(crate) const fn kind(kind: SymbolKind) -> u8 {
    match kind {
        SymbolKind::Agent | SymbolKind::Import(ImportKind::Agent) => 5,
        SymbolKind::Function => 12,
        SymbolKind::Shape => 23,
        SymbolKind::Parameter | SymbolKind::Variable => 13,
        SymbolKind::Import(ImportKind::File | ImportKind::Resource | ImportKind::Template) => 1,
        SymbolKind::Import(_) => 2,
    }
}

/// Returns the declarations of all workspaces whose name contains a text.
pub(crate) fn of_workspace(state: &mut State<'_>, query: &str) -> Value {
    let query = query.to_lowercase();
    let mut found = Vec::new();
    for workspace in 0..state.workspaces() {
        let Some(whole) = state.whole_of(workspace) else { continue };
        let symbols = whole.analysed.symbols().all().iter();
        let fits = |symbol: &&Symbol| {
            is_declaration(symbol) && symbol.name.to_lowercase().contains(&query)
        };
        for symbol in symbols.filter(fits).take(MOST) {
            let file = whole.analysed.program.files.get(symbol.file);
            let Some((uri, file)) = whole.uri(symbol.file).zip(file) else { continue };
            let range = protocol::range(&file.source, symbol.span);
            found.push(json!({
                "name": shown_name(symbol),
                "kind": kind(symbol.kind),
                "location": { "uri": uri, "range": range },
                "containerName": file.source.name(),
            }));
        }
    }
    found.truncate(MOST);
    found.into()
}
