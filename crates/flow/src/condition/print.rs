//! Printing of a condition, with as few parentheses as possible.

use super::Condition;
use super::node::Node;
use std::fmt;

/// Returns the precedence of a part; the highest is 4.
fn level(node: &Node) -> u8 {
    match node {
        Node::Any(_) => 0,
        Node::All(_) => 1,
        Node::Not(_) => 2,
        Node::Compare(_) => 3,
        Node::Literal(_) | Node::Path(_) | Node::Call(_) => 4,
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        print(&self.node, 0, f)
    }
}

fn print(node: &Node, outer: u8, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let needs_parentheses = level(node) < outer;
    if needs_parentheses {
        f.write_str("(")?;
    }
    match node {
        Node::Literal(value) => write!(f, "{value}")?,
        Node::Path(path) => write!(f, "{path}")?,
        Node::Not(inner) => {
            f.write_str("NOT ")?;
            print(inner, 2, f)?;
        }
        Node::All(parts) => join(parts, " AND ", 2, f)?,
        Node::Any(parts) => join(parts, " OR ", 1, f)?,
        Node::Compare(comparison) => {
            print(&comparison.left, 4, f)?;
            write!(f, " {} ", comparison.operator.as_str())?;
            print(&comparison.right, 4, f)?;
        }
        Node::Call(call) => {
            write!(f, "{}(", call.function.name())?;
            join(&call.arguments, ", ", 0, f)?;
            f.write_str(")")?;
        }
    }
    if needs_parentheses { f.write_str(")") } else { Ok(()) }
}

fn join(parts: &[Node], with: &str, level: u8, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    for (index, part) in parts.iter().enumerate() {
        if index > 0 {
            f.write_str(with)?;
        }
        print(part, level, f)?;
    }
    Ok(())
}
