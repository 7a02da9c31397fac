//! What can be folded: brackets, comments and rows of imports over several lines.

use crate::state::View;
use contexture_diagnostic::{SourceFile, Span};
use contexture_script::syntax::token::{Token, TokenKind};
use serde_json::{Value, json};

pub(crate) fn folds(view: View<'_>) -> Vec<Value> {
    let source = view.source();
    let tokens = view.file.parsed.tokens.as_slice();
    let mut folds = brackets(source, tokens);
    folds.extend(texts(source, tokens));
    folds.extend(comments(source, tokens));
    let imports: Vec<Span> = view.file.imports().map(|import| import.span).collect();
    if let (Some(first), Some(last)) = (imports.first(), imports.last()) {
        folds.extend(fold(line(source, first.start), line(source, last.end), Some("imports")));
    }
    folds
}

fn line(source: &SourceFile, offset: u32) -> u32 {
    source.utf16_position(offset).0
}

fn fold(start: u32, end: u32, kind: Option<&str>) -> Option<Value> {
    let mut fold = json!({ "startLine": start, "endLine": end });
    if let (Some(kind), Some(fold)) = (kind, fold.as_object_mut()) {
        fold.insert("kind".to_owned(), kind.into());
    }
    (start < end).then_some(fold)
}

/// The line of the closing bracket stays to be seen.
fn brackets(source: &SourceFile, tokens: &[Token]) -> Vec<Value> {
    let (mut open, mut folds) = (Vec::new(), Vec::new());
    for token in tokens {
        if token.kind.closer().is_some() {
            open.push(token.span.start);
        } else if token.kind.is_closer()
            && let Some(start) = open.pop()
        {
            let end = line(source, token.span.start).saturating_sub(1);
            folds.extend(fold(line(source, start), end, None));
        }
    }
    folds
}

fn texts<'t>(source: &'t SourceFile, tokens: &'t [Token]) -> impl Iterator<Item = Value> + 't {
    let texts = tokens.iter().filter(|token| token.kind == TokenKind::Block);
    texts.filter_map(|text| fold(line(source, text.span.start), line(source, text.span.end), None))
}

fn comments(source: &SourceFile, tokens: &[Token]) -> Vec<Value> {
    let mut folds = Vec::new();
    let mut row: Option<(u32, u32)> = None;
    for token in tokens {
        let at = line(source, token.span.start);
        row = match row {
            Some((first, last)) if token.is_comment() && at == last + 1 => Some((first, at)),
            _ => {
                folds.extend(row.and_then(|(first, last)| fold(first, last, Some("comment"))));
                (token.is_comment() && token.starts_line).then_some((at, at))
            }
        };
    }
    folds.extend(row.and_then(|(first, last)| fold(first, last, Some("comment"))));
    folds
}
