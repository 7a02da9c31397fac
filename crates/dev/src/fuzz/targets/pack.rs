//! Manifests of knowledge packs.

use super::{hold, lines};
use contexture_knowledge::{Found, Scope, catalog, manifest};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;

pub(super) const WORDS: &[&str] = &[
    "---",
    "name: acme",
    "description:",
    "type: brand-product",
    "status: ready",
    "profile: hybrid",
    "runtime:",
    "grounding: required",
    "metadata:",
    "- ",
    ": ",
    "|",
    ">",
    "&a",
    "*a",
    "<<:",
    "!!str",
    "#",
    "? ",
    "{",
    "[",
    "trust: official",
    "version: 1",
    "\u{feff}",
];

pub(super) fn pack(input: &[u8]) -> Result<String, String> {
    let text = String::from_utf8_lossy(input);
    let read = manifest::read(&text, Path::new("packs/acme"), &[]);
    let again = manifest::read(&text, Path::new("packs/acme"), &[]);
    hold(read == again, || "a manifest differs from the next one".to_owned())?;
    hold(read.item.is_some() || !read.findings.is_empty(), || {
        "left out without a word".to_owned()
    })?;
    let lines = lines(&text);
    let mut codes = BTreeSet::new();
    for finding in &read.findings {
        let line = finding.line.unwrap_or(1) as usize;
        hold((1..=lines).contains(&line), || format!("a place is outside the text: line {line}"))?;
        hold(!finding.message.contains('\n'), || format!("several lines: {}", finding.message))?;
        serde_json::to_string(finding).map_err(|error| format!("not JSON: {error}"))?;
        codes.insert(finding.code);
    }
    let is_read = read.item.is_some();
    if let Some(item) = read.item {
        listed(Found { item, scope: Scope::Explicit })?;
    }
    let codes: Vec<&str> = codes.into_iter().collect();
    Ok(format!("{is_read} {}", codes.join(" ")))
}

/// Checks that the catalog has each field of a pack once, and nothing that a field made up.
fn listed(pack: Found) -> Result<(), String> {
    let packs = [pack];
    let (listing, json) = (catalog::xml(&packs), catalog::json(&packs));
    let fields = json.pointer("/available_knowledge_packs/0").and_then(Value::as_object);
    let fields = fields.map_or(0, serde_json::Map::len);
    let (tags, line_count) = (4 + 2 * fields, 4 + fields);
    let is_whole = [listing.matches('<').count(), listing.matches('>').count()] == [tags; 2];
    hold(is_whole && listing.lines().count() == line_count, || {
        format!("a field stands outside its element: {listing:?}")
    })
}
