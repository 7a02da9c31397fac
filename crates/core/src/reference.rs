//! The port of references: what loads `@protocol://path` (REF-11, REF-12, REF-24).
//!
//! A type that implements [`Protocol`] loads the references of one name. Lines, budgets, encodings,
//! nesting and processors are the loader's, in `contexture-reference`.

pub mod error;
pub mod expansion;
pub mod protocol;
pub mod resource;

pub use error::LoadError;
pub use expansion::{ExpansionState, ExpansionStep};
pub use protocol::{
    LoadFuture, Parameter, ParameterKind, Parameters, Place, Protocol, Request, Role,
};
pub use resource::{Content, FOLDER, Loaded, Note, Resource};
