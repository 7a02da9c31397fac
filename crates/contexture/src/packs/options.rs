//! The options of looking for packs.

use contexture_knowledge::Allowance;
use std::path::PathBuf;

/// The budget of what a pack gives where nobody names one, in tokens.
pub const DEFAULT_BUDGET: u64 = 2_000;

/// What is asked for beside the settings.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Options {
    /// Packs, or folders of packs, by their paths; they come before all others and are approved.
    pub explicit: Vec<PathBuf>,
    /// What `--allow-pack` allows.
    pub allow: Vec<Allowance>,
    /// Packs that a person named for this one command, which approves them (KN-8).
    pub named: Vec<String>,
    /// Whether a person named the project for this one command, as `--root` does: that approves its
    /// packs.
    pub approve_project: bool,
    /// Whether archived packs are found and may be read.
    pub archived: bool,
    /// Whether nothing is fetched from the organization's registry.
    pub offline: bool,
    /// Whether nothing is written: what can be made again is kept in memory, and no approval is
    /// remembered.
    pub read_only: bool,
    /// The model whose tokens are counted; the default one when absent.
    pub model: Option<String>,
}
