//! Flows.
pub mod codes;
pub mod condition;
