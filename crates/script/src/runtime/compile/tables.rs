//! The tables of a program while it is compiled.

use crate::runtime::code::{Constant, Executable, FailSite};
use std::collections::HashMap;
use std::sync::Arc;

/// The program under construction, with indexes for finding equal entries.
pub(super) struct Tables {
    pub(super) program: Executable,
    pub(super) instructions: usize,
    strings: HashMap<Arc<str>, u32>,
    names: HashMap<Arc<str>, u32>,
}

impl Tables {
    pub(super) fn new() -> Self {
        Self {
            program: Executable::default(),
            instructions: 0,
            strings: HashMap::new(),
            names: HashMap::new(),
        }
    }

    /// Returns the number of a constant; equal strings are stored once.
    pub(super) fn constant(&mut self, constant: Constant) -> u32 {
        let next = index(self.program.constants.len());
        if let Constant::Str(text) = &constant {
            if let Some(known) = self.strings.get(text) {
                return *known;
            }
            self.strings.insert(Arc::clone(text), next);
        }
        self.program.constants.push(constant);
        next
    }

    /// Returns the number of a field or method name; `None` when it does not fit into an
    /// instruction.
    pub(super) fn name(&mut self, name: &str) -> Option<u16> {
        let next = index(self.program.names.len());
        if let Some(known) = self.names.get(name) {
            return u16::try_from(*known).ok();
        }
        let narrow = u16::try_from(next).ok()?;
        let name: Arc<str> = Arc::from(name);
        self.names.insert(Arc::clone(&name), next);
        self.program.names.push(name);
        Some(narrow)
    }

    pub(super) fn fail(&mut self, site: FailSite) -> u32 {
        push(&mut self.program.fails, site)
    }
}

pub(super) fn push<T>(table: &mut Vec<T>, entry: T) -> u32 {
    table.push(entry);
    index(table.len() - 1)
}

/// Converts an index. Tables are bounded by the bytes of the source, which are counted in 32 bits.
pub(super) fn index(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}
