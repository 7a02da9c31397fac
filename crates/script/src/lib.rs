//! AgentScript: syntax, analysis, formatter, migration and runtime.

pub mod analysis;
pub mod capability;
pub mod codes;
pub mod host;
pub mod program;
pub mod syntax;
