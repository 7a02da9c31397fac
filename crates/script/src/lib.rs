//! AgentScript: syntax, analysis, formatter, migration and runtime.

pub mod analysis;
pub mod capability;
pub mod codes;
pub mod format;
pub mod host;
pub mod migrate;
pub mod program;
pub mod runtime;
mod stack;
pub mod syntax;
pub mod template;
