//! The answer: the selection, and all findings about it.

use super::compose::{Composed, Shown};
use super::evidence::findings;
use super::evidence::{self, broken, unsourced};
use super::missing::{missing, of_missing, of_pack};
use super::query::Query;
use super::select::Selected;
use super::texts::{Files, Texts};
use crate::anchor::SOURCE_MAP;
use crate::index::View;
use crate::item::{Grounding, Status};
use crate::pack::Pack;
use crate::resolve::types::{
    CitationGap, Intent, PackUse, Provenance, Resolution, RunFinding, Section, SectionCut, Task,
};
use crate::said::{line, path, quote};
use contexture_context::fence::suspicious;
use std::collections::HashSet;

/// The claims whose status in the source map is worth a warning.
const SHAKY: [&str; 4] = ["disputed", "stale", "missing", "source-required"];
const MOST: usize = 8;

pub(super) struct Asked<'p> {
    pub(super) pack: &'p Pack,
    pub(super) view: View,
    pub(super) selected: Selected,
    pub(super) warnings: Vec<String>,
}

impl Asked<'_> {
    /// Returns what went wrong while the pack was asked.
    pub(super) fn told(&self) -> impl Iterator<Item = String> {
        let name = &self.pack.item().name;
        self.warnings.iter().map(move |warning| format!("`{name}`: {warning}"))
    }
}

/// Makes the answer.
pub(super) struct Report<'a> {
    pub(super) texts: &'a Texts,
    pub(super) asked: &'a [Asked<'a>],
    pub(super) query: &'a Query,
    pub(super) task: &'a Task,
    pub(super) intent: Intent,
}

