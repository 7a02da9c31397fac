//! The open documents: their texts, which are newer than their files.

use crate::protocol::Change;
use contexture_diagnostic::{Diagnostic, SourceFile};
use contexture_script::analysis;
use contexture_script::program::Program;
use contexture_script::semantic::symbols::Symbols;
use std::cell::OnceCell;

/// An open document.
#[derive(Debug)]
pub(crate) struct Document {
    pub(crate) uri: String,
    pub(crate) version: i64,
    /// The number of its workspace.
    pub(crate) workspace: usize,
    /// Its name in the workspace.
    pub(crate) name: String,
    pub(crate) text: String,
    /// True if the text or a file that it imports has changed since it was analysed.
    pub(crate) is_stale: bool,
    /// True if its faults have to be told.
    pub(crate) is_untold: bool,
    pub(crate) analysed: Analysed,
}

/// A program with what is known of it; each part is computed when it is first asked for.
#[derive(Debug, Default)]
pub(crate) struct Analysed {
    pub(crate) program: Program,
    faults: OnceCell<Vec<Diagnostic>>,
    symbols: OnceCell<Symbols>,
}

impl Analysed {
    pub(crate) fn new(program: Program) -> Self {
        Self { program, ..Self::default() }
    }

    /// Returns the faults of the first file.
    pub(crate) fn faults(&self) -> &[Diagnostic] {
        self.faults.get_or_init(|| analysis::analyze_file(&self.program, 0).faults)
    }

    pub(crate) fn symbols(&self) -> &Symbols {
        self.symbols.get_or_init(|| analysis::symbols(&self.program))
    }
}

impl Document {
    /// Makes the changes of a message, one after the other.
    pub(crate) fn change(&mut self, changes: Vec<Change>) {
        for change in changes {
            let Some(range) = change.range else {
                self.text = change.text;
                continue;
            };
            let span = match self.analysed.program.files.first() {
                Some(file) if file.source.text() == self.text => range.span(&file.source),
                _ => range.span(&SourceFile::new("", self.text.as_str())),
            };
            self.text.replace_range(span.range(), &change.text);
        }
        self.is_stale = true;
    }
}
