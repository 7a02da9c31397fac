//! Evaluation: nothing is copied, and memory is allocated only to compare lists or objects.

use super::Roots;
use super::function::{self, Function};
use super::node::{Call, Comparison, Node, Operator};
use super::value::{equal, order};
use serde_json::Value;
use std::cmp::Ordering;

static NULL: Value = Value::Null;
static TRUE: Value = Value::Bool(true);
static FALSE: Value = Value::Bool(false);

/// A borrowed value, or a computed size.
#[derive(Clone, Copy)]
enum Found<'v> {
    Lies(&'v Value),
    Count(usize),
}

impl<'v> Found<'v> {
    fn truth(truth: bool) -> Self {
        Self::Lies(if truth { &TRUE } else { &FALSE })
    }

    /// Returns the value; a size is stored in `place`.
    fn value<'p>(self, place: &'p mut Value) -> &'p Value
    where
        'v: 'p,
    {
        match self {
            Self::Lies(value) => value,
            Self::Count(count) => {
                *place = count.into();
                place
            }
        }
    }
}

impl Node {
    /// Reports whether it is `true`: no other value counts as true (FL-9).
    pub(crate) fn is_true<R: Roots + ?Sized>(&self, roots: &R) -> bool {
        match self {
            Self::Compare(comparison) => comparison.is_true(roots),
            Self::Not(inner) => !inner.is_true(roots),
            Self::All(parts) => parts.iter().all(|part| part.is_true(roots)),
            Self::Any(parts) => parts.iter().any(|part| part.is_true(roots)),
            Self::Call(call) => call.is_true(roots),
            Self::Literal(value) => *value == Value::Bool(true),
            Self::Path(path) => matches!(roots.find(path), Some(Value::Bool(true))),
        }
    }

    fn find<'v, R: Roots + ?Sized>(&'v self, roots: &'v R) -> Found<'v> {
        match self {
            Self::Literal(value) => Found::Lies(value),
            Self::Path(path) => Found::Lies(roots.find(path).unwrap_or(&NULL)),
            Self::Call(call) if call.function == Function::Size => call.size(roots),
            _ => Found::truth(self.is_true(roots)),
        }
    }
}

impl Comparison {
    fn is_true<R: Roots + ?Sized>(&self, roots: &R) -> bool {
        match (self.left.find(roots), self.right.find(roots)) {
            (Found::Lies(left), Found::Lies(right)) => self.operator.holds(left, right),
            (left, right) => {
                let (mut first, mut second) = (Value::Null, Value::Null);
                self.operator.holds(left.value(&mut first), right.value(&mut second))
            }
        }
    }
}

impl Operator {
    fn holds(self, left: &Value, right: &Value) -> bool {
        let ordered = |is: fn(Ordering) -> bool| order(left, right).is_some_and(is);
        match self {
            Self::Equal => equal(left, right),
            Self::NotEqual => !equal(left, right),
            Self::Less => ordered(Ordering::is_lt),
            Self::LessOrEqual => ordered(Ordering::is_le),
            Self::Greater => ordered(Ordering::is_gt),
            Self::GreaterOrEqual => ordered(Ordering::is_ge),
        }
    }
}

impl Call {
    fn is_true<R: Roots + ?Sized>(&self, roots: &R) -> bool {
        let mut arguments = self.arguments.iter();
        let (Some(first), second) = (arguments.next(), arguments.next()) else { return false };
        if self.function == Function::Exists {
            return matches!(first, Node::Path(path) if roots.find(path).is_some());
        }
        let (mut place, mut other) = (Value::Null, Value::Null);
        let first = first.find(roots).value(&mut place);
        let second = second.map_or(&NULL, |node| node.find(roots).value(&mut other));
        match self.function {
            Function::Contains => function::contains(first, second),
            Function::IsEmpty => function::is_empty(first),
            Function::StartsWith => both(first, second, |text, part| text.starts_with(part)),
            Function::EndsWith => both(first, second, |text, part| text.ends_with(part)),
            Function::Matches => match (&self.pattern, first) {
                (Some(pattern), Value::String(text)) => pattern.is_match(text),
                (Some(_), _) => false,
                (None, _) => function::matches(first, second),
            },
            // A number is never true.
            Function::Size | Function::Exists => false,
        }
    }

    fn size<'v, R: Roots + ?Sized>(&'v self, roots: &'v R) -> Found<'v> {
        let Some(argument) = self.arguments.first() else { return Found::Lies(&NULL) };
        let mut place = Value::Null;
        let size = function::size(argument.find(roots).value(&mut place));
        size.map_or(Found::Lies(&NULL), Found::Count)
    }
}

fn both(left: &Value, right: &Value, is: impl Fn(&str, &str) -> bool) -> bool {
    matches!((left, right), (Value::String(left), Value::String(right)) if is(left, right))
}
