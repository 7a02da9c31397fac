//! AgentScript: syntax, analysis, formatter, migration and runtime of Contexture
