//! The open documents: their texts, which are newer than their files.

use crate::protocol::Change;
use contexture_diagnostic::{Diagnostic, SourceFile};
use contexture_script::analysis::{self, VariableType};
use contexture_script::program::Program;
use contexture_script::semantic::symbols::{Symbol, SymbolKind, Symbols};
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
    variables: OnceCell<Vec<VariableType>>,
}

impl Analysed {
    pub(crate) fn new(program: Program) -> Self {
        Self { program, ..Self::default() }
    }

    /// Returns the faults of the first file.
    pub(crate) fn faults(&self) -> &[Diagnostic] {
        self.faults.get_or_init(|| analysis::analyze_file(&self.program, 0).faults)
    }

    /// Returns the types of the first file's variables.
    fn variables(&self) -> &[VariableType] {
        self.variables.get_or_init(|| analysis::variable_types(&self.program, 0))
    }

    /// Returns the type of a variable or parameter of the first file, as far as it is certain.
    pub(crate) fn type_of(&self, symbol: &Symbol) -> Option<&str> {
        let is_value = matches!(symbol.kind, SymbolKind::Variable | SymbolKind::Parameter);
        let own = symbol.container.and_then(|number| self.symbols().get(number))?;
        let is_meant = |of: &&VariableType| of.function == own.whole && of.name == symbol.name;
        let known = self.variables().iter().filter(|_| is_value && symbol.file == 0);
        known.into_iter().find(is_meant).map(|known| known.of.as_str())
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
