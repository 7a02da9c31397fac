//! Types as a program would declare them, for an editor (TY-10).

use super::flow::FunctionTypes;
use super::{Type, Types};
use crate::analysis::declarations::{Declarations, FuncDecl};
use crate::program::Program;
use crate::semantic::written::{clipped, written};
use crate::stack::deeper;
use crate::syntax::ast::{Expr, Func};
use contexture_diagnostic::Span;

/// The type of a variable or parameter in a function, as far as it is certain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VariableType {
    /// The function.
    pub function: Span,
    /// The name.
    pub name: String,
    /// Its type as a program declares it: `list[{ id integer }]`.
    pub of: String,
}

/// Returns the types of the variables of a file, by function and name (TY-2).
#[must_use]
pub fn variable_types(program: &Program, file: usize) -> Vec<VariableType> {
    let declarations = Declarations::collect(program);
    let types = Types::new(program, &declarations);
    let own = declarations.functions.iter().filter(|decl| decl.file == file);
    own.flat_map(|decl| of_function(&types, decl)).collect()
}

fn of_function<'p, 'a>(types: &'a Types<'p, 'a>, decl: &FuncDecl<'p>) -> Vec<VariableType> {
    let function = decl.func.span;
    let known = FunctionTypes::new(types, decl).variables();
    let mut shown: Vec<VariableType> = known
        .iter()
        .filter_map(|(name, of)| {
            Some(VariableType { function, name: (*name).to_owned(), of: declared(of)? })
        })
        .collect();
    shown.sort_by(|one, other| one.name.cmp(&other.name));
    shown
}

/// Returns the type of an expression in a function of a file, as far as it is certain (TY-2).
#[must_use]
pub fn type_of(program: &Program, file: usize, expr: &Expr) -> Option<String> {
    let declarations = Declarations::collect(program);
    let types = Types::new(program, &declarations);
    let holds = |func: &Func| func.span.start <= expr.span.start && expr.span.end <= func.span.end;
    let decl = declarations.functions.iter().find(|decl| decl.file == file && holds(decl.func))?;
    declared(&FunctionTypes::new(&types, decl).of(expr))
}

/// Writes a type in the form of a declaration; none when it is not certain.
fn declared(of: &Type<'_>) -> Option<String> {
    Some(match of {
        Type::Never | Type::Unknown => return None,
        Type::None => "none".to_owned(),
        Type::Boolean => "boolean".to_owned(),
        Type::Integer => "integer".to_owned(),
        Type::Number => "number".to_owned(),
        Type::Text | Type::Word(_) => "string".to_owned(),
        Type::List(None) => "list".to_owned(),
        Type::List(Some(item)) => match deeper(|| declared(item)) {
            Some(item) => clipped(format!("list[{item}]")),
            None => "list".to_owned(),
        },
        Type::Object(fields) if fields.is_empty() => "{}".to_owned(),
        Type::Object(fields) => {
            let fields = fields.iter().map(|(name, of)| {
                let of = deeper(|| declared(of)).unwrap_or_else(|| "json".to_owned());
                format!("{name} {of}")
            });
            clipped(format!("{{ {} }}", fields.collect::<Vec<_>>().join(", ")))
        }
        Type::Shaped(_, shape) => written(shape),
    })
}
