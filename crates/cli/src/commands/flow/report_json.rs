//! The report of a run as JSON, serialised without a copy.

use contexture::flow::run::Report;
use serde::ser::{Serialize, SerializeMap as _, Serializer};
use serde_json::Value;

/// The report `{status, results: {id: outcome}, order}` with optional `run`, `traces`, `warnings` and
/// `error`.
pub(super) struct ReportJson<'r> {
    pub(super) report: &'r Report,
    /// The id of a stored run.
    pub(super) run: Option<&'r str>,
    /// The traces of agents and generations.
    pub(super) traces: Vec<Value>,
    /// The warnings of the check.
    pub(super) warnings: Option<Value>,
}

impl Serialize for ReportJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("status", &self.report.status())?;
        map.serialize_entry("results", &Results(self.report))?;
        map.serialize_entry("order", &Order(self.report))?;
        if let Some(run) = self.run {
            map.serialize_entry("run", run)?;
        }
        if !self.traces.is_empty() {
            map.serialize_entry("traces", &self.traces)?;
        }
        if let Some(warnings) = &self.warnings {
            map.serialize_entry("warnings", warnings)?;
        }
        if let Some(fault) = self.report.fault() {
            let error =
                serde_json::json!({ "code": "journal_failed", "message": fault.to_string() });
            map.serialize_entry("error", &error)?;
        }
        map.end()
    }
}

struct Results<'r>(&'r Report);

impl Serialize for Results<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let pairs = self.0.outcomes().map(|outcome| (outcome.instruction_id.clone(), outcome));
        serializer.collect_map(pairs)
    }
}

struct Order<'r>(&'r Report);

impl Serialize for Order<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.order())
    }
}
