//! Expansion: a document with the references inside it loaded, and those inside of these (MA-1).
//!
//! Decision: only a document is expanded, a file of the workspace or what a protocol says is one;
//! data of lower trust stays as it is, since whoever wrote it could name anything. What is loaded
//! stands in the place of its reference, except in code. Each document is read by itself, so a text
//! can't open a fence around another, and what it holds is decided before anything is put in it.
//!
//! A document that leads back to itself ends there ([`ExpansionState::Cycle`]). What has no end
//! otherwise meets a limit: of depth, of references, of tokens.
//!
//! ```
//! use contexture_context::tokens::tokenizer_for;
//! use contexture_reference::expand::ExpandOptions;
//! use contexture_reference::protocols::Memory;
//! use contexture_reference::Loader;
//! use std::sync::Arc;
//!
//! let loader = Loader::new(tokenizer_for("gpt-4o"))
//!     .with(Arc::new(Memory::of([("tone", "Be brief.\n")])));
//! # let runtime = tokio::runtime::Builder::new_current_thread().build()?;
//! # runtime.block_on(async {
//! let text = "Follow this:\n@!memory://tone\nNot `@!memory://tone`.\n";
//! let expansion = loader.expand_text("brief.md", text, &ExpandOptions::default()).await;
//! assert_eq!(expansion.text, "Follow this:\nBe brief.\nNot `@!memory://tone`.\n");
//! let states: Vec<_> = expansion.steps.iter().map(|step| (step.depth, step.state.as_str())).collect();
//! assert_eq!(states, [(0, "loaded"), (1, "loaded")]);
//! # });
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod document;
mod found;
mod input;
mod step;

pub(crate) use input::of_input;

use crate::codes;
use crate::loader::Loader;
use crate::plan::{PlanOptions, Policy};
use crate::scan::scan;
use crate::syntax::{Reference, ReferenceBuf, Semantics};
use contexture_context::Trust;
pub use contexture_core::reference::{ExpansionState, ExpansionStep};
use contexture_core::reference::{LoadError, Loaded, Note, Resource};
use contexture_diagnostic::Severity;
use document::{Document, Expander};
use std::collections::HashSet;

/// The processor that expands what it is given: `@expand:file://a.md`.
pub(crate) const EXPAND: &str = "expand";

/// The options of an expansion.
#[derive(Debug, Clone, Default)]
pub struct ExpandOptions {
    /// The policy for a plain `@` inside documents, and the budget of all of them together; the
    /// place of the argument.
    pub plan: PlanOptions,
    /// The limits.
    pub limits: ExpandLimits,
}

/// The limits of one expansion; the breach of one is an error of the reference that lies beyond it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExpandLimits {
    /// The most documents inside one another.
    pub depth: usize,
    /// The most references that are followed, all documents together.
    pub references: usize,
    /// The most tokens that all that is loaded may have together.
    pub tokens: u64,
}

impl Default for ExpandLimits {
    fn default() -> Self {
        Self { depth: 16, references: 1_000, tokens: 200_000 }
    }
}

/// A document with what is inside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expansion {
    /// The text, with what was loaded in the place of each reference.
    pub text: String,
    /// The references in the order of the text, the argument first.
    pub steps: Vec<ExpansionStep>,
    /// Remarks about loads that did not fail.
    pub notes: Vec<Note>,
}

impl Expansion {
    /// Returns the first error that must stop a prompt: a hot reference failed or lies beyond a
    /// limit.
    #[must_use]
    pub fn hot_failure(&self) -> Option<&LoadError> {
        self.steps.iter().find_map(ExpansionStep::hot_failure)
    }
}

impl Loader {
    /// Expands what a reference names. Whatever its prefix, it is loaded now; what fails stands in
    /// the steps.
    pub async fn expand(&self, reference: &Reference<'_>, options: &ExpandOptions) -> Expansion {
        let mut expander = Expander::new(self, options);
        let asked = (reference.public(), hot(reference));
        let text = expander.argument(asked, &options.plan.place).await;
        expander.finish(text)
    }

    /// Expands a text that a person named, such as a file; `name` is shown for it.
    pub async fn expand_text(&self, name: &str, text: &str, options: &ExpandOptions) -> Expansion {
        let mut expander = Expander::new(self, options);
        let document = Document::new(name, text, options.plan.place.clone());
        let text = expander.named(name, document).await;
        expander.finish(text)
    }
}

/// Returns a reference with the outermost prefix `@!`.
fn hot(reference: &Reference<'_>) -> Option<ReferenceBuf> {
    let text = reference.as_str();
    let bare = text.strip_prefix(reference.semantics().prefix()).unwrap_or(text);
    ReferenceBuf::parse(format!("{}{bare}", Semantics::Hot.prefix())).ok()
}

/// Reports whether references in a resource may be followed: a document of the workspace, or of a
/// protocol that says where its references start.
pub(crate) fn is_document(resource: &Resource) -> bool {
    let is_trusted = matches!(resource.trust, Trust::Program | Trust::User | Trust::Resource);
    let is_prose = matches!(resource.media_type.as_str(), "text/markdown" | "text/plain");
    is_trusted && is_prose && resource.place.is_some()
}

/// So many references are named that are not loaded.
const NAMED: usize = 5;

/// Returns the documents among what was loaded that name references.
pub(crate) fn documents(loaded: &Loaded) -> Vec<Naming> {
    let documents = loaded.resources.iter().filter(|resource| is_document(resource));
    let naming = documents.map(|document| {
        let found = scan(document.text().unwrap_or_default()).filter_map(Result::ok);
        let names = found.map(|found| found.reference.public()).collect();
        Naming { document: document.reference.clone(), names }
    });
    naming.filter(|naming| !naming.names.is_empty()).collect()
}

/// A document, and the references in it.
pub(crate) struct Naming {
    document: String,
    names: Vec<String>,
}

/// Returns the remark about references in documents that were loaded without being expanded, each
/// once.
pub(crate) fn unloaded(documents: &[Naming]) -> Option<Note> {
    let first = documents.first()?;
    let mut names: Vec<&String> = documents.iter().flat_map(|naming| &naming.names).collect();
    let mut seen = HashSet::new();
    names.retain(|name| seen.insert(*name));
    let (count, named) = (names.len(), names.iter().take(NAMED));
    let mut list = named.map(|name| name.as_str()).collect::<Vec<_>>().join(", ");
    if count > NAMED {
        list = format!("{list} and {} more", count - NAMED);
    }
    let bare = first.document.trim_start_matches('@').trim_start_matches(['!', '?']);
    let what = if count == 1 { "reference inside is" } else { "references inside are" };
    let message = format!("{count} {what} not loaded: {list}; `@!{EXPAND}:{bare}` loads them");
    Some(Note { code: codes::NOT_EXPANDED.code, severity: Severity::Warning, message })
}

/// Reports whether a plain `@` is loaded at once under a policy.
const fn is_loaded(semantics: Semantics, policy: Policy) -> bool {
    match semantics {
        Semantics::Hot => true,
        Semantics::Default => matches!(policy, Policy::Budget),
        Semantics::Lazy => false,
    }
}
