//! Knowledge packs in a program (AS-2, AS-15, KN-9): packs that it imports, shows to a model with
//! `use`, and asks by their methods.
//!
//! Decision: the language knows packs by name only. Whether there is one, and in which state, is
//! asked of the [`SourceLoader`](crate::host::SourceLoader) before a run; what a pack says is asked
//! of the [`Host`](crate::host::Host) in it, once for each model call that shows it.

use crate::capability;
use crate::host::SourceLoader;
use crate::syntax::ast::{Import, ImportKind};
use contexture_context::manifest::Site;
use contexture_context::{Budget, Keep, Position};
use contexture_diagnostic::{Diagnostic, Severity, SourceFile};
use serde_json::Value;

/// An imported pack.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct KnowledgeImport {
    /// Its name in the program.
    pub name: String,
    /// The name of the pack.
    pub pack: String,
}

impl KnowledgeImport {
    /// The pack that an import names; `None` when it is another kind, or its URI names none.
    #[must_use]
    pub fn of(import: &Import) -> Option<Self> {
        let pack = match import.kind {
            ImportKind::Knowledge => capability::pack(&import.from.value).ok()?,
            _ => return None,
        };
        Some(Self { name: import.name.text.clone(), pack: pack.to_owned() })
    }
}

/// A pack that a `use` shows (AS-15).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsedPack {
    /// How many of the call's items stand before it in the prompt.
    pub before: usize,
    /// How many of the call's resources stand before it in the prompt.
    pub resources_before: usize,
    /// The pack.
    pub import: KnowledgeImport,
    /// The label, if any.
    pub label: Option<String>,
    /// Where it is used.
    pub position: Position,
    /// The budget of what it contributes.
    pub budget: Option<Budget>,
    /// What stays when even that does not fit.
    pub keep: Keep,
    /// The order in which it yields to a whole-prompt budget.
    pub priority: i64,
}

/// A call of a pack's method.
#[derive(Debug, Clone, PartialEq)]
pub struct KnowledgeCall {
    /// The trace event of this call.
    pub event: u64,
    /// The pack.
    pub import: KnowledgeImport,
    /// `guide` or `resolve`.
    pub method: String,
    /// Its argument, an object.
    pub arguments: Value,
    /// Where the program calls.
    pub site: Site,
}

/// What is to be said about a pack that a program imports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnowledgeFault {
    /// The code of the knowledge layer, such as `KN1001`.
    pub code: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// What it is.
    pub message: String,
    /// How to mend it.
    pub help: Option<String>,
}

/// What is to be said about the pack of an import, at the literal that names it.
pub(crate) fn import_faults(
    import: &Import,
    importer: &SourceFile,
    loader: &dyn SourceLoader,
) -> Vec<Diagnostic> {
    let Some(known) = KnowledgeImport::of(import) else { return Vec::new() };
    let span = import.from.span;
    let told = loader.knowledge(&known).into_iter().map(|fault| {
        let KnowledgeFault { code, severity, message, help } = fault;
        let told = match severity {
            Severity::Error => Diagnostic::error(code, message, span),
            Severity::Warning => Diagnostic::warning(code, message, span),
            Severity::Hint => Diagnostic::hint(code, message, span),
        };
        let told = told.in_file(importer.name());
        match help {
            Some(help) => told.with_help(help),
            None => told,
        }
    });
    told.collect()
}
