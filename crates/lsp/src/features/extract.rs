//! Gives a name to the shape of a `generate`.

use crate::state::View;
use contexture_diagnostic::{Edit, SourceFile, Span};
use contexture_script::format::format;
use contexture_script::semantic::find::{Node, nodes_at};
use contexture_script::syntax::ast::{
    ExprKind, Generate, Item, ShapeKind, ShapeNode, Statement, StatementKind,
};
use contexture_script::syntax::is_reserved;

/// A shape that can be named, with the edits that do it.
pub(crate) struct Extracted {
    pub(crate) name: String,
    pub(crate) edits: Vec<Edit>,
}

/// Extracts the shape of the `generate` around an offset into a declaration above the item that it is
/// in; none where the shape has a name already or no parts, or the file has syntax errors.
pub(crate) fn shape(view: View<'_>, offset: u32) -> Option<Extracted> {
    if !view.file.parsed.is_valid() {
        return None;
    }
    let nodes = nodes_at(&view.file.parsed.file, offset);
    let generate = nodes.iter().rev().find_map(|node| match node {
        Node::Expr(expr) => generate_of(&expr.kind),
        _ => None,
    })?;
    let shape = generate.shape.as_ref().filter(|shape| has_parts(shape))?;
    let assigned = nodes.iter().rev().find_map(|node| match node {
        Node::Statement(statement) => assigned(statement, generate),
        _ => None,
    });
    let name = free_name(view, assigned.unwrap_or("Answer"));
    let item = nodes.iter().find_map(|node| match node {
        Node::Item(item) => Some(*item),
        _ => None,
    })?;
    let declared = format!("shape {name} {}\n", view.source().slice(shape.span));
    let source = SourceFile::new(view.source().name(), declared);
    let declared = format(&source, view.files.limits()).ok()?;
    let above = Span::at(start_of(view, item)?);
    let edits = vec![
        Edit { span: above, replacement: declared + "\n" },
        Edit { span: shape.span, replacement: name.clone() },
    ];
    Some(Extracted { name, edits })
}

const fn generate_of(kind: &ExprKind) -> Option<&Generate> {
    match kind {
        ExprKind::Generate(generate) => Some(generate),
        _ => None,
    }
}

const fn has_parts(shape: &ShapeNode) -> bool {
    match &shape.kind {
        ShapeKind::Object(fields) => !fields.is_empty(),
        ShapeKind::Enum(_) => true,
        _ => false,
    }
}

/// Returns the variable that a statement assigns the answer to.
fn assigned<'p>(statement: &'p Statement, generate: &Generate) -> Option<&'p str> {
    let StatementKind::Assign { target, value, .. } = &statement.kind else { return None };
    let is_meant = generate_of(&value.kind).is_some_and(|own| std::ptr::eq(own, generate));
    (is_meant && target.path.is_empty()).then_some(target.base.text.as_str())
}

/// Returns a name like that of a variable, `found_issues` as `FoundIssues`, that nothing has yet.
fn free_name(view: View<'_>, like: &str) -> String {
    let words = like.split('_').filter(|word| !word.is_empty());
    let name: String = words.flat_map(capitalized).collect();
    let name = if name.is_empty() { "Answer".to_owned() } else { name };
    let symbols = view.symbols();
    let is_free =
        |name: &str| !is_reserved(name) && symbols.all().iter().all(|symbol| symbol.name != name);
    if is_free(&name) {
        return name;
    }
    let numbered = (2_u64..).map(|number| format!("{name}{number}"));
    numbered.into_iter().find(|name| is_free(name)).unwrap_or(name)
}

fn capitalized(word: &str) -> impl Iterator<Item = char> + '_ {
    let mut rest = word.chars();
    let first = rest.next();
    first.into_iter().flat_map(char::to_uppercase).chain(rest)
}

/// Returns where an item starts, with the comments in the lines directly above it.
fn start_of(view: View<'_>, item: &Item) -> Option<u32> {
    let span = match item {
        Item::Agent(agent) => agent.span,
        Item::Func(func) => func.span,
        Item::Import(_) | Item::Shape(_) | Item::Config(_) | Item::Use(_) => return None,
    };
    let line = |offset: u32| view.source().position(offset).line;
    let tokens = &view.file.parsed.tokens;
    let before = tokens.partition_point(|token| token.span.start < span.start);
    let mut start = span.start;
    for token in tokens.get(..before)?.iter().rev() {
        if !token.is_comment() || !token.starts_line || line(token.span.start) + 1 != line(start) {
            break;
        }
        start = token.span.start;
    }
    Some(start)
}
