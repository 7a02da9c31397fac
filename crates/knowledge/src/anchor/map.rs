//! The source map of a pack: `indexes/source-map.json`.
//!
//! It is read leniently: `claims` with a text and a source, `document_sections` with anchors, and
//! plain maps from a file to its anchors are all understood; anything else is left alone.

use super::text::Anchor;
use serde_json::{Map, Value};
use std::collections::HashMap;

/// The path of the source map in a pack.
pub const SOURCE_MAP: &str = "indexes/source-map.json";

const MAX_ENTRIES: usize = 100_000;

/// An entry: something in the pack and where it comes from.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Mapped {
    /// The claim; `None` when a section or a whole file is mapped.
    pub text: Option<String>,
    /// The status of the claim: `confirmed`, `inferred`, `disputed`, `stale`, `missing` or
    /// `source-required`.
    pub status: Option<String>,
    /// The title or id of the section that is mapped.
    pub section: Option<String>,
    /// Its source.
    pub anchors: Vec<Anchor>,
    /// The claim in the form in which it is compared.
    key: String,
}

/// A source map.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SourceMap {
    entries: Vec<Mapped>,
    by_file: HashMap<String, Vec<usize>>,
    /// Entries that name no file.
    anywhere: Vec<usize>,
}

impl SourceMap {
    /// Reads a source map.
    ///
    /// # Errors
    /// A text that is not JSON, with the reason.
    pub fn parse(text: &str) -> Result<Self, String> {
        let value: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let mut map = Self::default();
        match &value {
            Value::Object(fields) => map.object(fields),
            Value::Array(entries) => entries.iter().for_each(|entry| map.claim(entry, None)),
            _ => {}
        }
        Ok(map)
    }

    /// Returns the entries about a section: claims that stand in its text, and the section or its
    /// whole file.
    pub fn about<'a>(
        &'a self,
        path: &str,
        heading: &'a str,
        text: &str,
    ) -> impl Iterator<Item = &'a Mapped> {
        let text = comparable(text);
        let own = self.by_file.get(path).into_iter().flatten();
        let last = heading.rsplit(crate::section::BETWEEN).next().unwrap_or(heading);
        let last = comparable(last);
        own.chain(&self.anywhere).filter_map(|at| self.entries.get(*at)).filter(
            move |entry| match (&entry.text, &entry.section) {
                (Some(_), _) => !entry.key.is_empty() && text.contains(&entry.key),
                (None, Some(section)) => comparable(section) == last,
                (None, None) => true,
            },
        )
    }

    /// Returns all entries.
    #[must_use]
    pub fn entries(&self) -> &[Mapped] {
        &self.entries
    }

    fn object(&mut self, fields: &Map<String, Value>) {
        for (name, value) in fields {
            match (name.as_str(), value) {
                ("claims" | "entries" | "mappings" | "sources", Value::Array(entries)) => {
                    entries.iter().for_each(|entry| self.claim(entry, None));
                }
                ("claims" | "entries" | "mappings" | "files", Value::Object(entries)) => {
                    self.object(entries);
                }
                ("document_sections" | "sections", Value::Array(entries)) => {
                    entries.iter().for_each(|entry| self.section(entry));
                }
                (path, Value::String(_) | Value::Array(_)) if path.contains(['/', '.']) => {
                    let (path, section) = match path.split_once('#') {
                        Some((path, section)) => (path, Some(section.replace('-', " "))),
                        None => (path, None),
                    };
                    let anchors = anchors_of(value);
                    let entry = Mapped { section, anchors, ..Mapped::default() };
                    self.add(entry, vec![path.to_owned()]);
                }
                (path, Value::Object(_)) => self.claim(value, path.contains('/').then_some(path)),
                _ => {}
            }
        }
    }

    fn claim(&mut self, value: &Value, file: Option<&str>) {
        let Value::Object(fields) = value else { return };
        let text = string(fields, &["text", "claim", "statement"]);
        let mut files = strings(fields, &["compiled_into", "document", "file", "path", "target"]);
        files.extend(file.map(str::to_owned));
        let anchors = ["source", "sources", "source_anchors", "anchors", "anchor"]
            .iter()
            .filter_map(|name| fields.get(*name))
            .flat_map(anchors_of)
            .collect();
        let section = string(fields, &["section", "heading", "title", "section_id"]);
        let key = comparable(text.as_deref().unwrap_or_default());
        let status = string(fields, &["status"]);
        self.add(Mapped { text, status, section, anchors, key }, files);
    }

    fn section(&mut self, value: &Value) {
        let Value::Object(fields) = value else { return };
        let files = strings(fields, &["document", "compiled_into", "path", "file"]);
        let anchors: Vec<Anchor> = ["source_anchors", "anchors", "sources", "source"]
            .iter()
            .filter_map(|name| fields.get(*name))
            .flat_map(anchors_of)
            .collect();
        for section in strings(fields, &["title", "section_id"]) {
            let section = Some(section);
            let entry = Mapped { section, anchors: anchors.clone(), ..Mapped::default() };
            self.add(entry, files.clone());
        }
    }

    fn add(&mut self, entry: Mapped, files: Vec<String>) {
        let at = self.entries.len();
        if at >= MAX_ENTRIES || (entry.anchors.is_empty() && entry.status.is_none()) {
            return;
        }
        if files.is_empty() && entry.text.is_some() {
            self.anywhere.push(at);
        }
        for file in files {
            let path = file.split('#').next().unwrap_or_default().trim_start_matches("./");
            self.by_file.entry(path.to_owned()).or_default().push(at);
        }
        self.entries.push(entry);
    }
}

fn string(fields: &Map<String, Value>, names: &[&str]) -> Option<String> {
    names.iter().find_map(|name| fields.get(*name)?.as_str()).map(str::to_owned)
}

fn strings(fields: &Map<String, Value>, names: &[&str]) -> Vec<String> {
    let values = names.iter().filter_map(|name| fields.get(*name));
    values
        .flat_map(|value| match value {
            Value::String(text) => vec![text.clone()],
            Value::Array(list) => {
                list.iter().filter_map(|entry| entry.as_str().map(str::to_owned)).collect()
            }
            _ => Vec::new(),
        })
        .collect()
}

/// Reads `"FILE#FRAGMENT"`, `{path, anchor}` or a list of them.
fn anchors_of(value: &Value) -> Vec<Anchor> {
    match value {
        Value::String(text) => Anchor::parse(text, 0..0).into_iter().collect(),
        Value::Array(list) => {
            let single = list.iter().filter(|entry| !entry.is_array());
            single.flat_map(anchors_of).collect()
        }
        Value::Object(fields) => {
            let Some(path) = string(fields, &["path", "file", "source"]) else { return Vec::new() };
            let fragment = string(fields, &["anchor", "fragment", "locator"]);
            let whole = match fragment {
                Some(fragment) => format!("{path}#{}", fragment.trim_start_matches('#')),
                None => path,
            };
            Anchor::parse(&whole, 0..0).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

/// Returns words as they are compared: without case, emphasis and runs of blanks.
pub(crate) fn comparable(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_whitespace() || matches!(c, '-' | '_') {
            if !out.ends_with(' ') {
                out.push(' ');
            }
        } else if !matches!(c, '*' | '`') {
            out.extend(c.to_lowercase());
        }
    }
    out.trim().trim_end_matches(['.', '。']).to_owned()
}
