//! The names of a program: what each one means, and where it stands (TY-9).
//!
//! Decision: the tables own their data and refer to files by their number in the program, so that an
//! editor keeps them beside the program between two changes.

use crate::syntax::ast::{Expr, ExprKind, ImportKind, ShapeKind, ShapeNode};
use contexture_diagnostic::Span;

/// The kind of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SymbolKind {
    /// An agent.
    Agent,
    /// A function.
    Function,
    /// A shape (TY-1).
    Shape,
    /// A parameter of a function.
    Parameter,
    /// A variable.
    Variable,
    /// The binding of an import.
    Import(ImportKind),
}

/// A declared name.
#[derive(Debug, Clone, PartialEq)]
pub struct Symbol {
    /// The name; `main` for a main function or agent without one.
    pub name: String,
    /// Its kind.
    pub kind: SymbolKind,
    /// The number of its file.
    pub file: usize,
    /// The name in its declaration.
    pub span: Span,
    /// The whole declaration.
    pub whole: Span,
    /// The declaration without its body.
    pub head: Span,
    /// Where the name can be read.
    pub visible: Span,
    /// The agent or function that it belongs to.
    pub container: Option<usize>,
    /// The lines of `///` above it.
    pub doc: Option<String>,
    /// The declared shape of its values, if it is known; of a function's result; of what a shape
    /// stands for.
    pub shape: Option<ShapeNode>,
    /// The imported agent that it stands for under a name of its own.
    pub target: Option<usize>,
    /// False for a main function or agent without a name, and for a parameter that is not written
    /// (TY-7).
    pub is_named: bool,
}

/// A place where a name stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reference {
    /// The name.
    pub span: Span,
    /// The number of the symbol.
    pub symbol: usize,
    /// What happens to it there.
    pub access: Access,
}

/// What happens to a name at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// It is declared.
    Declare,
    /// It is assigned.
    Write,
    /// It is read, called or imported.
    Read,
}

/// The names of a program.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Symbols {
    pub(crate) symbols: Vec<Symbol>,
    /// The places of names for each file, in order.
    pub(crate) references: Vec<Vec<Reference>>,
}

impl Symbols {
    /// Returns all declared names.
    #[must_use]
    pub fn all(&self) -> &[Symbol] {
        &self.symbols
    }

    /// Returns a declared name by its number.
    #[must_use]
    pub fn get(&self, symbol: usize) -> Option<&Symbol> {
        self.symbols.get(symbol)
    }

    /// Returns the places of names in a file, in order.
    #[must_use]
    pub fn in_file(&self, file: usize) -> &[Reference] {
        self.references.get(file).map_or(&[], Vec::as_slice)
    }

    /// Returns the name that stands at an offset of a file, or ends there.
    #[must_use]
    pub fn at(&self, file: usize, offset: u32) -> Option<&Reference> {
        let places = self.in_file(file);
        let after = places.partition_point(|place| place.span.start <= offset);
        let found = after.checked_sub(1).and_then(|index| places.get(index));
        found.filter(|place| offset <= place.span.end)
    }

    /// Returns all places of a name with their files.
    pub fn places(&self, symbol: usize) -> impl Iterator<Item = (usize, &Reference)> {
        let all = self.references.iter().enumerate();
        let all = all.flat_map(|(file, places)| places.iter().map(move |place| (file, place)));
        all.filter(move |(_, place)| place.symbol == symbol)
    }

    /// Returns the names that can be read at an offset of a file, inner ones first.
    #[must_use]
    pub fn visible(&self, file: usize, offset: u32) -> Vec<&Symbol> {
        let is_visible = |symbol: &&Symbol| {
            symbol.file == file && symbol.visible.start <= offset && offset <= symbol.visible.end
        };
        let mut found: Vec<&Symbol> = self.symbols.iter().filter(is_visible).collect();
        found.sort_by_key(|symbol| symbol.visible.end - symbol.visible.start);
        found
    }

    /// Returns the shape of an expression's values, as far as it is declared.
    #[must_use]
    pub fn shape<'s>(&'s self, file: usize, expr: &'s Expr) -> Option<&'s ShapeNode> {
        let symbol = |_: &str, span: Span| self.at(file, span.start).map(|place| place.symbol);
        shape_of(&self.symbols, expr, &symbol)
    }

    /// Returns what a shape stands for, if it is a name.
    #[must_use]
    pub fn resolved<'s>(&'s self, shape: &'s ShapeNode) -> &'s ShapeNode {
        resolved(&self.symbols, shape)
    }

    /// Returns the shape of a field of an object.
    #[must_use]
    pub fn field<'s>(&'s self, shape: &'s ShapeNode, name: &str) -> Option<&'s ShapeNode> {
        field(resolved(&self.symbols, shape), name)
    }
}

/// The shape of a field without a type.
static TEXT: ShapeNode =
    ShapeNode { kind: ShapeKind::String, bounds: Vec::new(), span: Span::at(0) };

pub(crate) fn shape_of<'s>(
    symbols: &'s [Symbol],
    expr: &'s Expr,
    symbol: &dyn Fn(&str, Span) -> Option<usize>,
) -> Option<&'s ShapeNode> {
    // From the outside in, then back: a path of fields is read without recursion.
    let mut steps = Vec::new();
    let mut at = expr;
    let mut shape = loop {
        at = match &at.kind {
            ExprKind::Name(name) => {
                break symbols.get(symbol(name, at.span)?)?.shape.as_ref()?;
            }
            ExprKind::Generate(generate) => break generate.shape.as_ref()?,
            ExprKind::Call { callee, .. } => match &callee.kind {
                ExprKind::Name(name) => {
                    let called = symbols.get(symbol(name, callee.span)?)?;
                    let is_function = called.kind == SymbolKind::Function;
                    break called.shape.as_ref().filter(|_| is_function)?;
                }
                _ => return None,
            },
            ExprKind::Paren(inner) => inner,
            ExprKind::Field { base, name } => {
                steps.push(Some(name.text.as_str()));
                base
            }
            ExprKind::Index { base, .. } => {
                steps.push(None);
                base
            }
            _ => return None,
        };
    };
    while let Some(step) = steps.pop() {
        let known = resolved(symbols, shape);
        shape = match step {
            Some(name) => field(known, name)?,
            None => item(known)?,
        };
    }
    Some(shape)
}

/// Returns what a shape stands for, if it is a name: that of the program's own file, if two have one.
fn resolved<'s>(symbols: &'s [Symbol], mut shape: &'s ShapeNode) -> &'s ShapeNode {
    for _ in 0..contexture_answer::Shape::MAX_DEPTH {
        let ShapeKind::Named(name) = &shape.kind else { break };
        let is_meant =
            |symbol: &&Symbol| symbol.kind == SymbolKind::Shape && symbol.name == name.text;
        let found = symbols.iter().find(is_meant).and_then(|symbol| symbol.shape.as_ref());
        let Some(next) = found else { break };
        shape = next;
    }
    shape
}

/// Returns the shape of the items of a list.
#[must_use]
pub fn item(shape: &ShapeNode) -> Option<&ShapeNode> {
    match &shape.kind {
        ShapeKind::List(item) => item.as_deref(),
        _ => None,
    }
}

/// Returns the shape of a field of an object.
fn field<'s>(shape: &'s ShapeNode, name: &str) -> Option<&'s ShapeNode> {
    let ShapeKind::Object(fields) = &shape.kind else { return None };
    let found = fields.iter().find(|field| field.name.text == name)?;
    Some(found.shape.as_ref().unwrap_or(&TEXT))
}
