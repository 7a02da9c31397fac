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
fn kn_17_a_name_tells_the_kind_of_a_record_that_lacks_its_fields() {
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
fn kn_17_a_log_is_checked_line_by_line() {
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
fn kn_17_a_file_that_is_no_json_or_no_file_is_told() {
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
fn kn_17_the_schemas_are_json_schemas_that_forbid_unknown_fields() {
    for kind in RecordKind::ALL {
        let schema = kind.schema();
        assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema", "{kind}");
        assert_eq!(schema["additionalProperties"], false, "{kind}");
        for name in schema["required"].as_array().unwrap() {
            assert!(schema["properties"].get(name.as_str().unwrap()).is_some(), "{kind} {name}");
        }
    }
}

#[test]
fn kn_15_what_the_usage_log_writes_fits_the_schema() {
    let line: crate::usage::UsageLine = serde_json::from_str(USAGE).unwrap();
    let without = crate::usage::UsageLine { version: None, ..line.clone() };
    for line in [line, without] {
        let checked = check("usage.jsonl", &serde_json::to_string(&line).unwrap());
        assert_eq!((checked.kind, checked.findings), (Some(RecordKind::Usage), vec![]));
    }
}
