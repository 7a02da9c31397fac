//! What the compiler needs to know of a source file.

use crate::syntax::ast::File;
use contexture_diagnostic::SourceFile;
use std::sync::Arc;

/// A source file of a program; the first is the program's own.
#[derive(Debug, Clone)]
pub(crate) struct Unit<'a> {
    /// Its text and name.
    pub(crate) source: Arc<SourceFile>,
    /// Its tree.
    pub(crate) tree: &'a File,
    /// The file behind each `import agent`, by the import's name, as an index among the units.
    pub(crate) agents: Vec<(String, usize)>,
}
