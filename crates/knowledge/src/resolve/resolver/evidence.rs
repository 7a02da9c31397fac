//! The evidence tier: source map, gaps in citations, findings of runs (KN-1, KN-9, KN-12).

use super::compose::Shown;
use super::texts::{Files, Texts};
use crate::anchor::{SOURCE_MAP, SourceMap, claims, comparable, problem};
use crate::index::View;
use crate::pack::Pack;
use crate::resolve::types::{CitationGap, RunFinding};
use serde_json::{Map, Value};
use std::sync::Arc;

/// Returns the source map of a pack; `None` when it has none.
pub(super) fn map(
    texts: &Texts,
    pack: &Pack,
    view: &View,
) -> Option<Result<Arc<SourceMap>, String>> {
    if !view.listing.contains_key(SOURCE_MAP) {
        return None;
    }
    let text = texts.get(pack, view, SOURCE_MAP).map_err(|error| error.to_string());
    Some(text.and_then(|text| text.map()))
}

/// Anchors of a shown section that lead nowhere.
pub(super) fn broken(shown: &Shown, files: &Files<'_>) -> Vec<CitationGap> {
    let place = &shown.block.candidate.place;
    let kept = shown.block.kept(shown.kept());
    let mut gaps = Vec::new();
    for anchor in shown.block.own.iter().filter(|anchor| anchor.at.end <= kept.len()) {
        if let Some(problem) = problem(anchor, &place.path, files) {
            let line = place.first_line + lines_before(kept, anchor.at.start);
            gaps.push(gap(&place.path, line, anchor.to_string(), problem));
        }
    }
    for anchor in shown.block.mapped.iter().flat_map(|entry| &entry.anchors) {
        if let Some(problem) = problem(anchor, SOURCE_MAP, files) {
            let problem = format!("{problem} (in `{SOURCE_MAP}`)");
            gaps.push(gap(&place.path, place.first_line, anchor.to_string(), problem));
        }
    }
    gaps
}

/// Claims of a shown section without a source, in its text or in the source map.
pub(super) fn unsourced(shown: &Shown) -> Vec<CitationGap> {
    let place = &shown.block.candidate.place;
    let mapped = shown.block.mapped.iter().filter(|entry| !entry.anchors.is_empty());
    let mapped: Vec<_> = mapped.collect();
    if mapped.iter().any(|entry| entry.text.is_none()) {
        return Vec::new();
    }
    let keys: Vec<String> =
        mapped.iter().filter_map(|entry| Some(comparable(entry.text.as_deref()?))).collect();
    let is_mapped = |text: &str| {
        let text = comparable(text);
        keys.iter().any(|key| text.contains(key.as_str()) || key.contains(&text))
    };
    claims(shown.block.kept(shown.kept()))
        .into_iter()
        .filter(|claim| claim.anchors.is_empty() && !is_mapped(&claim.text))
        .map(|claim| {
            let line = place.first_line + claim.line;
            gap(&place.path, line, claim.text, "the claim names no source".to_owned())
        })
        .collect()
}

fn gap(path: &str, line: u32, text: String, problem: String) -> CitationGap {
    CitationGap { pack: None, path: path.to_owned(), line, text, problem }
}

fn lines_before(text: &str, at: usize) -> u32 {
    let before = text.get(..at).unwrap_or_default();
    u32::try_from(before.bytes().filter(|byte| *byte == b'\n').count()).unwrap_or(u32::MAX)
}

/// The most records that are read, newest names first, and the most findings that are given.
const MAX_RUNS: usize = 20;
const MAX_FINDINGS: usize = 20;
const MAX_MESSAGE: usize = 400;

/// Returns the findings of the newest runs.
pub(super) fn findings(texts: &Texts, pack: &Pack, view: &View) -> Vec<RunFinding> {
    let is_run = |path: &&String| {
        // The log of its use shows nothing about the pack, and is not part of what was approved.
        path.strip_prefix("runs/").is_some_and(|name| name != crate::usage::FILE)
            && [".json", ".jsonl", ".md"].iter().any(|end| path.ends_with(end))
    };
    let mut runs: Vec<&String> = view.listing.keys().filter(is_run).collect();
    runs.sort_unstable_by(|left, right| right.cmp(left));
    let mut found = Vec::new();
    for path in runs.into_iter().take(MAX_RUNS) {
        let Ok(text) = texts.get(pack, view, path) else { continue };
        if path.ends_with(".md") {
            of_markdown(path, &text.text, &mut found);
        } else if path.ends_with(".jsonl") {
            let values = text.text.lines().filter_map(|line| serde_json::from_str(line).ok());
            values.for_each(|value: Value| of_record(path, &value, &mut found));
        } else if let Ok(value) = serde_json::from_str::<Value>(&text.text) {
            of_record(path, &value, &mut found);
        }
    }
    found.truncate(MAX_FINDINGS);
    found
}

fn of_record(path: &str, value: &Value, found: &mut Vec<RunFinding>) {
    match value {
        Value::Array(entries) => {
            entries
                .iter()
                .filter(|entry| entry.is_object())
                .for_each(|e| of_record(path, e, found));
        }
        Value::Object(fields) => {
            for name in ["findings", "diagnostics", "quality_issues"] {
                if let Some(Value::Array(entries)) = fields.get(name) {
                    entries.iter().for_each(|entry| add(path, entry, found));
                }
            }
        }
        _ => {}
    }
}

fn add(path: &str, entry: &Value, found: &mut Vec<RunFinding>) {
    let finding = match entry {
        Value::String(message) => finding(path, message),
        Value::Object(fields) => {
            let Some(message) = text(fields, &["message", "finding", "text", "summary", "detail"])
            else {
                return;
            };
            RunFinding {
                severity: text(fields, &["severity", "level"]),
                about: text(fields, &["path", "file", "about"]),
                ..finding(path, &message)
            }
        }
        _ => return,
    };
    found.push(finding);
}

fn finding(path: &str, message: &str) -> RunFinding {
    let message = message.trim().chars().take(MAX_MESSAGE).collect();
    RunFinding { pack: None, path: path.to_owned(), severity: None, about: None, message }
}

fn text(fields: &Map<String, Value>, names: &[&str]) -> Option<String> {
    names.iter().find_map(|name| fields.get(*name)?.as_str()).map(str::to_owned)
}

/// The items under a heading that announces findings.
fn of_markdown(path: &str, text: &str, found: &mut Vec<RunFinding>) {
    let mut is_under = false;
    for line in text.lines() {
        if let Some(heading) = line.strip_prefix('#') {
            let heading = heading.to_lowercase();
            let words = ["finding", "issue", "diagnostic", "发现", "问题", "诊断"];
            is_under = words.iter().any(|word| heading.contains(word));
        } else if is_under
            && let Some(item) = line.trim_start().strip_prefix(['-', '*', '+'])
            && !item.trim().is_empty()
        {
            found.push(finding(path, item));
        }
    }
}
