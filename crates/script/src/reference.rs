//! References in a program (AS-2, REF-6): resources that it imports, and literal texts that may
//! contain references.
//!
//! Decision: the language does not parse references. It determines which texts of a prompt its
//! author wrote, and where; the [`SourceLoader`] finds references in
//! them before a run, and the [`Host`](crate::host::Host) in a run. Computed or loaded text is
//! never searched.

pub(crate) mod literals;
pub(crate) mod texts;

use crate::host::SourceLoader;
use crate::program::ProgramFile;
use crate::syntax::ast::ImportKind;
use contexture_context::{Budget, Keep, Label, Position};
use contexture_diagnostic::{Severity, Span};
use literals::texts_of_items;

/// Returns the reference around an offset of a file, with its place: that of an import, or one in a
/// literal text of a prompt (TY-10).
#[must_use]
pub fn reference_at(
    file: &ProgramFile,
    offset: u32,
    loader: &dyn SourceLoader,
) -> Option<(String, Span)> {
    let holds = |span: Span| span.start <= offset && offset <= span.end;
    let imported = file.imports().find(|import| holds(import.from.span));
    if let Some(import) = imported {
        let is_resource = import.kind == ImportKind::Resource;
        return is_resource.then(|| (import.from.value.clone(), import.from.span));
    }
    texts_of_items(&file.parsed.file.items, &file.source).iter().find_map(|written| {
        loader.references(&written.text).into_iter().find_map(|found| {
            let span = written.span(found.start, found.end);
            let text = written.text.text.get(found.start..found.end)?;
            holds(span).then(|| (text.to_owned(), span))
        })
    })
}

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

/// The question that a `use` selects by (CA-16).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// Its text.
    pub text: String,
    /// The most parts that it selects, if the program bounds them (EV-10).
    pub most: Option<u64>,
    /// Its label, which what is selected has too.
    pub label: Label,
}

/// An import that a `use` shows (AS-15) and that the host loads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Used<I> {
    /// The number of the call's items before it in the prompt.
    pub before: usize,
    /// The number of the call's resources before it in the prompt.
    pub resources_before: usize,
    /// The resource or pack.
    pub import: I,
    /// The label, if any.
    pub label: Option<String>,
    /// The place of its `use`.
    pub position: Position,
    /// The budget of everything that it contributes, together.
    pub budget: Option<Budget>,
    /// The part that stays when it does not fit.
    pub keep: Keep,
    /// The order in which it is cut to fit a whole-prompt budget.
    pub priority: i64,
    /// The question that selects from it, if any.
    pub question: Option<Question>,
}

/// A resource that a `use` shows.
pub type UsedResource = Used<ResourceImport>;

/// The part of a prompt that a text belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Layer {
    /// `input` of `generate`.
    Input,
    /// `role` in scope.
    Role,
    /// `description` in scope.
    Description,
}

impl Layer {
    /// Returns the part that an option of `generate` gives.
    pub(crate) fn of_option(name: &str) -> Option<Self> {
        match name {
            "input" => Some(Self::Input),
            "role" => Some(Self::Role),
            "description" => Some(Self::Description),
            _ => None,
        }
    }
}

/// The placeholder for a computed part of a [`LiteralText`].
pub const COMPUTED: char = '\u{fffc}';

/// A text of a prompt as far as it is literal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiteralText {
    /// The part of the prompt.
    pub layer: Layer,
    /// The text, with [`COMPUTED`] for each computed part.
    pub text: String,
    /// The file that contains it, by its source name.
    pub file: String,
    /// The positions where parts are joined.
    pub seams: Vec<Seam>,
    /// The position of each `@`: the offset in `text` and the place in the program.
    pub places: Vec<(usize, Position)>,
}

/// A position where a literal is joined with another or with something computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seam {
    /// The end of the part before it.
    pub start: usize,
    /// The start of the part after it: greater than `start` when something computed is between.
    pub end: usize,
}

impl LiteralText {
    /// Reports whether the text from `start` to `end` is the same whatever it is joined with. A
    /// reference that touches the end of its literal is not: it may continue.
    #[must_use]
    pub fn is_whole(&self, start: usize, end: usize) -> bool {
        let torn = |seam: &Seam| seam.start > start && seam.start <= end;
        let continued = |seam: &Seam| seam.end > seam.start && seam.end == start;
        !self.seams.iter().any(|seam| torn(seam) || continued(seam))
    }

    /// Returns the place of the `@` at an offset.
    #[must_use]
    pub fn position(&self, start: usize) -> Option<&Position> {
        let index = self.places.binary_search_by_key(&start, |(at, _)| *at).ok()?;
        self.places.get(index).map(|(_, position)| position)
    }
}

/// A reference, or text that looks like one, in a literal text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenReference {
    /// Its start in the text, in bytes.
    pub start: usize,
    /// Its end.
    pub end: usize,
    /// Its known fault, if any.
    pub fault: Option<ReferenceFault>,
}

/// A fault of a reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReferenceFault {
    /// The code of the reference layer, such as `REF1004`.
    pub code: &'static str,
    /// Its severity.
    pub severity: Severity,
    /// The start of the fault in the given text, in bytes.
    pub start: usize,
    /// Its end.
    pub end: usize,
    /// The message.
    pub message: String,
    /// The way to fix it.
    pub help: Option<String>,
}
