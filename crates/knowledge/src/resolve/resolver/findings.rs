//! What runs found: the records under `runs/` (KN-9).

use super::texts::Texts;
use super::types::RunFinding;
use crate::index::View;
use crate::pack::Pack;
use serde_json::{Map, Value};

/// The most records that are read, newest names first, and the most findings that are given.
const MAX_RUNS: usize = 20;
const MAX_FINDINGS: usize = 20;
/// The longest message, in characters.
const MAX_MESSAGE: usize = 400;

/// Returns the findings of the newest runs.
pub(super) fn findings(texts: &Texts, pack: &Pack, view: &View) -> Vec<RunFinding> {
    let is_run = |path: &&String| {
        // The log of its use says nothing about the pack, and is not part of what was approved.
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
