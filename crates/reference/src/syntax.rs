//! The grammar of references (REF-1 to REF-5).
//!
//! Decision: a [`Reference`] borrows its text and keeps five offsets. All validity is checked once,
//! by [`Reference::parse`], which allocates nothing; what is asked afterwards is cut from the text.
//!
//! ```
//! use contexture_reference::syntax::{Reference, Semantics};
//!
//! let reference = Reference::parse("@!markdown:file://docs/a.md?section=Use&line=1-9")?;
//! assert_eq!((reference.semantics(), reference.protocol()), (Semantics::Hot, "markdown"));
//! assert_eq!((reference.innermost().protocol(), reference.path()), ("file", "docs/a.md"));
//! assert_eq!(reference.query().next(), Some(("section".into(), "Use".into())));
//! assert_eq!(reference.canonical(), "@!markdown:@file://docs/a.md?line=1-9&section=Use");
//! # Ok::<(), contexture_reference::syntax::SyntaxError>(())
//! ```

mod buffer;
mod class;
mod error;
mod head;
mod parse;
mod percent;
mod print;
mod query;
mod userinfo;
mod validate;

#[cfg(test)]
mod tests;

pub use buffer::ReferenceBuf;
pub use error::SyntaxError;
pub use percent::encode;
pub use query::{OURS_OVER_HTTP, Pair, Pairs, Query};
pub use userinfo::{cover, redact};

pub(crate) use head::read as read_head;

use std::fmt;

/// The most levels that [`Reference::parse`] takes; [`Reference::parse_within`] takes another
/// limit.
pub const MAX_DEPTH: usize = 16;

/// The most bytes that a reference may have.
pub const MAX_LENGTH: usize = 65_536;

/// The time when a reference is loaded (REF-7).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Semantics {
    /// `@`: the choice of the model, so a policy decides.
    #[default]
    Default,
    /// `@!`: at once.
    Hot,
    /// `@?`: when asked for.
    Lazy,
}

impl Semantics {
    /// Returns the word for it: `default`, `hot` or `lazy`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Hot => "hot",
            Self::Lazy => "lazy",
        }
    }

    /// Returns the prefix that stands for it: `@`, `@!` or `@?`.
    #[must_use]
    pub fn prefix(self) -> &'static str {
        match self {
            Self::Default => "@",
            Self::Hot => "@!",
            Self::Lazy => "@?",
        }
    }
}

impl fmt::Display for Semantics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A reference that was found to be right, borrowed from the text it stands in.
///
/// Of a nested reference this is one level together with all levels inside it: [`Reference::inner`]
/// goes one inwards. The path and the query belong to all levels alike.
///
/// Equality is that of the text as written and of the level. `Debug` shows no user info.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Reference<'a> {
    text: &'a str,
    parts: Parts,
}

/// The offsets of the parts of a reference, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Parts {
    level: u32,
    name: u32,
    colon: u32,
    path: u32,
    /// The `?` of the query; the end of the text when there is none.
    query: u32,
    depth: u32,
    semantics: Semantics,
}

impl<'a> Reference<'a> {
    /// Reads a reference of [`MAX_DEPTH`] levels at most; the text must hold nothing else.
    ///
    /// # Errors
    /// The first fault from the left, with its place and what was expected there (REF-4).
    #[inline]
    pub fn parse(text: &'a str) -> Result<Self, SyntaxError> {
        Self::parse_within(text, MAX_DEPTH)
    }

    /// Reads a reference of so many levels at most.
    ///
    /// # Errors
    /// The first fault from the left, with its place and what was expected there (REF-4).
    #[inline]
    pub fn parse_within(text: &'a str, max_depth: usize) -> Result<Self, SyntaxError> {
        match parse::parse(text, max_depth) {
            Ok(parts) => Ok(Self { text, parts }),
            Err(fault) => Err(SyntaxError::new(text, max_depth, fault)),
        }
    }

