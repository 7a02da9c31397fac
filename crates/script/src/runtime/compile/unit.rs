//! The compiler's view of a source file.

use crate::program::imports_of;
use crate::server::ServerFacts;
use crate::syntax::ast::{File, Import};
use contexture_diagnostic::SourceFile;
use std::sync::Arc;

/// A source file of a program; the first is the program's own.
#[derive(Debug, Clone)]
pub(crate) struct Unit<'a> {
    pub(crate) source: Arc<SourceFile>,
    pub(crate) tree: &'a File,
    /// The file of each import of a declaration, by the import's name, as an index among the units.
    pub(crate) links: &'a [(String, usize)],
    /// The facts about each imported server, by the import's name.
    pub(crate) servers: &'a [(String, ServerFacts)],
}

impl<'a> Unit<'a> {
    pub(crate) fn imports(&self) -> impl Iterator<Item = &'a Import> + use<'a> {
        imports_of(&self.tree.items)
    }
}
