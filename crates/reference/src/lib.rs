//! References: `@protocol://path`, from a text to what it names.
//!
//! Decision: a reference is data until somebody loads it. Reading, printing and finding references
//! ([`syntax`], [`scan`]) and the definitions of protocols ([`definition`]) are pure; what loads is
//! a [`Protocol`], one small trait, and files and networks are touched below `protocols` alone.

pub mod codes;
pub mod definition;
pub mod error;
mod loader;
pub mod pattern;
pub mod plan;
pub mod processors;
pub mod protocol;
pub mod protocols;
pub mod resource;
pub mod scan;
pub mod syntax;
pub mod text;
pub mod tool;

pub use error::LoadError;
pub use loader::{LoadLimits, Loader, Route, Step, StepKind};
pub use plan::{Plan, PlanEntry, PlanOptions, Policy, Sizes, State};
pub use protocol::{
    LoadFuture, Parameter, ParameterKind, Parameters, Place, Protocol, Request, Role,
};
pub use resource::{Content, FOLDER, Loaded, Note, Resource};
