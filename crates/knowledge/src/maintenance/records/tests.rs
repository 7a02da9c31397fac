use crate::maintenance::support::pack;

const MAP: &str = r##"{
  "claims": [
    {"claim_id": "c1", "text": "It is blue.", "status": "confirmed",
     "source": {"path": "sources/a.md", "anchor": "L3"}, "compiled_into": ["compiled/facts.md"]},
    {"claim_id": "c1", "text": "It is big.", "status": "inferred",
     "source": {"path": "sources/none.md"}, "compiled_into": ["compiled/none.md"],
     "document": "documents/none.md"},
    {"claim_id": "c3", "text": "It is old.", "status": "stale",
     "source": {"path": "sources/a.md", "anchor": "#L99"}}
  ],
  "document_sections": [
    {"document": "documents/main.md", "section_id": "one", "title": "One",
     "source_anchors": ["sources/a.md#L3", "sources/a.md#nowhere"],
     "compiled_into": ["compiled/splits/main/1.md"]}
  ]
}"##;

#[test]
fn kn_17_what_a_source_map_names_is_there() {
    let made = pack(&[
        ("sources/a.md", "# A\n\nIt is blue.\n"),
        ("compiled/facts.md", "# Facts\n\n- It is blue.\n"),
        ("documents/main.md", "# Main\n\n## One\n\nIt is blue.\n"),
        ("compiled/splits/main/1.md", "# One\n\nIt is blue.\n"),
        ("compiled/splits/main/2.md", "# Two\n\nIt is not listed.\n"),
        ("compiled/splits/other/1.md", "# One\n\nNo document.\n"),
        ("indexes/source-map.json", MAP),
    ]);
    assert_eq!(
        made.findings(),
        [
            "KN4004 compiled/splits/main/2.md `indexes/source-map.json` lists the sections of the \
             document without this one",
            "KN4003 compiled/splits/other `compiled/splits/other/` holds sections of a document \
             that is not there: expected `documents/other.md`",
            "KN4007 indexes/source-map.json source-map /claims/1/source: there is no file \
             `sources/none.md` in the pack",
            "KN4007 indexes/source-map.json source-map /claims/2/source: `sources/a.md` has 3 \
             lines, no line 99",
            "KN4007 indexes/source-map.json source-map /document_sections/0/source_anchors/1: \
             `sources/a.md` has no heading `nowhere`",
            "KN4104 indexes/source-map.json source-map /claims/1/compiled_into/0: the pack has no \
             file `compiled/none.md`",
            "KN4104 indexes/source-map.json source-map /claims/1/document: the pack has no file \
             `documents/none.md`",
            "KN4106 indexes/source-map.json two entries have the id `c1`",
        ]
    );
}

fn run(digest: &str) -> String {
    format!(
        r#"{{"run_id": "r", "trigger": "ingest", "status": "passed",
        "outputs": [{{"path": "wiki/a.md", "operation": "deleted"}},
            {{"path": "compiled/a.md", "operation": "unchanged"}}],
        "inputs": [{{"path": "sources/a.md", "sha256": "{digest}"}}, {{"path": "sources/b.md"}},
            {{"path": "https://example.com/a"}}]}}"#
    )
}

#[test]
fn kn_17_a_source_that_changed_since_the_newest_run_is_told() {
    let now = contexture_context::Digest::of_text("It is blue.\n").to_string();
    let made = pack(&[
        ("sources/a.md", "It is blue.\n"),
        ("sources/b.md", "It is big.\n"),
        ("compiled/a.md", "# A\n"),
        ("runs/compile-2026-01.json", &run(&"0".repeat(64))),
        ("runs/compile-2026-02.json", &run(now.trim_start_matches("sha256:"))),
    ]);
    assert_eq!(made.findings(), [""; 0]);
    made.write("sources/a.md", "It is green.\n");
    std::fs::remove_file(made.root.join("sources/b.md")).unwrap();
    std::fs::remove_file(made.root.join("compiled/a.md")).unwrap();
    assert_eq!(
        made.findings(),
        [
            "KN4105 runs/compile-2026-02.json compile-run /inputs/0: `sources/a.md` has changed \
             since the run",
            "KN4105 runs/compile-2026-02.json compile-run /inputs/1/path: the run read \
             `sources/b.md`, which is not there any more",
            "KN4105 runs/compile-2026-02.json compile-run /outputs/1/path: the run wrote \
             `compiled/a.md`, which is not there",
        ]
    );
    assert!(made.validate().ok, "what is old is a warning");
}

#[test]
fn kn_17_records_of_a_pack_fit_their_schemas() {
    let made = pack(&[
        ("runs/compile-1.json", "{\"run_id\": \"r\"}"),
        ("runs/health-1.json", "{\"fine\": true}"),
        ("runs/broken.json", "{"),
        ("runs/notes.md", "not a record\n"),
        ("indexes/vectors.json", "{\"any\": 1}"),
        (
            "evals/discovery.validation.json",
            r#"{"pack_name": "other", "cases": [{"id": "a", "prompt": "p", "expected": "select"},
            {"id": "a", "prompt": "q", "expected": "maybe"}]}"#,
        ),
        (
            "evals/discovery.train.json",
            r#"{"pack_name": "other", "cases": [{"id": "a", "prompt": "p", "expected": "select"},
            {"id": "a", "prompt": "q", "expected": "reject"}]}"#,
        ),
    ]);
    let found = made.findings();
    let codes: Vec<&str> = found.iter().map(|line| line.split(" /").next().unwrap()).collect();
    assert_eq!(
        codes,
        [
            "KN4106 evals/discovery.train.json two entries have the id `a`",
            "KN4107 evals/discovery.train.json",
            "KN4102 evals/discovery.validation.json selection-eval",
            "KN4101 runs/broken.json:1 this is no JSON: EOF while parsing an object at line 1 \
             column 1",
            "KN4102 runs/compile-1.json compile-run",
            "KN4102 runs/compile-1.json compile-run",
            "KN4102 runs/compile-1.json compile-run",
            "KN4102 runs/compile-1.json compile-run",
            "KN4103 runs/health-1.json a record of an unknown kind: expected one of compile-run, \
             source-map, selection-eval, eval-run, context-resolution or usage",
        ],
        "{found:#?}"
    );
    assert!(!made.validate().ok);
}
