//! The knowledge packs of a project: what they hold, how far they are trusted, and what a question finds
//! in them (IN-12).
//!
//! Decision: nothing is written, fetched or approved here. A pack that needs more consent than the
//! options give is listed, and why it is not read is told.

use crate::packs::{Options, Packs, PacksError};
use crate::project::Project;
use contexture_knowledge::catalog;
use contexture_knowledge::discovery::Found;
use contexture_knowledge::section::sections;
use contexture_knowledge::usage::UsageLog;
use serde_json::{Value, json};

/// The most hits of a question.
pub const MOST_HITS: usize = 100;
/// The most sections of a pack that are listed.
const MOST_SECTIONS: usize = 2_000;
/// The largest file that is read, in bytes.
const FILE_BYTES: u64 = 8 << 20;
/// The most bytes of the text of a hit.
const HIT_BYTES: usize = 2_000;

fn open(project: &Project, options: &Options) -> Packs {
    Packs::open(project, Options { read_only: true, offline: true, ..options.clone() })
}

/// Returns the packs of a project: `{packs, notes}`. Each pack has what the catalog says of it, with
/// its version and digest, its uses as they are logged, and `closed`, why it may not be read.
#[must_use]
pub fn packs(project: &Project, options: &Options) -> Value {
    let packs = open(project, options);
    let mut log = UsageLog::default();
    let mut notes = Vec::new();
    for path in packs.usage_logs() {
        match UsageLog::read(&path) {
            Ok(read) => log.lines.extend(read.lines),
            Err(error) => notes.push(error.to_string()),
        }
    }
    let uses = log.summary();
    let found = &packs.discovery().packs;
    let listed = found.iter().map(|one| {
        let mut value = described(one);
        let name = &one.item.name;
        if let Some(fields) = value.as_object_mut() {
            let closed = packs.pack(name).err().map(|error| error.message);
            fields.insert("closed".to_owned(), json!(closed));
            let used = uses.iter().find(|one| one.pack == *name);
            fields.insert("usage".to_owned(), json!(used));
        }
        value
    });
    let listed: Vec<Value> = listed.collect();
    let findings = packs.discovery().findings.iter().map(|one| one.message.clone());
    notes.extend(findings);
    json!({ "packs": listed, "notes": notes })
}

/// Returns what the catalog says of a pack.
fn described(found: &Found) -> Value {
    let catalog = catalog::json(std::slice::from_ref(found));
    catalog.pointer("/available_knowledge_packs/0").cloned().unwrap_or_default()
}

/// Returns a pack with its guide and its first 2,000 sections: `{…, guide, sections, all_sections,
/// left_out, warnings}`; a section has its file, heading, lines and tokens.
///
/// # Errors
/// [`PacksError`] when no pack has the name, or it may not or can't be read.
pub fn pack(project: &Project, options: &Options, name: &str) -> Result<Value, PacksError> {
    let packs = open(project, options);
    let guide = packs.activate(name)?;
    let (mut listed, mut all) = (Vec::new(), 0_usize);
    let mut left_out = Vec::new();
    for file in &guide.resources {
        // What is not text has no sections.
        let Ok(text) = packs.read(name, &file.path, FILE_BYTES) else {
            left_out.push(file.path.clone());
            continue;
        };
        let parts = sections(&file.path, &text);
        all += parts.len();
        for section in parts.into_iter().take(MOST_SECTIONS.saturating_sub(listed.len())) {
            let shown = text.get(section.text.clone()).unwrap_or_default();
            listed.push(json!({
                "path": file.path, "heading": section.heading, "first_line": section.first_line,
                "last_line": section.last_line, "tokens": packs.tokens(shown),
            }));
        }
    }
    let found = packs.discovery().packs.iter().find(|found| found.item.name == name);
    let mut value = found.map(described).unwrap_or_default();
    if let Some(fields) = value.as_object_mut() {
        fields.insert("guide".to_owned(), guide.body.into());
        fields.insert("sections".to_owned(), listed.into());
        fields.insert("all_sections".to_owned(), all.into());
        fields.insert("left_out".to_owned(), left_out.into());
        let warnings = guide.warnings.iter().map(|one| one.message.as_str()).collect::<Vec<_>>();
        fields.insert("warnings".to_owned(), json!(warnings));
    }
    Ok(value)
}

/// Returns the sections of a pack that answer a question, the best first, with their scores.
///
/// # Errors
/// [`PacksError`] when the pack may not or can't be read.
pub fn pack_search(
    (project, options): (&Project, &Options),
    (name, question): (&str, &str),
    most: usize,
) -> Result<Value, PacksError> {
    let mut found = open(project, options).search(&[name], question, most.min(MOST_HITS))?;
    for hit in &mut found.hits {
        let end = hit.text.floor_char_boundary(HIT_BYTES);
        if end < hit.text.len() {
            hit.text.truncate(end);
            hit.text.push('…');
        }
    }
    Ok(json!(found))
}
