//! A section as it is shown.

use super::answering::asked;
use super::query::Query;
use super::select::Candidate;
use super::texts::Files;
use crate::anchor::{
    Anchor, Mapped, SOURCE_MAP, SourceMap, anchors, code, problem, without_forged,
};
use crate::pack::Pack;
use crate::resolve::types::{SearchHit, citation};
use crate::said::path;
use crate::section::{is_markdown, paragraph_ends};
use contexture_context::fence::without_commands;
use std::collections::HashSet;

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Block {
    pub(super) candidate: Candidate,
    pub(super) text: String,
    /// The words of the task that it was found by.
    pub(super) asked: Vec<String>,
    /// Its headings as they are shown: no anchor in them that leads nowhere, no command.
    pub(super) heading: String,
    /// The anchors in the text, but for examples in code.
    pub(super) own: Vec<Anchor>,
    /// Its entries in the source map.
    pub(super) mapped: Vec<Mapped>,
    /// The anchors of both that lead nowhere: they are gaps, and no sources.
    dead: HashSet<String>,
}

impl Block {
    pub(super) fn new(
        query: &Query,
        candidate: &Candidate,
        text: String,
        (map, files): (Option<&SourceMap>, &Files<'_>),
    ) -> Self {
        let place = &candidate.place;
        let about =
            |map: &SourceMap| map.about(&place.path, &place.heading, &text).cloned().collect();
        let mapped: Vec<Mapped> = map.map_or_else(Vec::new, about);
        let mut own = anchors(&text);
        if !own.is_empty() && is_markdown(&place.path) {
            let code = code(&text);
            own.retain(|anchor| !code.iter().any(|code| code.contains(&anchor.at.start)));
        }
        let leads = |anchor: &Anchor| problem(anchor, &place.path, files).is_none();
        let heading = without_commands(&without_forged(&place.heading, leads)).into_owned();
        let inner = own.iter().map(|anchor| (anchor, place.path.as_str()));
        let outer = mapped.iter().flat_map(|entry| &entry.anchors);
        let all = inner.chain(outer.map(|anchor| (anchor, SOURCE_MAP)));
        let is_dead = |(anchor, from): &(&Anchor, &str)| problem(anchor, from, files).is_some();
        let dead = all.filter(is_dead).map(|(anchor, _)| anchor.to_string()).collect();
        let asked = asked(query, candidate);
        Self { candidate: candidate.clone(), heading, own, mapped, text, asked, dead }
    }

    /// Returns the text, or its beginning.
    pub(super) fn kept(&self, kept: Option<usize>) -> &str {
        kept.and_then(|kept| self.text.get(..kept)).unwrap_or(&self.text)
    }

    /// Returns it as it is shown in the context.
    pub(super) fn render(&self, kept: Option<usize>) -> String {
        let place = &self.candidate.place;
        let text = self.kept(kept).trim_end();
        let newline = if text.is_empty() { "" } else { "\n" };
        // On the line of the heading: alone on a line it would read as a label of the layout.
        format!(
            "## {} [source: {}#L{}]{newline}{text}",
            self.heading,
            path(&place.path),
            place.first_line
        )
    }

    /// Returns the citation of the section, `path#Lx-Ly`: of the part that is kept (MA-9).
    pub(super) fn citation(&self, kept: Option<usize>) -> String {
        let place = &self.candidate.place;
        let last = kept.map_or(place.last_line, |_| {
            let breaks = self.kept(kept).trim_end().matches('\n').count();
            place.first_line.saturating_add(u32::try_from(breaks).unwrap_or(u32::MAX))
        });
        citation(&place.path, place.first_line, last)
    }

    /// Returns where it may be cut, rising.
    pub(super) fn ends(&self) -> Vec<usize> {
        paragraph_ends(&self.candidate.place.path, &self.text)
    }

    /// Returns the anchors of the part that is kept, each once, that lead somewhere.
    pub(super) fn anchors(&self, kept: Option<usize>) -> Vec<String> {
        let end = kept.unwrap_or(self.text.len());
        let own = self.own.iter().filter(|anchor| anchor.at.end <= end);
        let mut found: Vec<String> = Vec::new();
        for anchor in own.chain(self.mapped.iter().flat_map(|entry| &entry.anchors)) {
            let anchor = anchor.to_string();
            if !found.contains(&anchor) && !self.dead.contains(&anchor) {
                found.push(anchor);
            }
        }
        found
    }
}

impl SearchHit {
    pub(super) fn of(pack: &Pack, block: &Block) -> Self {
        let candidate = &block.candidate;
        Self {
            pack: pack.item().name.clone(),
            path: candidate.place.path.clone(),
            heading: block.heading.clone(),
            score: (f64::from(candidate.score) * 1000.0).round() / 1000.0,
            text: without_commands(&block.text).into_owned(),
            anchor: block.citation(None),
        }
    }
}
