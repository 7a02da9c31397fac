//! Values in strings: `"Hello \(name)"` (TY-6).
//!
//! Decision: the form of Swift. `\(` was a fault before, so that no program changes its meaning, and
//! neither `{` nor `$`, which prompts and JSON are full of, needs an escape. An interpolation ends on
//! its line, so that an unclosed one takes no more than that.

use super::literal::{Decoded, block_lines, decode_line, offset};
use contexture_diagnostic::Span;

/// The most brackets and strings around a place in an interpolation; more is not one.
const MOST_NESTING: usize = 32;

/// A part of a string.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece {
    /// Text, decoded, with its place in the file.
    Text(Decoded, Span),
    /// An expression, by its place in the file, without the brackets.
    Code(Span),
}

/// Returns the offset behind the `)` that ends an interpolation whose expression begins at `from`.
pub(super) fn end(text: &str, from: usize) -> Option<usize> {
    let mut open = vec![')'];
    let mut signs = text.get(from..)?.char_indices();
    while let Some((at, sign)) = signs.next() {
        let quoted = open.last().copied().filter(|close| *close != ')');
        match (quoted, sign) {
            (_, '\n' | '\r') => return None,
            (Some(_), '\\') => {
                if let Some((_, '(')) = signs.next() {
                    open.push(')');
                }
            }
            (None, '(') => open.push(')'),
            (None, '"' | '\'') => open.push(sign),
            (close, sign) if close.unwrap_or(')') == sign => {
                open.pop();
            }
            _ => {}
        }
        if open.is_empty() {
            return Some(from + at + sign.len_utf8());
        }
        if open.len() > MOST_NESTING {
            return None;
        }
    }
    None
}

/// Returns the pieces of the text between the quotes of a string, which starts at `start` in the
/// file; nothing if no value is put into it.
pub(super) fn pieces(inner: &str, start: u32, is_block: bool) -> Vec<Piece> {
    if !inner.contains("\\(") {
        return Vec::new();
    }
    let lines = if is_block { block_lines(inner, start) } else { vec![(inner, start)] };
    let mut pieces = Vec::new();
    for (index, (line, at)) in lines.into_iter().enumerate() {
        if index > 0 {
            let value = "\n".to_owned();
            add(&mut pieces, Decoded { value, ..Decoded::default() }, Span::at(at));
        }
        of_line(&mut pieces, line, at);
    }
    let has_code = pieces.iter().any(|piece| matches!(piece, Piece::Code(_)));
    if has_code { pieces } else { Vec::new() }
}

fn of_line(pieces: &mut Vec<Piece>, line: &str, start: u32) {
    let place = |at: usize| start.saturating_add(offset(at));
    let mut done = 0;
    let mut from = 0;
    while let Some(at) = line.get(from..).and_then(|rest| rest.find('\\')).map(|at| from + at) {
        let code = at + 2;
        let is_code = line.get(at..).is_some_and(|rest| rest.starts_with("\\("));
        match end(line, code).filter(|_| is_code) {
            Some(behind) => {
                let text = line.get(done..at).unwrap_or_default();
                add(pieces, decode_line(text, place(done)), Span::new(place(done), place(at)));
                pieces.push(Piece::Code(Span::new(place(code), place(behind - 1))));
                (done, from) = (behind, behind);
            }
            None => {
                let escaped = line.get(at + 1..).and_then(|rest| rest.chars().next());
                from = at + 1 + escaped.map_or(0, char::len_utf8);
            }
        }
    }
    let text = line.get(done..).unwrap_or_default();
    add(pieces, decode_line(text, place(done)), Span::new(place(done), place(line.len())));
}

/// Adds a text to the one before it, if there is one.
fn add(pieces: &mut Vec<Piece>, more: Decoded, span: Span) {
    if let Some(Piece::Text(before, place)) = pieces.last_mut() {
        before.value.push_str(&more.value);
        before.faults.extend(more.faults);
        *place = place.to(span);
        return;
    }
    pieces.push(Piece::Text(more, span));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(inner: &str, is_block: bool) -> Vec<String> {
        let shown = |piece: Piece| match piece {
            Piece::Text(text, _) => format!("{:?}", text.value),
            Piece::Code(span) => inner.get(span.range()).unwrap_or_default().to_owned(),
        };
        pieces(inner, 0, is_block).into_iter().map(shown).collect()
    }

    #[test]
    fn ty_6_string_is_parted_at_its_interpolations() {
        assert_eq!(shown(r"Hello \(name)!", false), ["\"Hello \"", "name", "\"!\""]);
        assert_eq!(
            shown(r#"\(f("a)", (1)))\\(x) \(y)"#, false),
            [r#""""#, r#"f("a)", (1))"#, r#""\\(x) ""#, "y", r#""""#]
        );
        assert_eq!(shown(r#"\("a \(b) )")"#, false), [r#""""#, r#""a \(b) )""#, r#""""#]);
        assert_eq!(shown("\n    a \\(b)\n      c\n    ", true), ["\"a \"", "b", "\"\\n  c\""]);
        assert_eq!(shown(r"no code, \\(only this)", false), Vec::<String>::new());
    }

    #[test]
    fn ty_6_interpolation_without_end_on_its_line_is_none() {
        for text in ["a", "(a)", "a\n)", "\"a)", &"(".repeat(100_000)] {
            assert_eq!(end(text, 0), None);
        }
        assert_eq!(end("a) b", 0), Some(2));
        assert_eq!(end("', é)", 0), None);
        assert_eq!(end("'é')", 0), Some(5));
    }
}
