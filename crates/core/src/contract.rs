//! Contract suites of the ports, which every implementation must pass (HO-2).
//!
//! Each suite is a function that panics at the first breach, to be called from a test of the crate
//! that implements the port. The implementations of Contexture pass the same suites.
//!
//! ```
//! # #[derive(serde::Deserialize, schemars::JsonSchema)]
//! # struct Query { city: String }
//! use contexture_core::contract;
//! use contexture_core::tool::{RustTool, ToolFailure};
//! use std::sync::Arc;
//!
//! # let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
//! # runtime.block_on(async {
//! let tool = RustTool::new("weather").reads("now", "Returns the weather.", |query: Query| async move {
//!     Ok::<_, ToolFailure>(format!("rain in {}", query.city))
//! });
//! contract::tool(Arc::new(tool)).await;
//! # });
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![allow(clippy::panic, reason = "a suite that finds a breach fails its test")]

mod embedder;
pub mod paths;
mod provider;
mod reference;
mod reranker;
pub mod store;
mod tool;

pub use embedder::embedder;
pub use provider::provider;
pub use reference::{ProtocolExample, protocol};
pub use reranker::reranker;
pub use tool::tool;
