//! The kinds of JSON records that a pack keeps, and reading one of them (KN-17).

use super::error::MaintenanceError;
use super::schema;
use crate::codes;
use crate::files;
use crate::finding::Finding;
use serde::Serialize;
use serde_json::Value;
use std::path::Path;
use std::sync::OnceLock;

pub(super) const MAX_BYTES: u64 = 16 << 20;

/// The kinds of records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RecordKind {
    /// The output that a maintenance tool compiled from the sources.
    CompileRun,
    /// The sources of claims.
    SourceMap,
    /// Cases for selecting a pack.
    SelectionEval,
    /// The results of such cases.
    EvalRun,
    /// The selection of a resolver.
    ContextResolution,
    /// One use of a pack.
    Usage,
}

impl RecordKind {
    /// Returns its JSON Schema, as published in `schemas/`.
    #[must_use]
    pub const fn schema_text(self) -> &'static str {
        match self {
            Self::CompileRun => include_str!("../../schemas/compile-run.schema.json"),
            Self::SourceMap => include_str!("../../schemas/source-map.schema.json"),
            Self::SelectionEval => include_str!("../../schemas/selection-eval.schema.json"),
            Self::EvalRun => include_str!("../../schemas/eval-run.schema.json"),
            Self::ContextResolution => include_str!("../../schemas/context-resolution.schema.json"),
            Self::Usage => include_str!("../../schemas/usage.schema.json"),
        }
    }

    /// Returns its JSON Schema as a value.
    #[must_use]
    pub fn schema(self) -> &'static Value {
        static SCHEMAS: [OnceLock<Value>; 6] = [const { OnceLock::new() }; 6];
        static NONE: Value = Value::Null;
        let parsed = |text| serde_json::from_str(text).unwrap_or_default();
        SCHEMAS
            .get(self as usize)
            .map_or(&NONE, |cell| cell.get_or_init(|| parsed(self.schema_text())))
    }

    /// Returns the kind of a record: by a field that no other kind has, else by the name of its
    /// file, else by a field that several kinds have.
    #[must_use]
    pub fn of(file_name: &str, record: &Value) -> Option<Self> {
        let run = || (record.get("run_id").is_some()).then_some(Self::CompileRun);
        Self::by_fields(record).or_else(|| Self::by_name(file_name)).or_else(run)
    }

    fn by_fields(record: &Value) -> Option<Self> {
        const FIELDS: [(&str, RecordKind); 8] = [
            ("claims", RecordKind::SourceMap),
            ("cases", RecordKind::SelectionEval),
            ("activated_packs", RecordKind::ContextResolution),
            ("results", RecordKind::EvalRun),
            ("citation_gaps", RecordKind::Usage),
            ("selected_files", RecordKind::Usage),
            ("trigger", RecordKind::CompileRun),
            ("outputs", RecordKind::CompileRun),
        ];
        let has = |name: &str| record.get(name).is_some();
        FIELDS.iter().find(|(name, _)| has(name)).map(|(_, kind)| *kind)
    }

    fn by_name(file_name: &str) -> Option<Self> {
        const NAMES: [(&str, RecordKind); 7] = [
            ("source-map", RecordKind::SourceMap),
            ("eval-", RecordKind::EvalRun),
            ("discovery", RecordKind::SelectionEval),
            ("selection", RecordKind::SelectionEval),
            ("context", RecordKind::ContextResolution),
            ("usage", RecordKind::Usage),
            ("compile", RecordKind::CompileRun),
        ];
        let name = file_name.to_lowercase();
        NAMES.iter().find(|(part, _)| name.contains(part)).map(|(_, kind)| *kind)
    }
}

crate::item::words! {
    RecordKind: CompileRun "compile-run", SourceMap "source-map",
        SelectionEval "selection-eval", EvalRun "eval-run",
        ContextResolution "context-resolution", Usage "usage";
}

/// The result of checking one file of records.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RecordCheck {
    /// True if nothing is wrong.
    pub ok: bool,
    /// `passed` or `needs-review`.
    pub status: &'static str,
    /// The kind, if it is known; of the first line of a `.jsonl` file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<RecordKind>,
    /// The number of records in the file.
    pub records: usize,
    /// The faults.
    pub findings: Vec<Finding>,
}

/// Checks one file of records against the schema of its kind: a `.json` file is one record, a
/// `.jsonl` file has one in each line.
///
/// # Errors
/// [`MaintenanceError`] when the file can't be read. What is wrong in it is a finding.
pub fn validate_run(file: &Path) -> Result<RecordCheck, MaintenanceError> {
    let text = read_text(file)?;
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let checked = check_text(&name, &text, file);
    let ok = checked.findings.is_empty();
    Ok(RecordCheck {
        ok,
        status: if ok { "passed" } else { "needs-review" },
        kind: checked.records.first().and_then(|(kind, _)| *kind),
        records: checked.records.len(),
        findings: checked.findings,
    })
}

