//! References in a program (AS-2, REF-6): resources that it imports, and literal texts in which
//! references may stand.
//!
//! Decision: the language knows no reference. It says which texts of a prompt its author wrote, and
//! where; what a reference is, is asked of the [`SourceLoader`](crate::host::SourceLoader) before a
//! run and of the [`Host`](crate::host::Host) in it. What is computed or loaded is never searched.

mod check;
mod texts;

pub(crate) use check::{import_fault, text_faults, texts_of_block, texts_of_items};
pub(crate) use texts::Written;

use contexture_context::{Budget, Keep, Position};
use contexture_diagnostic::Severity;

/// An imported resource.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ResourceImport {
    /// Its name in the program.
    pub name: String,
    /// The reference as written.
    pub reference: String,
    /// The file that imports it, by its source name; relative paths start there.
    pub importer: String,
}

/// A resource that a `use` shows (AS-15).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsedResource {
    /// How many of the call's items stand before it in the prompt.
    pub before: usize,
    /// The resource.
    pub import: ResourceImport,
    /// The label, if any.
    pub label: Option<String>,
    /// Where it is used.
    pub position: Position,
    /// The budget of all that it names, together.
    pub budget: Option<Budget>,
    /// What stays when it does not fit.
    pub keep: Keep,
    /// The order in which it yields to a whole-prompt budget.
    pub priority: i64,
}

/// Which part of a prompt a text belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Layer {
    /// `input` of `generate`.
    Input,
    /// `role` in scope.
    Role,
    /// `description` in scope.
    Description,
}

/// What stands in a [`LiteralText`] for a part that is computed.
pub const COMPUTED: char = '\u{fffc}';

/// A text of a prompt as far as the program spells it out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiteralText {
    /// Where it goes.
    pub layer: Layer,
    /// The text; each part that is computed stands in it as [`COMPUTED`].
    pub text: String,
    /// The file it stands in, by its source name.
    pub file: String,
    /// Where parts of it are joined.
    pub seams: Vec<Seam>,
    /// Where each `@` of it stands: the offset in `text` and the place in the program.
    pub places: Vec<(usize, Position)>,
}

/// Where a literal is joined with another or with something computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seam {
    /// Where the part before it ends.
    pub start: usize,
    /// Where the part behind it begins: later than `start` when something is computed between.
    pub end: usize,
}

impl LiteralText {
    /// Whether what stands from `start` to `end` is the same whatever the text is joined with. A
    /// reference that touches the end of its literal is not: more of it may follow.
    #[must_use]
    pub fn is_whole(&self, start: usize, end: usize) -> bool {
        let torn = |seam: &Seam| seam.start > start && seam.start <= end;
        let continued = |seam: &Seam| seam.end > seam.start && seam.end == start;
        !self.seams.iter().any(|seam| torn(seam) || continued(seam))
    }

    /// The place of what begins at an offset with `@`.
    #[must_use]
    pub fn position(&self, start: usize) -> Option<&Position> {
        let index = self.places.binary_search_by_key(&start, |(at, _)| *at).ok()?;
        self.places.get(index).map(|(_, position)| position)
    }
}

/// A reference, or what looks like one, in a literal text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenReference {
    /// Where it begins in the text, in bytes.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
    /// What is known to be wrong with it.
    pub fault: Option<ReferenceFault>,
}

/// What is wrong with a reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReferenceFault {
    /// The code of the reference layer, such as `REF1004`.
    pub code: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// Where the fault begins in the text that was given, in bytes.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
    /// What is wrong.
    pub message: String,
    /// How to mend it.
    pub help: Option<String>,
}
