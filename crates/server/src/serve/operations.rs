//! Operation of the server: log, audit log, metrics and traces.

pub mod audit;
mod chain;
mod lines;
pub(crate) mod log;
pub(crate) mod metrics;
pub(crate) mod otlp;
pub(crate) mod parent;
pub(crate) mod readiness;
#[cfg(feature = "otel")]
pub(crate) mod telemetry;
#[cfg(not(feature = "otel"))]
#[path = "operations/telemetry_missing.rs"]
pub(crate) mod telemetry;
