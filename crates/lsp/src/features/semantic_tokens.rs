//! The colours of words: what each one means at its place.

use crate::features::words;
use crate::protocol::At;
use crate::state::View;
use contexture_diagnostic::Span;
use contexture_script::semantic::symbols::{Access, Reference, SymbolKind};
use contexture_script::syntax::ast::ImportKind;
use contexture_script::syntax::token::{Token, TokenKind};
use serde_json::{Value, json};

pub(crate) const TYPES: [&str; 11] = [
    "keyword",
    "class",
    "function",
    "parameter",
    "variable",
    "namespace",
    "property",
    "method",
    "type",
    "number",
    "string",
];

pub(crate) const MODIFIERS: [&str; 2] = ["declaration", "modification"];

/// Returns the colours of a document, or of the lines of a range.
pub(crate) fn tokens(view: View<'_>, at: &At) -> Value {
    let source = view.source();
    let within = at.range.map_or(Span::new(0, u32::MAX), |range| range.span(source));
    let mut data: Vec<u32> = Vec::new();
    let (mut line, mut start) = (0, 0);
    let all = view.file.parsed.tokens.as_slice();
    let first = all.partition_point(|token| token.span.end < within.start);
    for (index, token) in all.iter().enumerate().skip(first) {
        if token.span.start > within.end {
            break;
        }
        let Some((kind, modifiers)) = colour(view, all, index, *token) else { continue };
        let (at, column) = source.utf16_position(token.span.start);
        let (last, end) = source.utf16_position(token.span.end);
        if at != last || end <= column {
            continue;
        }
        let shift = if at == line { column - start } else { column };
        data.extend([at - line, shift, end - column, kind, modifiers]);
        (line, start) = (at, column);
    }
    json!({ "data": data })
}

fn number(name: &str) -> Option<u32> {
    TYPES.iter().position(|own| *own == name).and_then(|at| u32::try_from(at).ok())
}

fn colour(view: View<'_>, all: &[Token], index: usize, token: Token) -> Option<(u32, u32)> {
    match token.kind {
        TokenKind::Number => Some((number("number")?, 0)),
        TokenKind::Label => Some((number("string")?, 0)),
        TokenKind::Word => of_word(view, all, index, token),
        _ => None,
    }
}

fn of_word(view: View<'_>, all: &[Token], index: usize, token: Token) -> Option<(u32, u32)> {
    let symbols = view.symbols();
    let own = |place: &&Reference| place.span == token.span;
    if let Some(place) = symbols.at(0, token.span.start).filter(own)
        && let Some(symbol) = symbols.get(place.symbol)
        // The parameter of statements at the top level is read by its name (TY-7).
        && (symbol.is_named || symbol.kind == SymbolKind::Parameter)
    {
        let modifiers = match place.access {
            Access::Declare => 1,
            Access::Write => 2,
            Access::Read => 0,
        };
        return Some((number(of_symbol(symbol.kind))?, modifiers));
    }
    let before = index.checked_sub(1).and_then(|before| all.get(before)).map(|token| token.kind);
    let after = all.get(index + 1).map(|token| token.kind);
    let word = view.source().slice(token.span);
    let name = match (before, after) {
        (Some(TokenKind::Dot), Some(TokenKind::OpenParen)) => "method",
        (Some(TokenKind::Dot), _) | (_, Some(TokenKind::Colon)) => "property",
        _ if words::is_keyword(word) => "keyword",
        _ if words::is_type(word) => "type",
        (_, Some(TokenKind::OpenParen)) => "function",
        _ => "property",
    };
    Some((number(name)?, 0))
}

const fn of_symbol(kind: SymbolKind) -> &'static str {
    match kind {
        SymbolKind::Agent | SymbolKind::Import(ImportKind::Agent) => "class",
        SymbolKind::Function | SymbolKind::Import(ImportKind::Func) => "function",
        SymbolKind::Shape | SymbolKind::Import(ImportKind::Shape) => "type",
        SymbolKind::Parameter => "parameter",
        SymbolKind::Variable => "variable",
        SymbolKind::Import(_) => "namespace",
    }
}
