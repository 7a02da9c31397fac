//! The types of functions' values as shapes, for who calls them from outside (TY-12).

use super::{Type, Types};
use crate::syntax::NamedShapes;
use crate::syntax::ast::Func;
use contexture_answer::{Field, Shape};

impl<'p> Types<'p, '_> {
    /// Returns the shape of a function's value as its body gives it, if that is certain. Where the
    /// program changes fields or lists, only plain values are.
    pub(in crate::analysis) fn found_result(
        &self,
        func: &Func,
        shapes: &mut NamedShapes<'_, 'p>,
    ) -> Option<Shape> {
        if self.broken {
            return None;
        }
        let mut functions = self.declarations.functions.iter();
        let number = functions.position(|decl| std::ptr::eq(decl.func, func))?;
        let facts = &self.facts;
        let changes = facts.has_computed_fields || facts.has_added_items;
        let is_firm = !changes && facts.assigned.is_empty();
        self.outside(&self.result_of(number), is_firm, shapes)
    }

    fn outside(
        &self,
        of: &Type<'p>,
        is_firm: bool,
        shapes: &mut NamedShapes<'_, 'p>,
    ) -> Option<Shape> {
        Some(match of {
            Type::Boolean => Shape::Boolean,
            Type::Integer => Shape::Integer,
            Type::Number => Shape::Number,
            Type::Text => Shape::String,
            Type::Word(word) => Shape::one_of([*word]),
            Type::List(Some(item)) if is_firm => match self.outside(item, is_firm, shapes) {
                Some(item) => Shape::list(item),
                None => Shape::List(None),
            },
            Type::List(_) => Shape::List(None),
            Type::Object(fields) if is_firm => {
                let field = |(name, of): &(&str, Type<'p>)| {
                    let shape = self.outside(of, is_firm, shapes).unwrap_or(Shape::Json);
                    Field::new(*name, shape)
                };
                Shape::Object(fields.iter().map(field).collect())
            }
            Type::Shaped(file, node) if is_firm => shapes.shape(*file, node),
            Type::Never | Type::Unknown | Type::None | Type::Object(_) | Type::Shaped(..) => {
                return None;
            }
        })
    }
}
