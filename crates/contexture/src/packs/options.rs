//! The options of the search for packs.

use contexture_knowledge::Allowance;
use std::path::PathBuf;

/// The default budget of a pack's answer, in tokens.
pub const DEFAULT_BUDGET: u64 = 2_000;

/// The options beside the settings.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Options {
    /// Packs, or folders of packs, by their paths; they come before all others and are approved.
    pub explicit: Vec<PathBuf>,
    /// The allowances of `--allow-pack`.
    pub allow: Vec<Allowance>,
    /// Packs that a person named for this one command, which approves them (KN-8).
    pub named: Vec<String>,
    /// True if a person named the project for this one command, as with `--root`, which approves
    /// its packs.
    pub approve_project: bool,
    /// True if archived packs are found and may be read.
    pub archived: bool,
    /// True if nothing is fetched from the organization's registry.
    pub offline: bool,
    /// True if nothing is written: caches are kept in memory, and no approval is remembered.
    pub read_only: bool,
    /// The model whose tokens are counted; the default one when absent.
    pub model: Option<String>,
}
