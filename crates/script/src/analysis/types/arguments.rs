//! Values against declared shapes: arguments and results that are certain not to fit.

use super::fields::Look;
use super::flow::FunctionTypes;
use super::{Kind, Type};
use crate::analysis::calls::listed;
use crate::syntax::ast::{Expr, ExprKind, FieldNode, ShapeKind, ShapeNode, Text};
use crate::syntax::walk::strip;
use contexture_diagnostic::{Span, suggestion};

/// The greatest depth to which two shapes are compared.
const MAX_DEPTH: usize = 8;

/// Why a value does not fit.
pub(super) struct Misfit {
    pub(super) span: Span,
    pub(super) message: String,
    pub(super) help: String,
}

impl<'p> FunctionTypes<'p, '_> {
    /// Returns why a value is certain not to fit a shape. What is written is looked through; of
    /// everything else the type counts.
    pub(super) fn misfit(
        &mut self,
        value: &'p Expr,
        of: &Type<'p>,
        file: usize,
        shape: &'p ShapeNode,
    ) -> Option<Misfit> {
        let (home, node) = self.types.resolved(file, shape)?;
        match (&strip(value).kind, &node.kind) {
            (ExprKind::Object(given), ShapeKind::Object(fields)) => {
                self.object_misfit(value.span, given, home, fields)
            }
            (ExprKind::List(items), ShapeKind::List(Some(item))) => {
                items.iter().find_map(|one| self.part_misfit(one, home, item))
            }
            (ExprKind::Str(word), ShapeKind::Enum(words)) => word_misfit(value.span, word, words),
            (ExprKind::Float(number), ShapeKind::Integer) if number.fract() != 0.0 => {
                Some(Misfit {
                    span: value.span,
                    message: format!("expected an integer, found {number}"),
                    help: "give a whole number".to_owned(),
                })
            }
            _ => {
                let message = self.type_misfit(of, home, node, 0)?;
                let help = format!("it is declared as `{}`", self.types.written(file, shape));
                Some(Misfit { span: value.span, message, help })
            }
        }
    }

    /// Judges a part of a value, whose own faults are reported where it is evaluated.
    fn part_misfit(
        &mut self,
        value: &'p Expr,
        file: usize,
        shape: &'p ShapeNode,
    ) -> Option<Misfit> {
        let of = self.quietly(value);
        self.misfit(value, &of, file, shape)
    }

    fn object_misfit(
        &mut self,
        span: Span,
        given: &'p [(Text, Expr)],
        file: usize,
        fields: &'p [FieldNode],
    ) -> Option<Misfit> {
        for field in fields {
            let name = field.name.text.as_str();
            let Some((_, value)) = given.iter().rev().find(|(key, _)| key.value == name) else {
                if field.optional {
                    continue;
                }
                return Some(self.missing(span, given, file, field, fields));
            };
            if field.optional && matches!(strip(value).kind, ExprKind::None) {
                continue;
            }
            let found = match &field.shape {
                Some(shape) => self.part_misfit(value, file, shape),
                None => self.text_misfit(value),
            };
            if let Some(found) = found {
                let message = format!("`{name}`: {}", found.message);
                return Some(Misfit { message, ..found });
            }
        }
        None
    }

    fn missing(
        &self,
        span: Span,
        given: &[(Text, Expr)],
        file: usize,
        field: &FieldNode,
        fields: &[FieldNode],
    ) -> Misfit {
        let name = field.name.text.as_str();
        let declared = |key: &str| fields.iter().any(|field| field.name.text == key);
        let others = given.iter().map(|(key, _)| key).filter(|key| !declared(&key.value));
        let near = others
            .clone()
            .find(|key| suggestion(&key.value, [name]).is_some())
            .map(|key| (key.span, format!("did you mean `{name}`?")));
        let (span, help) = near.unwrap_or_else(|| {
            let kind = field
                .shape
                .as_ref()
                .map_or_else(|| "string".to_owned(), |shape| self.types.written(file, shape));
            (span, format!("add `{name}: …`, {kind}"))
        });
        Misfit { span, message: format!("the field `{name}` is missing"), help }
    }

    /// Judges a value for a field that is declared by its name alone: a string.
    fn text_misfit(&mut self, value: &'p Expr) -> Option<Misfit> {
        let of = self.quietly(value);
        let kind = self.types.kind(&of).filter(|kind| *kind != Kind::Text)?;
        let message = format!("expected a string, found {}", kind.noun());
        Some(Misfit { span: value.span, message, help: "give a string".to_owned() })
    }

    /// Returns why no value of a type fits a shape.
    fn type_misfit(
        &self,
        of: &Type<'p>,
        file: usize,
        node: &'p ShapeNode,
        depth: usize,
    ) -> Option<String> {
        let (file, node) = self.types.resolved(file, node)?;
        if let Type::Shaped(_, own) = of
            && std::ptr::eq(*own, node)
        {
            return None;
        }
        let wanted = match &node.kind {
            ShapeKind::String | ShapeKind::Enum(_) => Kind::Text,
            ShapeKind::Number | ShapeKind::Integer => Kind::Number,
            ShapeKind::Boolean => Kind::Boolean,
            ShapeKind::List(_) => Kind::List,
            ShapeKind::Object(_) => Kind::Object,
            ShapeKind::Json | ShapeKind::Named(_) | ShapeKind::Error => return None,
        };
        let found = self.types.kind(of)?;
        if found != wanted {
            let expected = match &node.kind {
                ShapeKind::Integer => "an integer",
                _ => wanted.noun(),
            };
            return Some(format!("expected {expected}, found {}", self.types.told(of)));
        }
        let ShapeKind::Object(fields) = &node.kind else { return None };
        if depth >= MAX_DEPTH {
            return None;
        }
        fields.iter().filter(|field| !field.optional).find_map(|field| {
            let name = &field.name.text;
            match self.types.look(of, name) {
                Look::Missing(_) => {
                    let known = self.types.names(of);
                    Some(format!(
                        "{} has no field `{name}`, but {}",
                        self.types.told(of),
                        listed(&known)
                    ))
                }
                Look::There(part) => {
                    let shape = field.shape.as_ref()?;
                    let misfit = self.type_misfit(&part, file, shape, depth + 1)?;
                    Some(format!("`{name}`: {misfit}"))
                }
                Look::Optional(_) | Look::Unknown => None,
            }
        })
    }
}

fn word_misfit(span: Span, word: &str, words: &[Text]) -> Option<Misfit> {
    let names = || words.iter().map(|word| word.value.as_str());
    if names().any(|known| known == word) {
        return None;
    }
    let all: Vec<String> = names().take(12).map(|word| format!("{word:?}")).collect();
    let help =
        suggestion(word, names()).unwrap_or_else(|| format!("it is one of {}", all.join(", ")));
    let message = format!("{word:?} is not one of the declared words");
    Some(Misfit { span, message, help })
}
