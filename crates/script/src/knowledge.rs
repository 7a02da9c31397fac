//! Knowledge packs in a program (AS-2, AS-15, KN-9): packs that it imports, shows to a model with
//! `use`, and queries by their methods.
//!
//! Decision: the language knows packs by name only. Before a run, the
//! [`SourceLoader`](crate::host::SourceLoader) reports whether a pack exists and in which state; in
//! a run, the [`Host`](crate::host::Host) returns its content, once for each model call that shows
//! it.

use crate::capability;
use crate::host::CallKey;
use crate::reference::Used;
use crate::syntax::ast::{Import, ImportKind};
use contexture_context::manifest::Site;
use contexture_diagnostic::Severity;
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
    /// Returns the pack that an import names; `None` when it is of another kind or its URI does not
    /// name a pack.
    #[must_use]
    pub fn of(import: &Import) -> Option<Self> {
        let pack = match import.kind {
            ImportKind::Knowledge => capability::pack(&import.from.value).ok()?,
            _ => return None,
        };
        Some(Self { name: import.name.text.clone(), pack: pack.to_owned() })
    }
}

/// A pack that a `use` shows.
pub type UsedPack = Used<KnowledgeImport>;

/// A call of a pack's method.
#[derive(Debug, Clone, PartialEq)]
pub struct KnowledgeCall {
    /// The trace event of this call.
    pub event: u64,
    /// Its place among the calls of the run.
    pub key: CallKey,
    /// The pack.
    pub import: KnowledgeImport,
    /// `guide` or `resolve`.
    pub method: String,
    /// Its argument, an object.
    pub arguments: Value,
    /// The place of the call.
    pub site: Site,
}

/// A fault of a pack that a program imports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnowledgeFault {
    /// The code of the knowledge layer, such as `KN1001`.
    pub code: &'static str,
    /// Its severity.
    pub severity: Severity,
    /// The message.
    pub message: String,
    /// The way to fix it.
    pub help: Option<String>,
}
