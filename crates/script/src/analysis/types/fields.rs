//! Fields of values.

use super::flow::FunctionTypes;
use super::{Kind, Type, Types};
use crate::analysis::calls::listed;
use crate::codes;
use crate::library;
use crate::syntax::ast::{Expr, FieldNode, ShapeKind, ShapeNode};
use contexture_diagnostic::{Diagnostic, Span, nearest};

/// What is known of a field.
pub(super) enum Look<'p> {
    /// It is there, with this type.
    There(Type<'p>),
    /// It may be missing, and reads as none then.
    Optional(Type<'p>),
    /// It is certainly not there.
    Missing(Kind),
    Unknown,
}

impl<'p> Types<'p, '_> {
    /// Looks for a field of a value.
    pub(super) fn look(&self, base: &Type<'p>, name: &str) -> Look<'p> {
        let Some(kind) = self.kind(base) else { return Look::Unknown };
        let declared = match base {
            Type::Object(fields) => {
                let found = fields.iter().find(|(own, _)| *own == name);
                found.map(|(_, of)| Look::There(of.clone()))
            }
            Type::Shaped(file, node) => self.field_of(*file, node, name),
            _ => None,
        };
        let is_changed = self.facts.assigned.contains(name);
        match declared {
            Some(_) if is_changed => return Look::Unknown,
            Some(found) => return found,
            None => {}
        }
        if let Some(found) = property(kind, name) {
            return Look::There(found);
        }
        let may_grow = match base {
            Type::Object(_) => self.facts.has_computed_fields,
            _ => self.facts.fields_grow,
        };
        let is_asked = self.facts.asked.contains(name);
        let is_open = kind == Kind::Object && (is_changed || is_asked || may_grow);
        if is_open || kind == Kind::None { Look::Unknown } else { Look::Missing(kind) }
    }

    fn field_of(&self, file: usize, node: &'p ShapeNode, name: &str) -> Option<Look<'p>> {
        let (file, node) = self.resolved(file, node)?;
        let ShapeKind::Object(fields) = &node.kind else { return None };
        let field = fields.iter().find(|field| field.name.text == name)?;
        let of = self.of_field(file, field);
        Some(if field.optional { Look::Optional(of) } else { Look::There(of) })
    }

    /// Returns the type of a declared field; without one it is a string.
    pub(super) fn of_field(&self, file: usize, field: &'p FieldNode) -> Type<'p> {
        field.shape.as_ref().map_or(Type::Text, |shape| self.shaped(file, shape))
    }

    /// Returns the names of a type's declared fields.
    pub(super) fn names(&self, of: &Type<'p>) -> Vec<&'p str> {
        match of {
            Type::Object(fields) => fields.iter().map(|(name, _)| *name).collect(),
            Type::Shaped(file, node) => match self.resolved(*file, node).map(|found| &found.1.kind)
            {
                Some(ShapeKind::Object(fields)) => {
                    fields.iter().map(|field| field.name.text.as_str()).collect()
                }
                _ => Vec::new(),
            },
            _ => Vec::new(),
        }
    }
}

fn property<'p>(kind: Kind, name: &str) -> Option<Type<'p>> {
    let has = matches!(kind, Kind::Text | Kind::List | Kind::Object);
    match name {
        "length" if has => Some(Type::Integer),
        "summary" if matches!(kind, Kind::List | Kind::Object) => Some(Type::Unknown),
        _ => None,
    }
}

impl<'p> FunctionTypes<'p, '_> {
    /// Returns the type of `base.name`, and reports a field that is not there.
    pub(super) fn field(&mut self, base: &'p Expr, name: &'p str, span: Span) -> Type<'p> {
        let of = self.expr(base);
        self.used(base, &of);
        match self.types.look(&of, name) {
            Look::There(found) => found,
            Look::Optional(found) => {
                if let Some(path) = super::flow::path(base) {
                    self.optional.insert(format!("{path}.{name}"));
                }
                found
            }
            Look::Missing(kind) => {
                let fault = self.missing_field(&of, kind, name, span);
                self.report(fault);
                Type::Unknown
            }
            Look::Unknown => Type::Unknown,
        }
    }

    fn missing_field(&self, of: &Type<'p>, kind: Kind, name: &str, span: Span) -> Diagnostic {
        let place = Span::new(span.end - u32::try_from(name.len()).unwrap_or(0), span.end);
        let told = self.types.told(of);
        let message = format!("{told} has no field `{name}`");
        let known = self.types.names(of);
        let near = nearest(name, known.iter().copied());
        let is_method = !library::methods_named(name).is_empty();
        let help = match (near, kind) {
            (Some(near), _) => format!("did you mean `{near}`?"),
            (None, Kind::Object) if known.is_empty() => "it has no fields".to_owned(),
            (None, Kind::Object) => format!("it has {}", listed(&known)),
            (None, _) if is_method => format!("it is a method: `.{name}(…)`"),
            (None, Kind::List) => "an item has fields: `list[0].name`".to_owned(),
            (None, _) => "only objects have fields".to_owned(),
        };
        let fault = codes::MISSING_FIELD.at(place, message).with_help(help);
        let fault = match near {
            Some(near) => fault.with_edit(place, near),
            None => fault,
        };
        match self.declared_here(of) {
            Some(span) => fault.with_label(span, "its shape is declared here"),
            None => fault,
        }
    }

    /// Returns where the shape of a type stands, if that is in this file.
    pub(super) fn declared_here(&self, of: &Type<'p>) -> Option<Span> {
        let Type::Shaped(file, node) = of else { return None };
        let (file, node) = self.types.resolved(*file, node)?;
        (file == self.file).then_some(node.span)
    }
}