impl Report<'_> {
    pub(super) fn of(&self, composed: Composed) -> Resolution {
        let mut out = Resolution { tokens: composed.tokens, ..Resolution::default() };
        for (number, asked) in self.asked.iter().enumerate() {
            let shown: Vec<&Shown> =
                composed.shown.iter().filter(|shown| shown.pack == number).collect();
            self.pack(asked, &shown, &mut out);
        }
        for shown in &composed.shown {
            let section = self.section(shown);
            let name = section.pack.as_deref();
            let file = name.map_or(section.path.clone(), |pack| format!("{pack}/{}", section.path));
            push_new(&mut out.selected_files, file);
            for anchor in &section.anchors {
                push_new(&mut out.source_anchors, anchor.clone());
            }
            out.sections.push(section);
        }
        if let Some(warning) = self.budget_warning(&composed) {
            out.uses.iter_mut().for_each(|used| used.warnings.push(warning.clone()));
            out.warnings.push(warning);
        }
        let has_match = |asked: &&Asked<'_>| !asked.selected.candidates.is_empty();
        let mut held = HashSet::new();
        for asked in self.asked.iter().filter(has_match) {
            held.extend(asked.selected.common.iter().copied());
            held.extend(asked.selected.candidates.iter().flat_map(|c| c.terms.iter().copied()));
        }
        out.missing = missing(self.query, &held, !self.asked.iter().any(|asked| has_match(&asked)));
        if let Some(warning) = of_missing(&out.missing) {
            out.uses.iter_mut().for_each(|used| used.warnings.push(warning.clone()));
            out.warnings.push(warning);
        }
        out.context = composed.context;
        harmless(&mut out);
        out
    }

    /// Names a pack, when there are several.
    fn name(&self, asked: &Asked<'_>) -> Option<String> {
        (self.asked.len() > 1).then(|| asked.pack.item().name.clone())
    }

    fn section(&self, shown: &Shown) -> Section {
        let candidate = &shown.block.candidate;
        let place = &candidate.place;
        Section {
            pack: self.asked.get(shown.pack).and_then(|asked| self.name(asked)),
            path: place.path.clone(),
            heading: shown.block.heading.clone(),
            lines: (place.first_line, place.last_line),
            score: (f64::from(candidate.score) * 1000.0).round() / 1000.0,
            tokens: shown.tokens,
            reason: self.reason(shown),
            found_by: candidate.found_by,
            near_duplicates: shown.near_duplicates.clone(),
            citation: shown.block.citation(shown.kept()),
            anchors: shown.block.anchors(shown.kept()),
            cut: shown
                .cut
                .map(|(_, whole)| SectionCut { kept_tokens: shown.tokens, whole_tokens: whole }),
        }
    }

    /// Returns the reason why a section was selected, with the words that it shares with the task.
    fn reason(&self, shown: &Shown) -> String {
        let candidate = &shown.block.candidate;
        let mut places: Vec<std::ops::Range<usize>> = candidate
            .terms
            .iter()
            .filter_map(|number| self.query.terms.get(*number))
            .map(|term| term.at.clone())
            .collect();
        places.sort_by_key(|place| place.start);
        let mut words: Vec<std::ops::Range<usize>> = Vec::new();
        for place in places {
            match words.last_mut() {
                Some(last) if place.start <= last.end => last.end = last.end.max(place.end),
                _ => words.push(place),
            }
        }
        let words: Vec<&str> =
            words.into_iter().filter_map(|word| self.query.text.get(word)).take(12).collect();
        if words.is_empty() {
            return candidate.why.to_owned();
        }
        format!("{} {}", candidate.why, words.join(", "))
    }

    /// Everything about one pack.
    fn pack(&self, asked: &Asked<'_>, shown: &[&Shown], out: &mut Resolution) {
        let item = asked.pack.item();
        let grounding = self.task.grounding.unwrap_or(item.grounding);
        let mut warnings = of_pack(item, &asked.view);
        let name = &item.name;
        warnings.extend(asked.told());
        let problems = asked.view.opened.state.problems();
        let problems =
            problems.map(|(at, why)| format!("`{name}`: `{}` is not indexed: {why}", quote(at)));
        warnings.extend(problems.take(MOST));
        let gaps = self.gaps(asked, shown, grounding, &mut warnings);
        self.claims(name, shown, &mut warnings);
        for shown in shown {
            let place = &shown.block.candidate.place;
            for found in suspicious(shown.block.kept(shown.kept())).into_iter().take(MOST) {
                warnings.push(format!(
                    "`{name}`: `{}` from line {}: {found}",
                    quote(&place.path),
                    place.first_line
                ));
            }
        }
        if self.task.evidence || self.intent.wants_evidence() {
            let pack = self.name(asked);
            let found = findings(self.texts, asked.pack, &asked.view).into_iter();
            out.findings.extend(found.map(|found| RunFinding { pack: pack.clone(), ..found }));
            let produced_by = item.metadata.produced_by.clone();
            let provenance = |by| Provenance { pack: name.clone(), produced_by: by };
            out.provenance.extend(produced_by.map(provenance));
        }
        let mut seen = std::collections::HashSet::new();
        warnings.retain(|warning| seen.insert(warning.clone()));
        out.warnings.extend(warnings.iter().cloned());
        out.citation_gaps.extend(gaps.iter().cloned());
        out.uses.push(self.used(asked, shown, grounding, gaps, warnings));
    }

    fn gaps(
        &self,
        asked: &Asked<'_>,
        shown: &[&Shown],
        grounding: Grounding,
        warnings: &mut Vec<String>,
    ) -> Vec<CitationGap> {
        let files = Files { texts: self.texts, pack: asked.pack, view: &asked.view };
        let item = asked.pack.item();
        let mut gaps = Vec::new();
        for shown in shown {
            gaps.extend(broken(shown, &files));
        }
        for gap in gaps.iter().take(MOST) {
            let CitationGap { path, line, text, problem, .. } = gap;
            warnings.push(format!(
                "`{}`: the anchor `{text}` in `{path}`, line {line}, leads nowhere: {problem}",
                item.name,
                path = quote(path),
                text = quote(text),
                problem = quote(problem)
            ));
        }
        if grounding == Grounding::Required || item.status == Status::NeedsReview {
            let claims: Vec<CitationGap> =
                shown.iter().flat_map(|shown| unsourced(shown)).collect();
            if !claims.is_empty() {
                warnings.push(format!(
                    "`{}`: {} of the selected claims name no source, see `citation_gaps`",
                    item.name,
                    claims.len()
                ));
            }
            gaps.extend(claims);
        }
        gaps.sort();
        gaps.dedup();
        let pack = self.name(asked);
        gaps.iter_mut().for_each(|gap| gap.pack.clone_from(&pack));
        gaps
    }

    /// Claims that the source map calls shaky.
    fn claims(&self, name: &str, shown: &[&Shown], warnings: &mut Vec<String>) {
        let entries = shown.iter().flat_map(|shown| &shown.block.mapped);
        let shaky = entries.filter_map(|entry| {
            let status = entry.status.as_deref().filter(|status| SHAKY.contains(status))?;
            Some(format!("`{name}`: the claim `{}` is {status}", quote(entry.text.as_deref()?)))
        });
        warnings.extend(shaky.take(MOST));
    }

    fn used(
        &self,
        asked: &Asked<'_>,
        shown: &[&Shown],
        grounding: Grounding,
        citation_gaps: Vec<CitationGap>,
        warnings: Vec<String>,
    ) -> PackUse {
        let mut selected_files: Vec<String> = Vec::new();
        for shown in shown {
            push_new(&mut selected_files, shown.block.candidate.place.path.clone());
        }
        let texts = self.texts;
        // What is shown is what was indexed, or it would not be shown.
        let state = &asked.view.opened.state;
        let digest = |path: &String| {
            let indexed = state.digest(path).cloned();
            let read = || Some(texts.get(asked.pack, &asked.view, path).ok()?.digest());
            Some((path.clone(), indexed.or_else(read)?))
        };
        let mut files: Vec<_> = selected_files.iter().filter_map(digest).collect();
        let has_map = shown.iter().any(|shown| !shown.block.mapped.is_empty());
        if has_map && evidence::map(texts, asked.pack, &asked.view).is_some() {
            files.extend(digest(&SOURCE_MAP.to_owned()));
        }
        PackUse {
            item: asked.pack.item().clone(),
            files,
            selected_files,
            grounding,
            citation_gaps,
            warnings,
            tokens: shown.iter().map(|shown| shown.tokens).sum(),
        }
    }

    fn budget_warning(&self, composed: &Composed) -> Option<String> {
        let budget = self.task.budget;
        match (composed.shown.is_empty(), composed.needs) {
            (true, Some(needs)) => Some(format!(
                "the budget of {budget} tokens is too small for any section that matches: at least \
                 {needs} are needed"
            )),
            _ if composed.left_out > 0 => Some(format!(
                "{} more sections match and did not fit into the budget of {budget} tokens",
                composed.left_out
            )),
            _ => None,
        }
    }
}

