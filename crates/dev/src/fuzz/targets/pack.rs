//! Manifests of knowledge packs.

use super::{hold, lines};
use contexture_knowledge::{catalog, manifest};
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
    let listing = catalog::xml(&[]);
    hold(!listing.contains("acme"), || "an empty list names a pack".to_owned())?;
    let codes: Vec<&str> = codes.into_iter().collect();
    Ok(format!("{} {}", read.item.is_some(), codes.join(" ")))
}
