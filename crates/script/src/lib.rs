//! AgentScript: syntax, analysis, formatter, migration and runtime.

pub mod host;
pub mod syntax;
