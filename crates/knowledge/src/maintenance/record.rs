//! The kinds of JSON records that a pack keeps, and reading one of them (KN-17).

use super::error::MaintenanceError;
use super::schema;
use crate::codes;
use crate::finding::Finding;
use serde::Serialize;
use serde_json::Value;
use std::fmt;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::OnceLock;

/// The largest record that is read, in bytes.
pub(super) const MAX_BYTES: u64 = 16 << 20;

/// The kinds of records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RecordKind {
    /// What a maintenance tool made of the sources.
    CompileRun,
    /// Where claims come from.
    SourceMap,
    /// Cases for selecting a pack.
    SelectionEval,
    /// How such cases went.
    EvalRun,
    /// What a resolver selected.
    ContextResolution,
    /// One use of a pack.
    Usage,
}

impl RecordKind {
    /// All kinds.
    pub const ALL: [Self; 6] = [
        Self::CompileRun,
        Self::SourceMap,
        Self::SelectionEval,
        Self::EvalRun,
        Self::ContextResolution,
        Self::Usage,
    ];

    /// Its word, which is also the name of its schema file.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::CompileRun => "compile-run",
            Self::SourceMap => "source-map",
            Self::SelectionEval => "selection-eval",
            Self::EvalRun => "eval-run",
            Self::ContextResolution => "context-resolution",
            Self::Usage => "usage",
        }
    }

    /// Its JSON Schema, as published in `schemas/`.
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

    /// Its JSON Schema as a value.
    #[must_use]
    pub fn schema(self) -> &'static Value {
        static SCHEMAS: [OnceLock<Value>; 6] = [const { OnceLock::new() }; 6];
        static NONE: Value = Value::Null;
        let parsed = |text| serde_json::from_str(text).unwrap_or_default();
        SCHEMAS
            .get(self as usize)
            .map_or(&NONE, |cell| cell.get_or_init(|| parsed(self.schema_text())))
    }

    /// The kind of a record: by a field that no other kind has, else by the name of its file, else
    /// by a field that several kinds have.
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

impl fmt::Display for RecordKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// What was found about one file of records.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RecordCheck {
    /// Whether nothing is wrong.
    pub ok: bool,
    /// `passed` or `needs-review`.
    pub status: &'static str,
    /// The kind, if it could be told; of the first line of a `.jsonl` file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<RecordKind>,
    /// How many records the file holds.
    pub records: usize,
    /// What is wrong.
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

/// The records of a file, and what is wrong with them.
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
                let message = format!("this is no JSON: {error}");
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

/// What the system reports, without its number.
pub(super) fn told(error: &std::io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or(&text).to_lowercase()
}

/// The text of a file outside a pack.
pub(super) fn read_text(file: &Path) -> Result<String, MaintenanceError> {
    let failed = |reason: String| MaintenanceError::Unreadable { path: file.to_owned(), reason };
    let open = File::open(file).map_err(|error| failed(told(&error)))?;
    let mut bytes = Vec::new();
    let read = open.take(MAX_BYTES + 1).read_to_end(&mut bytes);
    read.map_err(|error| failed(told(&error)))?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(failed(format!("it is larger than {} MiB", MAX_BYTES >> 20)));
    }
    String::from_utf8(bytes).map_err(|_| failed("it is not UTF-8 text".to_owned()))
}

#[cfg(test)]
mod tests;
