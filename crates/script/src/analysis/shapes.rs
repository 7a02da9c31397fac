//! Shapes: names that are declared, bounds that can hold, and shapes that end (TY-1).

use super::Checker;
use super::declarations::MAX_CANDIDATES;
use crate::codes;
use crate::syntax::ast::{BoundKind, BoundNode, ShapeDecl, ShapeKind, ShapeNode};
use crate::syntax::unknown_type;
use crate::syntax::walk::{bounds_of_shape, shape_names};
use contexture_answer::{Shape, ShapeError};
use contexture_diagnostic::Span;

impl<'p> Checker<'p, '_> {
    /// Checks the declaration of a shape.
    pub(super) fn shape_declaration(&mut self, decl: &'p ShapeDecl) {
        self.shape_parts(&decl.shape);
        let message = match self.declarations.shapes.shape_of(self.file, &decl.shape) {
            Ok(shape) => match shape.check() {
                Err(ShapeError::Endless { .. }) => endless(&decl.name.text),
                Err(fault @ ShapeError::TooDeep { .. }) => fault.to_string(),
                _ => return,
            },
            Err(fault) => fault.to_string(),
        };
        self.push_split(decl.name.span, &message);
    }

    /// Checks a shape that is written where it is needed.
    pub(super) fn shape(&mut self, node: &'p ShapeNode) {
        self.shape_parts(node);
        let has_names = !shape_names(node).is_empty();
        match self.declarations.shapes.shape_of(self.file, node) {
            Err(fault) => self.push_split(node.span, &fault.to_string()),
            Ok(shape) if has_names => {
                if let Err(fault @ ShapeError::TooDeep { .. }) = shape.check() {
                    self.push_split(node.span, &fault.to_string());
                }
            }
            Ok(_) => {}
        }
    }

    /// Pushes a fault whose message has its help behind a semicolon.
    fn push_split(&mut self, span: Span, message: &str) {
        let (message, help) =
            message.split_once("; ").unwrap_or((message, "use `json` for a part"));
        self.push(codes::ENDLESS_SHAPE.at(span, message).with_help(help));
    }

    /// Reports whether the file breaks off in a word: what is open there is told.
    fn is_cut_off(&self, word: Span) -> bool {
        let text = self.program.files.get(self.file).map_or("", |file| file.source.text());
        self.broken && word.end as usize == text.len()
    }

    fn shape_parts(&mut self, node: &'p ShapeNode) {
        for name in shape_names(node) {
            match self.declarations.shapes.find(self.file, &name.text) {
                Some(_) => {
                    self.global(&name.text);
                }
                None if self.is_cut_off(name.span) => {}
                None if self.is_missing_import(&name.text) => {
                    self.known.insert(&name.text);
                }
                None => {
                    let declared: Vec<&str> = self.declarations.shapes.names(self.file).collect();
                    let few = if declared.len() > MAX_CANDIDATES { &[][..] } else { &declared };
                    self.push(unknown_type(&name.text, name.span, few));
                }
            }
        }
        for (kind, bounds) in bounds_of_shape(node) {
            self.bounds(kind, bounds);
        }
    }

    /// Reports whether a name was imported as a shape that could not be found, which is reported.
    fn is_missing_import(&self, name: &str) -> bool {
        let file = self.program.files.get(self.file);
        file.is_some_and(|file| file.imports().any(|import| import.name.text == name))
    }

    fn bounds(&mut self, kind: &ShapeKind, nodes: &[BoundNode]) {
        let node = ShapeNode {
            kind: match kind {
                ShapeKind::List(_) => ShapeKind::List(None),
                _ => ShapeKind::String,
            },
            bounds: nodes.to_vec(),
            span: Span::at(0),
        };
        let shape = crate::syntax::shape_of(&node);
        let Err(ShapeError::Bounds(message)) = shape.check() else { return };
        let is_of_pattern =
            matches!(&shape, Shape::Bounded(bounds) if bounds.check_pattern().is_err());
        let is_at_fault =
            |node: &&BoundNode| matches!(node.kind, BoundKind::Pattern(_)) == is_of_pattern;
        let span = nodes.iter().find(is_at_fault).map(|node| node.span);
        let (message, help) =
            message.split_once("; ").unwrap_or((&message, "write a regular expression"));
        self.push(codes::BAD_BOUND.at(span.unwrap_or_default(), message).with_help(help));
    }
}

fn endless(name: &str) -> String {
    ShapeError::Endless { name: name.to_owned() }.to_string()
}
