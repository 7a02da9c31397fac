//! References: `@protocol://path`, from a text to what it names.
//!
//! Decision: a reference is data until somebody loads it. Reading, printing and finding references
//! ([`syntax`], [`scan`]) and the definitions of protocols ([`definition`]) are pure; what loads is
//! a [`Protocol`], one small trait, and files and networks are touched below `protocols` alone.
//!
//! ```
//! use contexture_context::tokens::tokenizer_for;
//! use contexture_reference::protocols::Memory;
//! use contexture_reference::{Loader, Place, scan::scan};
//! use std::sync::Arc;
//!
//! let text = "Keep to @!memory://tone?line=1, and not to `@memory://none`.";
//! let found: Vec<_> = scan(text).filter_map(Result::ok).collect();
//! assert_eq!(found.len(), 1);
//!
//! let loader = Loader::new(tokenizer_for("gpt-4o"))
//!     .with(Arc::new(Memory::of([("tone", "Be brief.\nBe kind.\n")])));
//! # let runtime = tokio::runtime::Builder::new_current_thread().build()?;
//! # runtime.block_on(async {
//! let loaded = loader.load(&found[0].reference, &Place::workspace()).await?;
//! assert_eq!(loaded.resources[0].text(), Some("Be brief.\n"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod codes;
pub mod definition;
pub mod expand;
mod loader;
pub mod pattern;
pub mod plan;
pub mod processors;
pub mod protocols;
pub mod scan;
pub mod syntax;
pub mod text;
pub mod tool;

pub use contexture_core::reference::{
    Content, ExpansionState, ExpansionStep, FOLDER, LoadError, LoadFuture, Loaded, Note, Parameter,
    ParameterKind, Parameters, Place, Protocol, Request, Resource, Role,
};
pub use loader::{LoadLimits, Loader, Route, Step, StepKind};
pub use plan::{Plan, PlanEntry, PlanOptions, Policy, Sizes, State};
