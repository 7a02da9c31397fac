//! What an operator sees of the server: its log, its audit, its figures, its traces.

pub mod audit;
mod lines;
pub(crate) mod log;
pub(crate) mod metrics;
pub(crate) mod readiness;
pub(crate) mod telemetry;
