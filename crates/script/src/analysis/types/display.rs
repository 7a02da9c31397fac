//! Types as a person reads them.

use super::{Type, Types};
use crate::syntax::ast::{ShapeKind, ShapeNode};

/// The greatest number of characters of a type in a message.
const MOST: usize = 60;

impl<'p> Types<'p, '_> {
    /// Returns a type with its article, for a message: `a string`, `an Issue`.
    pub(super) fn told(&self, of: &Type<'p>) -> String {
        match of {
            Type::Word(word) => format!("{word:?}"),
            Type::Integer => "an integer".to_owned(),
            Type::Shaped(file, node) => match &node.kind {
                ShapeKind::Named(name) => format!("`{}`", name.text),
                ShapeKind::Enum(_) => format!("`{}`", self.written(*file, node)),
                _ => match self.kind(of) {
                    Some(kind) => kind.noun().to_owned(),
                    None => "a value".to_owned(),
                },
            },
            _ => self.kind(of).map_or("a value", super::Kind::noun).to_owned(),
        }
    }

    /// Returns a shape as it is written, in one line.
    pub(super) fn written(&self, file: usize, node: &ShapeNode) -> String {
        let source = self.program.files.get(file).map(|file| file.source.slice(node.span));
        let words: Vec<&str> = source.unwrap_or_default().split_whitespace().collect();
        let text = words.join(" ");
        match text.char_indices().nth(MOST) {
            Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
            None => text,
        }
    }
}