#[derive(Default)]
pub(super) struct Checked {
    pub(super) records: Vec<(Option<RecordKind>, Value)>,
    pub(super) findings: Vec<Finding>,
}

/// Checks the text of a file of records; `path` is how the file is named in findings.
pub(super) fn check_text(name: &str, text: &str, path: &Path) -> Checked {
    let mut checked = Checked::default();
    let by_line = name.to_lowercase().ends_with(".jsonl");
    if !by_line {
        checked.one(name, text, path, None);
        return checked;
    }
    for (index, line) in text.lines().enumerate() {
        if !line.trim().is_empty() {
            checked.one(name, line, path, u32::try_from(index + 1).ok());
        }
    }
    checked
}

impl Checked {
    /// Takes in one record; `line` is that of a record that is a line.
    fn one(&mut self, name: &str, text: &str, path: &Path, line: Option<u32>) {
        let record = match serde_json::from_str::<Value>(text) {
            Ok(record) => record,
            Err(error) => {
                let line = line.or_else(|| u32::try_from(error.line()).ok());
                let message = format!("this is not JSON: {error}");
                self.findings.push(at(Finding::new(codes::NOT_JSON, path, message), line));
                return;
            }
        };
        let kind = RecordKind::of(name, &record);
        match kind {
            Some(kind) => self.faults(kind, &record, path, line),
            None => {
                let message = "a record of an unknown kind: expected one of compile-run, \
                               source-map, selection-eval, eval-run, context-resolution or usage";
                self.findings.push(at(Finding::new(codes::UNKNOWN_RECORD, path, message), line));
            }
        }
        self.records.push((kind, record));
    }

    fn faults(&mut self, kind: RecordKind, record: &Value, path: &Path, line: Option<u32>) {
        for fault in schema::check(record, kind.schema()) {
            let place = if fault.pointer.is_empty() { "/" } else { &fault.pointer };
            let message = format!("{kind} {place}: {}", fault.message);
            self.findings.push(at(Finding::new(codes::BAD_RECORD, path, message), line));
        }
    }
}

fn at(finding: Finding, line: Option<u32>) -> Finding {
    match line {
        Some(line) => finding.at_line(line),
        None => finding,
    }
}

/// Returns what the system reports, in the middle of a sentence.
pub(super) fn told(error: &std::io::Error) -> String {
    files::told(error).to_lowercase()
}

