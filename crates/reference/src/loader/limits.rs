//! What one load may take.

/// Limits of one load; their breach is an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoadLimits {
    /// The most bytes that one reference may give, all its resources together.
    pub max_bytes: u64,
    /// The most resources that one reference may give.
    pub max_resources: usize,
    /// How many references of a plan are loaded at the same time.
    pub concurrency: usize,
    /// The most references that one text may hold.
    pub max_references: usize,
    /// The most bytes that all loaded references of a plan may give together.
    pub max_plan_bytes: u64,
}

impl Default for LoadLimits {
    fn default() -> Self {
        Self {
            max_bytes: 64 * 1024 * 1024,
            max_resources: 20_000,
            concurrency: 8,
            max_references: 10_000,
            max_plan_bytes: 256 * 1024 * 1024,
        }
    }
}
