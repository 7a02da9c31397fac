//! The JSON records of a pack: they fit their schemas and what they name is there (KN-17).

use super::layout::SPLITS;
use super::record::{MAX_BYTES, RecordKind, check_text};
use super::schema::pointer;
use super::view::{NamedAnchor, View};
use crate::anchor::SOURCE_MAP;
use crate::codes;
use contexture_context::Digest;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

const FOLDERS: [&str; 3] = ["evals/", "indexes/", "runs/"];

/// Checks all records and gives the anchors that they name.
pub(super) fn check(view: &mut View<'_>) -> Vec<NamedAnchor> {
    let mut named = Vec::new();
    let mut newest_run = None;
    for path in paths(view) {
        let Some(text) = view.read(&path) else { continue };
        let name = path.rsplit('/').next().unwrap_or(&path).to_owned();
        let whole = view.pack.item().pack_root.join(&path);
        let checked = check_text(&name, &text, &whole);
        let fits = checked.findings.is_empty();
        for finding in checked.findings {
            // Other tools keep files of their own in `indexes/`.
            if finding.code != codes::UNKNOWN_RECORD.code || !path.starts_with("indexes/") {
                view.add(&path, finding);
            }
        }
        for (kind, record) in checked.records.iter().filter(|_| fits) {
            match kind {
                Some(RecordKind::SourceMap) => source_map(view, &path, record, &mut named),
                Some(RecordKind::SelectionEval | RecordKind::EvalRun) => cases(view, &path, record),
                Some(RecordKind::CompileRun) => newest_run = Some((path.clone(), record.clone())),
                _ => {}
            }
        }
    }
    if let Some((path, run)) = newest_run {
        inputs(view, &path, &run);
        outputs(view, &path, &run);
    }
    named
}

fn paths(view: &View<'_>) -> Vec<String> {
    let is_record = |path: &&String| {
        FOLDERS.iter().any(|folder| path.starts_with(folder))
            && (path.ends_with(".json") || path.ends_with(".jsonl"))
    };
    view.files.keys().filter(is_record).cloned().collect()
}

fn text<'a>(value: &'a Value, name: &str) -> Option<&'a str> {
    value.get(name).and_then(Value::as_str)
}