/// Makes the texts beside the fence plain lines: they may quote a pack (KN-13).
fn harmless(out: &mut Resolution) {
    let lines = |texts: &mut Vec<String>| texts.iter_mut().for_each(|text| *text = line(text));
    let gap = |gap: &mut CitationGap| {
        (gap.text, gap.problem) = (quote(&gap.text), line(&gap.problem));
        gap.path = path(&gap.path);
    };
    lines(&mut out.warnings);
    out.citation_gaps.iter_mut().for_each(gap);
    out.missing.iter_mut().for_each(|missing| missing.fact = line(&missing.fact));
    for used in &mut out.uses {
        lines(&mut used.warnings);
        used.citation_gaps.iter_mut().for_each(gap);
    }
    for finding in &mut out.findings {
        finding.message = line(&finding.message);
        let fields = [&mut finding.severity, &mut finding.about];
        fields.into_iter().flatten().for_each(|text| *text = quote(text));
    }
    for provenance in &mut out.provenance {
        let by = &mut provenance.produced_by;
        let fields = [&mut by.name, &mut by.version, &mut by.digest];
        fields.into_iter().flatten().for_each(|text| *text = quote(text));
    }
}

fn push_new(list: &mut Vec<String>, entry: String) {
    if !list.contains(&entry) {
        list.push(entry);
    }
}
