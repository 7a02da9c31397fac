//! The compiled form of a template.
//!
//! Decision: one flat list in reading order. A block is followed by the operations of its body and
//! then of its `else`, and contains the number of each; texts and names are ranges of the source.
//! So compiling allocates a handful of times for any template, and rendering reads straight
//! through.

use super::key::{Key, NameTag};
use contexture_diagnostic::Span;

#[derive(Debug, Clone)]
pub(super) struct Program {
    text: Box<str>,
    pub(super) ops: Vec<Op>,
    /// The names after the first one of all dotted paths.
    pub(super) segments: Vec<Name>,
}

impl Program {
    pub(super) fn new(text: &str, ops: Vec<Op>, segments: Vec<Name>) -> Self {
        Self { text: text.into(), ops, segments }
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    #[inline]
    pub(super) fn slice(&self, span: Span) -> &str {
        self.text.get(span.range()).unwrap_or_default()
    }

    pub(super) fn rest(&self, path: &Path) -> &[Name] {
        let start = path.rest_start as usize;
        self.segments.get(start..start + usize::from(path.rest_len)).unwrap_or_default()
    }
}

/// One operation: writes the text before it, then performs its kind. Most tags have text before
/// them, so this halves the number of operations.
#[derive(Debug, Clone, Copy)]
pub(super) struct Op {
    /// A range of the source, often empty.
    pub(super) before: Span,
    pub(super) kind: Kind,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Kind {
    Text,
    Value(Path),
    /// Takes the next `then` operations if the value is true, else the `other` after them.
    Branch(Branch),
    /// Takes the next `then` operations for each item, or the `other` after them for no item.
    Loop(Path, Extent),
    Include(Span),
    Reference(Span),
}

impl Op {
    pub(super) const fn span(&self) -> Span {
        match &self.kind {
            Kind::Text => self.before,
            Kind::Include(span) | Kind::Reference(span) => *span,
            Kind::Value(path) | Kind::Loop(path, _) => path.span,
            Kind::Branch(branch) => branch.path.span,
        }
    }
}

/// `#if`, `#unless` and `else if`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Branch {
    pub(super) path: Path,
    /// `#unless`.
    pub(super) negated: bool,
    /// `else if`: no deeper than the block it belongs to.
    pub(super) chained: bool,
    pub(super) extent: Extent,
}

/// The number of a block's operations that follow it.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Extent {
    pub(super) then: u32,
    pub(super) other: u32,
}

impl Extent {
    /// Splits into body, else and the rest after the block.
    #[inline]
    pub(super) fn split<'a>(&self, after: &'a [Op]) -> Option<(&'a [Op], &'a [Op], &'a [Op])> {
        let (then, after) = after.split_at_checked(self.then as usize)?;
        let (other, after) = after.split_at_checked(self.other as usize)?;
        Some((then, other, after))
    }
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Path {
    pub(super) span: Span,
    pub(super) head: Name,
    pub(super) root: Root,
    pub(super) rest_len: u16,
    pub(super) rest_start: u32,
}

/// One name of a path, ready to be looked up.
#[derive(Debug, Clone, Copy)]
pub(super) struct Name {
    pub(super) span: Span,
    pub(super) tag: NameTag,
}

#[derive(Clone, Copy)]
pub(super) struct NameIn<'p>(pub(super) Name, pub(super) &'p Program);

impl<'p> Key<'p> for NameIn<'p> {
    #[inline]
    fn tag(&self) -> NameTag {
        self.0.tag
    }

    #[inline]
    fn len(&self) -> usize {
        self.0.span.range().len()
    }

    #[inline]
    fn name(&self) -> &'p str {
        self.1.slice(self.0.span)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Root {
    /// A field of an item, else a variable.
    Name,
    Item,
    Index,
    First,
    Last,
}

impl Root {
    /// Reports whether it has a meaning only inside `#each`.
    pub(super) const fn is_counter(self) -> bool {
        matches!(self, Self::Index | Self::First | Self::Last)
    }
}