fn list<'a>(value: &'a Value, name: &str) -> impl Iterator<Item = (usize, &'a Value)> + use<'a> {
    value.get(name).and_then(Value::as_array).into_iter().flatten().enumerate()
}

fn source_map(view: &mut View<'_>, file: &str, map: &Value, named: &mut Vec<NamedAnchor>) {
    unique(view, file, list(map, "claims").filter_map(|(_, claim)| text(claim, "claim_id")));
    for (index, claim) in list(map, "claims") {
        let place = format!("/claims/{index}");
        if let Some(path) = claim.get("source").and_then(|source| text(source, "path")) {
            let fragment = claim.get("source").and_then(|source| text(source, "anchor"));
            named.push(NamedAnchor {
                file: file.to_owned(),
                pointer: pointer(&place, "source"),
                path: path.to_owned(),
                fragment: fragment.map(|text| text.trim_start_matches('#').to_owned()),
            });
        }
        files(view, file, &place, claim);
    }
    let sections = list(map, "document_sections");
    let ids: Vec<String> = sections
        .filter_map(|(_, s)| Some(format!("{}#{}", text(s, "document")?, text(s, "section_id")?)))
        .collect();
    unique(view, file, ids.iter().map(String::as_str));
    let mut splits: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (index, section) in list(map, "document_sections") {
        let place = format!("/document_sections/{index}");
        let into = files(view, file, &place, section);
        let document = text(section, "document").unwrap_or_default();
        splits.entry(crate::section::stem(document).to_owned()).or_default().extend(into);
        for (at, anchor) in list(section, "source_anchors") {
            let anchor = anchor.as_str().unwrap_or_default();
            let (path, fragment) =
                anchor.split_once('#').map_or((anchor, None), |(p, f)| (p, Some(f)));
            named.push(NamedAnchor {
                file: file.to_owned(),
                pointer: format!("{place}/source_anchors/{at}"),
                path: path.to_owned(),
                fragment: fragment.map(str::to_owned),
            });
        }
    }
    if file == SOURCE_MAP {
        unlisted(view, &splits);
    }
}

/// Returns the files that an entry of the source map names; those that are not there are findings.
fn files(view: &mut View<'_>, file: &str, place: &str, entry: &Value) -> Vec<String> {
    let mut paths = Vec::new();
    for (index, path) in list(entry, "compiled_into") {
        paths.push((format!("{place}/compiled_into/{index}"), path.as_str().unwrap_or_default()));
    }
    let into = paths.iter().map(|(_, path)| (*path).to_owned()).collect();
    paths.extend(text(entry, "document").map(|path| (pointer(place, "document"), path)));
    for (place, path) in paths {
        if !view.has(path) {
            let message = format!("source-map {place}: the pack has no file `{path}`");
            view.found(codes::RECORD_PATH, file, None, message);
        }
    }
    into
}

/// Splits that the source map leaves out, of documents whose sections it lists.
fn unlisted(view: &mut View<'_>, splits: &BTreeMap<String, BTreeSet<String>>) {
    let mut missing = Vec::new();
    for (document, listed) in splits.iter().filter(|(_, listed)| !listed.is_empty()) {
        let folder = format!("{SPLITS}{document}/");
        let there = view.files.keys().filter(|path| path.starts_with(&folder));
        missing.extend(there.filter(|path| !listed.contains(*path)).cloned());
    }
    for path in missing {
        let message = format!("`{SOURCE_MAP}` lists the sections of the document without this one");
        view.found(codes::UNLISTED_SPLIT, &path, None, message);
    }
}

fn cases(view: &mut View<'_>, file: &str, record: &Value) {
    let name = view.pack.item().name.clone();
    if let Some(other) = text(record, "pack_name")
        && other != name
    {
        let message =
            format!("/pack_name: the record is of `{other}`, and lies in the pack `{name}`");
        view.found(codes::OTHER_PACK, file, None, message);
    }
    let entries = list(record, "cases").chain(list(record, "results"));
    unique(view, file, entries.filter_map(|(_, case)| text(case, "id")));
}

fn unique<'a>(view: &mut View<'_>, file: &str, ids: impl Iterator<Item = &'a str>) {
    let mut seen = BTreeSet::new();
    for id in ids {
        if !seen.insert(id) {
            let message = format!("two entries have the id `{id}`");
            view.found(codes::DUPLICATE_ID, file, None, message);
        }
    }
}

/// Checks that the output of the newest compile run is still there. Runs are named after their
/// time.
fn outputs(view: &mut View<'_>, file: &str, run: &Value) {
    for (index, output) in list(run, "outputs") {
        let Some(path) = text(output, "path").filter(|path| !view.has(path)) else { continue };
        if text(output, "operation") != Some("deleted") {
            let message = format!(
                "compile-run /outputs/{index}/path: the run wrote `{path}`, which is not there"
            );
            view.found(codes::OUTDATED_SOURCE, file, None, message);
        }
    }
}

/// Checks that its input has not changed.
fn inputs(view: &mut View<'_>, file: &str, run: &Value) {
    for (index, input) in list(run, "inputs") {
        let Some(path) = text(input, "path").filter(|path| !path.contains("://")) else { continue };
        if !view.has(path) {
            let message = format!(
                "compile-run /inputs/{index}/path: the run read `{path}`, which is not there any more"
            );
            view.found(codes::OUTDATED_SOURCE, file, None, message);
            continue;
        }
        let Some(then) = text(input, "sha256") else { continue };
        let then = then.trim_start_matches("sha256:").to_ascii_lowercase();
        let is_digest = then.len() == 64 && then.bytes().all(|byte| byte.is_ascii_hexdigit());
        // Sources that are not texts are not read; their content reaches no model.
        let now = view.pack.read(path, MAX_BYTES).map(|text| Digest::of_text(&text).to_string());
        if is_digest && now.is_ok_and(|now| now.trim_start_matches("sha256:") != then) {
            let message =
                format!("compile-run /inputs/{index}: `{path}` has changed since the run");
            view.found(codes::OUTDATED_SOURCE, file, None, message);
        }
    }
}

#[cfg(test)]
mod tests {
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
    fn kn_17_what_source_map_names_is_there() {
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
    fn kn_17_source_that_changed_since_newest_run_is_reported() {
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
    fn kn_17_records_of_pack_fit_their_schemas() {
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
                "KN4101 runs/broken.json:1 this is not JSON: EOF while parsing an object at line 1 \
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
}
