//! Faults that do not depend on the type: numbers that can't be represented, lists that are too
//! long.

use crate::exact;
use crate::limits::Limits;
use crate::node::Node;
use crate::report::{Faults, Violation};

/// Findings of the reader that need a second look.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Suspects {
    /// True if there is a fraction, or an integer beyond 64 bits.
    pub(super) has_fraction: bool,
    pub(super) has_long_list: bool,
}

pub(crate) struct Text<'t> {
    pub(crate) node: Node<'t>,
    pub(super) text: &'t [u8],
    pub(super) suspects: Suspects,
}

impl Suspects {
    /// Returns the lists that are too long.
    pub(super) fn lists(self, node: &Node<'_>, limits: &Limits) -> Faults {
        let mut faults = Faults::default();
        if !self.has_long_list {
            return faults;
        }
        let mut open = vec![(node, String::new())];
        while let Some((node, pointer)) = open.pop() {
            let below = |step: &str| format!("{pointer}/{step}");
            match node {
                Node::Array(items) => {
                    let (found, most) = (items.len(), limits.items);
                    if found > most {
                        faults.is_too_large = true;
                        faults.add(limits, || Violation {
                            pointer: pointer.clone(),
                            expected: format!("at most {most} elements"),
                            found: format!("{found} elements"),
                        });
                    }
                    let nested = items.iter().enumerate().filter(|(_, item)| nests(item));
                    open.extend(nested.map(|(index, item)| (item, below(&index.to_string()))));
                }
                Node::Object(fields) => {
                    let nested = fields.0.iter().filter(|(_, value)| nests(value));
                    open.extend(nested.map(|(name, value)| {
                        (value, below(&name.replace('~', "~0").replace('/', "~1")))
                    }));
                }
                _ => {}
            }
        }
        faults
    }
}

fn nests(node: &Node<'_>) -> bool {
    matches!(node, Node::Array(_) | Node::Object(_))
}

impl Text<'_> {
    /// Returns the faults of the whole text.
    pub(crate) fn faults(&self, limits: &Limits) -> Faults {
        let mut faults = self.suspects.lists(&self.node, limits);
        self.numbers(|trail, number, _| {
            faults.add(limits, || lost(trail.pointer(0), number));
        });
        faults
    }

    /// Returns the faults of each item of a list; items without any may be omitted at the end.
    pub(crate) fn faults_of_items(&self, limits: &Limits) -> Vec<Faults> {
        let mut all: Vec<Faults> = Vec::new();
        if let (Node::Array(items), true) = (&self.node, self.suspects.has_long_list) {
            all.extend(items.iter().map(|item| self.suspects.lists(item, limits)));
        }
        self.numbers(|trail, number, _| {
            let index = trail.first_index().unwrap_or_default();
            if all.len() <= index {
                all.resize_with(index + 1, Faults::default);
            }
            if let Some(faults) = all.get_mut(index) {
                faults.add(limits, || lost(trail.pointer(1), number));
            }
        });
        all
    }

    /// Returns line and column, from 1, of the first number that can't be represented.
    pub(super) fn place_of_fault(&self) -> (usize, usize) {
        let mut first = None;
        self.numbers(|_, _, at| {
            first.get_or_insert(at);
        });
        let before = self.text.get(..first.unwrap_or_default()).unwrap_or_default();
        let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
        let column = 1 + before.iter().rev().take_while(|byte| **byte != b'\n').count();
        (line, column)
    }

    fn numbers<'t>(&'t self, tell: impl FnMut(&exact::Trail<'t>, &'t str, usize)) {
        if self.suspects.has_fraction {
            exact::lost(self.text, tell);
        }
    }
}

fn lost(pointer: String, number: &str) -> Violation {
    let found = match number.char_indices().nth(60).and_then(|(at, _)| number.split_at_checked(at))
    {
        None => format!("the number {number}"),
        Some((head, _)) => format!("the number {head}…"),
    };
    Violation { pointer, expected: exact::EXPECTED.to_owned(), found }
}