    /// This level and those inside it, as written, with the query. An inner level of the short form
    /// has no `@` there; [`Reference::canonical`] gives it one.
    #[must_use]
    pub fn as_str(&self) -> &'a str {
        self.text.get(self.parts.level as usize..).unwrap_or_default()
    }

    /// Returns when this level is loaded.
    #[must_use]
    pub fn semantics(&self) -> Semantics {
        self.parts.semantics
    }

    /// Returns the protocol of this level, as written; names differ by more than upper and lower
    /// case.
    #[must_use]
    pub fn protocol(&self) -> &'a str {
        self.cut(self.parts.name, self.parts.colon)
    }

    /// Reports whether this level has this protocol.
    #[must_use]
    pub fn is_protocol(&self, name: &str) -> bool {
        self.protocol().eq_ignore_ascii_case(name)
    }

    /// Returns how many levels there are, from this one inwards; 1 for `@file://a`.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.parts.depth as usize
    }

    /// Returns the next level inwards; `None` for the innermost, which has the path.
    #[must_use]
    pub fn inner(&self) -> Option<Self> {
        let depth = self.parts.depth.checked_sub(1).filter(|depth| *depth > 0)?;
        let level = self.parts.colon + 1;
        let head = read_head(self.text.as_bytes(), level as usize).ok()?;
        let (name, colon) = (parse::offset(head.name), parse::offset(head.colon));
        let parts = Parts { level, name, colon, depth, semantics: head.semantics, ..self.parts };
        Some(Self { text: self.text, parts })
    }

    /// This level and all inside it, the outermost first.
    #[must_use]
    pub fn levels(&self) -> Levels<'a> {
        Levels { next: Some(*self) }
    }

    /// Returns the level that has the path.
    #[must_use]
    pub fn innermost(&self) -> Self {
        self.levels().last().unwrap_or(*self)
    }

    /// Returns the path of the innermost level, as written, user info included: never for messages.
    #[must_use]
    pub fn path(&self) -> &'a str {
        self.cut(self.parts.path, self.parts.query)
    }

    /// Returns the query as written, without its `?`.
    #[must_use]
    pub fn raw_query(&self) -> Option<&'a str> {
        self.text.get(self.parts.query as usize..)?.strip_prefix('?')
    }

    /// Returns the parameters, decoded, in the order of the text.
    #[must_use]
    pub fn query(&self) -> Query<'a> {
        Query::new(self.raw_query())
    }

    /// This level and those inside it: every inner `@` written, protocols in lower case, the query
    /// sorted by name (REF-5). User info is kept: never for messages.
    #[must_use]
    pub fn canonical(&self) -> String {
        print::canonical(*self)
    }

    /// Returns the canonical form without user info: for keys, manifests, logs and errors (REF-5,
    /// REF-23).
    #[must_use]
    pub fn public(&self) -> String {
        print::public(*self)
    }

    /// This level and those inside it as a value that borrows nothing.
    #[must_use]
    pub fn to_owned(&self) -> ReferenceBuf {
        ReferenceBuf::from_reference(*self)
    }

    /// Returns the path with the query.
    fn tail(&self) -> &'a str {
        self.text.get(self.parts.path as usize..).unwrap_or_default()
    }

    fn cut(&self, start: u32, end: u32) -> &'a str {
        self.text.get(start as usize..end as usize).unwrap_or_default()
    }
}

impl fmt::Debug for Reference<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Reference").field(&self.public()).finish()
    }
}

/// The levels of a reference, the outermost first; made by [`Reference::levels`].
#[derive(Debug, Clone)]
pub struct Levels<'a> {
    next: Option<Reference<'a>>,
}

impl<'a> Iterator for Levels<'a> {
    type Item = Reference<'a>;

    fn next(&mut self) -> Option<Self::Item> {
        let level = self.next?;
        self.next = level.inner();
        Some(level)
    }
}