pub(super) fn read_text(file: &Path) -> Result<String, MaintenanceError> {
    let failed = |reason: String| MaintenanceError::Unreadable { path: file.to_owned(), reason };
    let bytes = files::head(file, MAX_BYTES + 1).map_err(|error| failed(told(&error)))?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(failed(format!("it is larger than {} MiB", MAX_BYTES >> 20)));
    }
    String::from_utf8(bytes).map_err(|_| failed("it is not UTF-8 text".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(name: &str, text: &str) -> RecordCheck {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(name);
        std::fs::write(&file, text).unwrap();
        validate_run(&file).unwrap()
    }

    const COMPILE: &str = r#"{"run_id": "compile-1", "trigger": "manual", "status": "passed",
    "inputs": [{"path": "sources/a.md"}], "outputs": [{"path": "wiki/a.md", "operation": "created"}]}"#;
    const SOURCE_MAP: &str = r#"{"claims": [{"claim_id": "c1", "text": "It is blue.",
    "status": "confirmed", "source": {"path": "sources/a.md", "anchor": "L3"}}]}"#;
    const SELECTION: &str = r#"{"pack_name": "acme", "cases": [{"id": "a", "prompt": "Is it blue?",
    "expected": "warn", "reason": "colours", "expected_warnings": ["stale"]}]}"#;
    const EVAL: &str = r#"{"suite": "evals/a.json", "pack_name": "acme", "results": [{"id": "a",
    "expected": "select", "actual": "select", "passed": true}],
    "summary": {"passed": 1, "failed": 0, "precision": 1, "recall": 1}}"#;
    const CONTEXT: &str = r#"{"run_id": "context-1", "query": "Is it blue?", "status": "passed",
    "activated_packs": [{"name": "acme", "activation": "implicit", "selected_files": []}]}"#;
    /// The line of the format's description of clients.
    const USAGE: &str = r#"{"pack": "acme-product-brief", "version": "0.7.2", "status": "ready",
    "profile": "document-first", "runtime_mode": "data", "selected_files": ["compiled/briefing.md"],
    "grounding": "required", "citation_gaps": [], "warnings": [],
    "timestamp": "2026-05-01T00:00:00Z"}"#;

    #[test]
    fn kn_17_each_kind_of_record_is_known_and_passes() {
        for (kind, text) in [
            (RecordKind::CompileRun, COMPILE),
            (RecordKind::SourceMap, SOURCE_MAP),
            (RecordKind::SelectionEval, SELECTION),
            (RecordKind::EvalRun, EVAL),
            (RecordKind::ContextResolution, CONTEXT),
            (RecordKind::Usage, USAGE),
        ] {
            let checked = check("record.json", text);
            assert_eq!((checked.kind, checked.findings.as_slice()), (Some(kind), [].as_slice()));
            assert!(checked.ok && checked.status == "passed" && checked.records == 1);
        }
    }

    #[test]
    fn kn_17_file_name_gives_kind_of_record_that_lacks_fields() {
        for (name, kind) in [
            ("compile-2026-05-01.json", RecordKind::CompileRun),
            ("source-map.json", RecordKind::SourceMap),
            ("discovery.train.json", RecordKind::SelectionEval),
            ("selection-eval.json", RecordKind::SelectionEval),
            ("eval-discovery-2026.json", RecordKind::EvalRun),
            ("context-2026.json", RecordKind::ContextResolution),
            ("usage.json", RecordKind::Usage),
        ] {
            let checked = check(name, "{}");
            assert_eq!(checked.kind, Some(kind), "{name}");
            assert!(!checked.ok && checked.status == "needs-review");
            let required = kind.schema()["required"].as_array().unwrap().len();
            assert_eq!(checked.findings.len(), required, "{name}: {:?}", checked.findings);
        }
        assert_eq!(RecordKind::of("x.json", &json!({"run_id": "1"})), Some(RecordKind::CompileRun));
        let checked = check("x.json", "[1]");
        assert_eq!((checked.kind, checked.findings[0].code), (None, "KN4103"));
    }

    #[test]
    fn kn_17_log_is_checked_line_by_line() {
        let line = USAGE.replace('\n', " ");
        let bad = line.replace("\"required\"", "\"demanded\"");
        let log = format!("{line}\n\n{bad}\n{{\"pack\": \n{line}\n");
        let checked = check("usage.jsonl", &log);
        assert_eq!((checked.kind, checked.records), (Some(RecordKind::Usage), 3));
        let found: Vec<(&str, Option<u32>)> =
            checked.findings.iter().map(|finding| (finding.code, finding.line)).collect();
        assert_eq!(found, [("KN4102", Some(3)), ("KN4101", Some(4))]);
        assert_eq!(
            checked.findings[0].message,
            "usage /grounding: expected \"none\", \"recommended\" or \"required\", found \"demanded\""
        );
    }

    #[test]
    fn kn_17_file_that_is_not_json_or_no_file_is_reported() {
        let checked = check("compile.json", "{\n  \"run_id\": \"a\",\n  oops\n}");
        assert_eq!((checked.findings[0].code, checked.findings[0].line), ("KN4101", Some(3)));
        let deep = "[".repeat(100_000);
        assert_eq!(check("compile.json", &deep).findings[0].code, "KN4101");
        let folder = tempfile::tempdir().unwrap();
        let error = validate_run(&folder.path().join("none.json")).unwrap_err();
        assert_eq!(error.code(), "KN4206");
        let file = folder.path().join("latin.json");
        std::fs::write(&file, b"{\"run_id\": \"\xe9\"}").unwrap();
        assert!(validate_run(&file).unwrap_err().to_string().ends_with("it is not UTF-8 text"));
    }

    #[test]
    fn kn_17_schemas_are_json_schemas_that_forbid_unknown_fields() {
        for kind in RecordKind::ALL {
            let schema = kind.schema();
            assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema", "{kind}");
            assert_eq!(schema["additionalProperties"], false, "{kind}");
            for name in schema["required"].as_array().unwrap() {
                assert!(
                    schema["properties"].get(name.as_str().unwrap()).is_some(),
                    "{kind} {name}"
                );
            }
        }
    }

    #[test]
    fn kn_15_what_usage_log_writes_fits_schema() {
        let line: crate::usage::UsageLine = serde_json::from_str(USAGE).unwrap();
        let without = crate::usage::UsageLine { version: None, ..line.clone() };
        for line in [line, without] {
            let checked = check("usage.jsonl", &serde_json::to_string(&line).unwrap());
            assert_eq!((checked.kind, checked.findings), (Some(RecordKind::Usage), vec![]));
        }
    }
}
