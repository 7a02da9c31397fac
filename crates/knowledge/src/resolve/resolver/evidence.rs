//! The evidence tier: source map, gaps in citations, findings of runs (KN-1, KN-9, KN-12).

use super::compose::Shown;
use super::texts::{Files, Texts};
use super::types::CitationGap;
use crate::anchor::{SOURCE_MAP, SourceMap, claims, comparable, problem};
use crate::index::View;
use crate::pack::Pack;
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
