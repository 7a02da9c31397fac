/// How much one file of definitions, and all of them, may hold. A breach is an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of one file.
    pub file_bytes: usize,
    /// Resource elements in one file.
    pub elements: usize,
    /// Definitions in all layers together.
    pub definitions: usize,
    /// Diagnostics told of one file; one more says that there are others.
    pub diagnostics: usize,
    /// Rules in one location.
    pub rules: usize,
    /// Bytes of one rule.
    pub rule_bytes: usize,
    /// Brackets within brackets in a rule.
    pub rule_depth: usize,
    /// Steps that matching one path may take.
    pub match_steps: usize,
    /// Rows of one table.
    pub rows: usize,
    /// Registry entries followed for one reference.
    pub registry_steps: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            file_bytes: 4 << 20,
            elements: 256,
            definitions: 4096,
            diagnostics: 100,
            rules: 256,
            rule_bytes: 4096,
            rule_depth: 32,
            match_steps: 1_000_000,
            rows: 10_000,
            registry_steps: 32,
        }
    }
}
