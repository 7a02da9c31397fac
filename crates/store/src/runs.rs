//! Runs: the trace of each as JSON lines, written while it happens, and the texts it saw (AS-29).
//!
//! Decision: trace lines go to a file that only grows, in one write per call, so a run that is
//! killed keeps all but perhaps its last line, and runs at the same time never meet. Texts are kept by digest and
//! asked for by run and digest: small ones stand beside the run's trace, larger ones once for all
//! runs (see [`FolderStore`]). Secrets are masked here, at the last moment before anything is
//! written.

mod folder;
mod in_memory;
#[cfg(test)]
mod tests;

pub use contexture_core::store::runs::*;
pub use folder::FolderStore;
pub use in_memory::InMemoryRuns;
