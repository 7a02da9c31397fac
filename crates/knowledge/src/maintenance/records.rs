//! The JSON records of a pack: they fit their schemas and what they name is there (KN-17).

use super::layout::SPLITS;
use super::record::{MAX_BYTES, RecordKind, check_text};
use super::schema::pointer;
use super::view::View;
use crate::anchor::SOURCE_MAP;
use crate::codes;
use contexture_context::Digest;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The folders whose JSON files are records.
const FOLDERS: [&str; 3] = ["evals/", "indexes/", "runs/"];

/// An anchor that a record names, to be followed with those of the texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NamedAnchor {
    /// The record.
    pub(super) file: String,
    /// Its place in the record, as a JSON pointer.
    pub(super) pointer: String,
    /// The file that it leads to.
    pub(super) path: String,
    /// The place in that file.
    pub(super) fragment: Option<String>,
}

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

/// The files that an entry of the source map names; those that are not there are findings.
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

/// What the newest compile run wrote should still be there. Runs are named after their time.
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

/// What it read should still be what it was.
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
        // Sources that are no texts are not read; what they say reaches no model.
        let now = view.pack.read(path, MAX_BYTES).map(|text| Digest::of_text(&text).to_string());
        if is_digest && now.is_ok_and(|now| now.trim_start_matches("sha256:") != then) {
            let message =
                format!("compile-run /inputs/{index}: `{path}` has changed since the run");
            view.found(codes::OUTDATED_SOURCE, file, None, message);
        }
    }
}

#[cfg(test)]
mod tests;
