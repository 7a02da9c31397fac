//! Source anchors of a pack: each leads to a place that is there, and where the pack requires
//! grounding every claim of the compiled view has one (KN-12, KN-17).

use super::records::NamedAnchor;
use super::view::View;
use crate::anchor::{Anchor, SOURCE_MAP, SourceMap, anchors, claims, code, problem};
use crate::codes;
use crate::item::Grounding;
use crate::pack::GUIDE_FILE;
use crate::section::{Lines, sections};

/// The longest claim that is shown, in characters.
const SHOWN: usize = 60;

pub(super) fn check(view: &mut View<'_>, named: &[NamedAnchor]) {
    let mut faults = Vec::new();
    // Sources are evidence: they stay as they came.
    for (path, text) in view.texts.iter().filter(|(path, _)| !path.starts_with("sources/")) {
        let lines = Lines::of(text);
        let code = code(text);
        for anchor in anchors(text) {
            let is_example = code.iter().any(|code| code.contains(&anchor.at.start));
            if let Some(problem) = problem(&anchor, path, view).filter(|_| !is_example) {
                faults.push((path.clone(), Some(lines.number(anchor.at.start)), problem));
            }
        }
    }
    for NamedAnchor { file, pointer, path, fragment } in named {
        let anchor = Anchor { file: path.clone(), fragment: fragment.clone(), at: 0..0 };
        if let Some(problem) = problem(&anchor, GUIDE_FILE, view) {
            faults.push((file.clone(), None, format!("source-map {pointer}: {problem}")));
        }
    }
    for (path, line, message) in faults {
        view.found(codes::BROKEN_ANCHOR, &path, line, message);
    }
    if view.pack.item().grounding == Grounding::Required {
        grounded(view);
    }
}

/// Claims of the compiled view that name no source and that the source map does not know.
fn grounded(view: &mut View<'_>) {
    let map = if view.has(SOURCE_MAP) { view.read(SOURCE_MAP) } else { None };
    // A map that is not JSON is a finding already.
    let map = map.and_then(|text| SourceMap::parse(&text).ok()).unwrap_or_default();
    let mut bare = Vec::new();
    for (path, text) in view.texts.iter().filter(|(path, _)| path.starts_with("compiled/")) {
        for section in sections(path, text) {
            let body = text.get(section.text.clone()).unwrap_or_default();
            for claim in claims(body) {
                let is_mapped = map
                    .about(path, &section.heading, &claim.text)
                    .any(|entry| !entry.anchors.is_empty());
                if claim.anchors.is_empty() && !is_mapped {
                    bare.push((path.clone(), section.first_line + claim.line, claim.text));
                }
            }
        }
    }
    for (path, line, claim) in bare {
        let start: String = claim.chars().take(SHOWN).collect();
        let more = if start.len() < claim.len() { "…" } else { "" };
        let message = format!("no source is named for the claim \"{start}{more}\"");
        view.found(codes::NO_SOURCE, &path, Some(line), message);
    }
}
