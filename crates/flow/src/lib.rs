//! Flows.
pub mod action;
pub mod check;
pub mod codes;
pub mod condition;
mod graph;
mod measure;
pub mod reference;
mod set;

pub use set::{FrontendCall, Kind, Mode, Set, Step};
