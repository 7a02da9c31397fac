//! Where inputs begin: files of the repository, read where they lie.

use super::mutate::LARGEST;
use crate::generated::root;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The most words of a dictionary that are taken from the seeds.
const WORDS: usize = 4_000;

/// The part of a file that is an input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Whole,
    /// Each line.
    Lines,
    /// The parts between lines of `---` or `===`, with which specimens begin.
    Sections,
    /// The code blocks of a Markdown text in one of these languages.
    Blocks(&'static [&'static str]),
    /// The texts between `r#"` and `"#` of Rust.
    RawStrings,
    /// Each text in JSON, or in JSON lines.
    Texts,
}

/// Files with their parts: a folder or file, what the names end with, and the parts.
pub(super) type Source = (&'static str, &'static str, Part);

/// Returns the inputs that a target begins with, those of earlier failures first.
pub(super) fn seeds(target: &str, sources: &[Source]) -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    let mut known = BTreeSet::new();
    let kept = regressions(target).into_iter().filter_map(|file| fs::read(file).ok());
    let read = sources.iter().flat_map(|(path, end, part)| {
        let files = files(&root().join(path), end).into_iter();
        files.filter_map(|file| fs::read(file).ok()).flat_map(|bytes| parts(&bytes, *part))
    });
    for seed in kept.chain(read) {
        if !seed.is_empty() && seed.len() <= LARGEST && known.insert(seed.clone()) {
            seeds.push(seed);
        }
    }
    seeds
}

/// Returns the files of inputs that once failed.
pub(super) fn regressions(target: &str) -> Vec<PathBuf> {
    files(&root().join("crates/dev/fuzz/regressions").join(target), "")
}

/// Returns the files below a path, in order.
fn files(path: &Path, end: &str) -> Vec<PathBuf> {
    if path.is_file() {
        return vec![path.to_owned()];
    }
    let Ok(entries) = fs::read_dir(path) else { return Vec::new() };
    let mut entries: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    entries.sort();
    let is_source = |path: &PathBuf| !path.ends_with("node_modules") && !path.ends_with("target");
    let mut found = Vec::new();
    for path in entries.into_iter().filter(is_source) {
        if path.is_dir() {
            found.extend(files(&path, end));
        } else if path.to_string_lossy().ends_with(end) {
            found.push(path);
        }
    }
    found
}

fn parts(bytes: &[u8], part: Part) -> Vec<Vec<u8>> {
    let text = String::from_utf8_lossy(bytes);
    let owned = |part: &str| part.as_bytes().to_vec();
    match part {
        Part::Whole => vec![bytes.to_vec()],
        Part::Lines => text.lines().map(owned).collect(),
        Part::Sections => sections(&text),
        Part::Blocks(languages) => blocks(&text, languages),
        Part::RawStrings => {
            let rest = text.split("r#\"").skip(1);
            rest.filter_map(|rest| rest.split_once("\"#")).map(|(text, _)| owned(text)).collect()
        }
        Part::Texts => {
            let mut found = Vec::new();
            let lines = text.lines().filter_map(|line| serde_json::from_str(line).ok());
            let whole: Option<Value> = serde_json::from_str(&text).ok();
            whole.into_iter().chain(lines).for_each(|value| texts(&value, &mut found));
            found
        }
    }
}

fn sections(text: &str) -> Vec<Vec<u8>> {
    let mut found = vec![String::new()];
    for line in text.lines() {
        if line.starts_with("---") || line.starts_with("===") {
            found.push(String::new());
        } else if let Some(last) = found.last_mut() {
            last.push_str(line);
            last.push('\n');
        }
    }
    found.into_iter().map(|part| part.trim_end().as_bytes().to_vec()).collect()
}

fn blocks(text: &str, languages: &[&str]) -> Vec<Vec<u8>> {
    let mut found = Vec::new();
    let mut open: Option<String> = None;
    for line in text.lines() {
        match (&mut open, line.trim_start().strip_prefix("```")) {
            (None, Some(head)) => {
                let language = head.split_whitespace().next().unwrap_or_default();
                open = languages.contains(&language).then(String::new);
            }
            (Some(block), Some(_)) => {
                found.push(std::mem::take(block).into_bytes());
                open = None;
            }
            (Some(block), None) => {
                block.push_str(line);
                block.push('\n');
            }
            (None, None) => {}
        }
    }
    found
}

fn texts(value: &Value, found: &mut Vec<Vec<u8>>) {
    match value {
        Value::String(text) => found.push(text.as_bytes().to_vec()),
        Value::Array(items) => items.iter().for_each(|item| texts(item, found)),
        Value::Object(fields) => fields.values().for_each(|field| texts(field, found)),
        _ => {}
    }
}

/// Returns the dictionary of a target: its own words, and words and signs of the seeds.
pub(super) fn words(own: &[&str], seeds: &[Vec<u8>]) -> Vec<String> {
    let mut words: Vec<String> = own.iter().map(|word| (*word).to_owned()).collect();
    let mut known = BTreeSet::new();
    for seed in seeds {
        let text = String::from_utf8_lossy(seed);
        let is_part = |sign: char| sign.is_alphanumeric() || sign == '_';
        let tokens = text.split(|sign: char| !is_part(sign)).chain(text.split(is_part));
        for token in tokens.map(str::trim).filter(|token| (1..24).contains(&token.len())) {
            if known.len() < WORDS && known.insert(token.to_owned()) {
                words.push(token.to_owned());
            }
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::super::targets;
    use super::*;

    #[test]
    fn gu_13_parts_of_files_are_found() {
        let text = "a\n```json x\n{\"k\": [\"v\"]}\n```\n```rust\nr#\"raw\"#\n```\n";
        let found = |part| {
            let all = parts(text.as_bytes(), part);
            all.into_iter().map(|one| String::from_utf8(one).unwrap()).collect::<Vec<_>>()
        };
        assert_eq!(found(Part::Blocks(&["json"])), ["{\"k\": [\"v\"]}\n"]);
        assert_eq!(found(Part::RawStrings), ["raw"]);
        assert_eq!(parts(b"{\"a\": [\"b\"]}\n{\"c\": \"d\"}", Part::Texts).len(), 2);
        assert_eq!(parts(b"x\n--- y\nz\n", Part::Sections), [b"x".to_vec(), b"z".to_vec()]);
    }

    #[test]
    fn gu_13_each_target_begins_with_repository_files() {
        for name in targets::names() {
            let target = targets::find(&name).unwrap();
            let seeds = seeds(target.name, target.sources);
            assert!(seeds.len() >= 8, "{name}: {}", seeds.len());
            for source in target.sources {
                assert!(root().join(source.0).exists(), "{name}: {}", source.0);
            }
        }
    }
}
