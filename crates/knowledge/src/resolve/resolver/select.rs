//! Which sections of one pack answer a task (KN-10).

mod gate;
mod links;
pub(super) mod rank;

use super::query::{MAX_TERMS, Query, QueryTerm};
use crate::index::terms::Stream;
use crate::index::{Area, Hit, Listing, Opened, Place, Search, View};
use crate::item::{Profile, RuntimeMode};
use crate::pack::Pack;
use crate::resolve::types::{FoundBy, Intent, Task};
use crate::section::BETWEEN;
use crate::synonyms::Synonyms;
use gate::Weights;
use std::collections::HashSet;
use tantivy::tokenizer::TokenStream;
use tantivy::{DocAddress, TantivyError};

/// The fewest and the most sections of an area that are looked at.
const LOOKED_AT: (u64, u64) = (16, 64);
/// The least tokens of a section, to estimate how many sections to look at.
const SMALL: u64 = 80;
/// A section answers a task when it has at least this share of what the pack knows of the task.
const ANSWERS: f32 = 0.9;
/// A section of a linked page needs this share of the best score.
const LINKED_SHARE: f32 = 0.1;
/// The number of sections whose links are followed, and the number of steps.
const MAX_LINKING: usize = 8;
const STEPS: usize = 2;
/// The factor on the score of a compiled section.
const PREFERENCE: f32 = 1.1;
const MAX_PERSONA: usize = 8;
/// The number of passages whose neighbours may join.
const MAX_BESIDE: usize = 4;

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Candidate {
    pub(super) place: Place,
    pub(super) area: Area,
    pub(super) address: DocAddress,
    pub(super) score: f32,
    /// The reason why it is a candidate, without its words.
    pub(super) why: &'static str,
    /// Which terms of the query it has, by their numbers there.
    pub(super) terms: Vec<usize>,
    pub(super) found_by: FoundBy,
    /// The number of its group: groups rank one after the other.
    pub(super) group: usize,
}

impl Candidate {
    /// Returns a section without a word of the task.
    pub(super) fn wordless(
        place: Place,
        area: Area,
        address: DocAddress,
        why: &'static str,
    ) -> Self {
        let found_by = FoundBy::Lexical;
        Self { place, area, address, score: 0.0, why, terms: Vec::new(), found_by, group: 0 }
    }
}

#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Selected {
    /// Best first.
    pub(super) candidates: Vec<Candidate>,
    /// Which terms of the query go without saying in this pack: they stand in many of its sections,
    /// in its name or in its description.
    pub(super) common: HashSet<usize>,
    /// The share of the task that the best section has.
    pub(super) coverage: f32,
    /// True if the candidates without a term of the task apply to it all the same: what shapes
    /// tone and persona, and something is to be written.
    pub(super) shapes: bool,
}

/// Reads the links of a section.
pub(super) type Reader<'a> = dyn Fn(&Place) -> Option<String> + 'a;

pub(super) fn select(
    view: &View,
    pack: &Pack,
    query: &Query,
    intent: Intent,
    task: &Task,
    (read, synonyms): (&Reader<'_>, Option<&Synonyms>),
) -> Result<Selected, TantivyError> {
    let item = pack.item();
    let evidence = task.evidence || intent.wants_evidence();
    let areas = areas(view, intent, task);
    let query = &*query.of_pack(&view.opened.languages, synonyms);
    let raised = raised(&view.opened, query)?;
    let (search, numbers) = prepare(&view.opened, query, &areas, &raised)?;
    let weights = Weights::of(query, &numbers, &search, &raised);
    let mut common = described(pack, query);
    for (bit, (number, frequency)) in numbers.iter().zip(search.frequencies()).enumerate() {
        if *frequency > 0 && weights.rare() >> bit & 1 == 0 {
            common.insert(*number);
        }
    }
    let mut choice = Choice {
        view,
        query,
        search,
        weights,
        numbers,
        areas,
        read,
        groups: Vec::new(),
        most: looked_at(task.budget),
        seen: HashSet::new(),
    };
    match item.profile {
        Profile::DocumentFirst => choice.document_first(evidence)?,
        Profile::WikiFirst => choice.wiki_first(intent, evidence)?,
        Profile::Hybrid => choice.hybrid(intent, evidence)?,
    }
    choice.leave_out_a_stranger();
    let coverage = choice.best_coverage();
    let shapes = item.runtime.mode == RuntimeMode::Persona && query.is_writing();
    if item.runtime.mode == RuntimeMode::Persona && (shapes || !choice.is_empty()) {
        choice.persona(pack, shapes)?;
    }
    choice.add_neighbours()?;
    let of_group = |(group, own): (usize, Vec<(Candidate, u64)>)| {
        own.into_iter().map(move |(candidate, _)| Candidate { group, ..candidate })
    };
    let candidates = choice.groups.into_iter().enumerate().flat_map(of_group).collect();
    Ok(Selected { candidates, common, coverage, shapes })
}

/// Returns the areas that are searched, as far as the pack has them.
pub(super) fn areas(view: &View, intent: Intent, task: &Task) -> Vec<Area> {
    let evidence = task.evidence || intent.wants_evidence();
    let is_searched = |area: &Area| evidence || *area != Area::Source;
    view.opened.areas.iter().copied().filter(is_searched).collect()
}

/// Words of how tasks are worded that headings of the pack have: there they are what it is about.
fn raised(opened: &Opened, query: &Query) -> Result<HashSet<usize>, TantivyError> {
    let mut raised = HashSet::new();
    for (number, term) in query.terms.iter().enumerate() {
        if term.is_weak && !term.is_content && opened.has_heading_with(&term.text)? {
            raised.insert(number);
        }
    }
    Ok(raised)
}

/// Returns the terms that the name or the description of the pack has.
fn described(pack: &Pack, query: &Query) -> HashSet<usize> {
    let item = pack.item();
    let text = format!("{}\n{}", item.name, item.description);
    let mut words = HashSet::new();
    let mut stream = Stream::new(&text);
    while stream.advance() {
        words.insert(stream.token().text.clone());
    }
    let known = query.terms.iter().enumerate().filter(|(_, term)| words.contains(&term.text));
    known.map(|(number, _)| number).collect()
}

/// Returns the terms that are looked for: all, or of many the rarest that matter.
fn prepare<'v>(
    opened: &'v Opened,
    query: &Query,
    areas: &[Area],
    raised: &HashSet<usize>,
) -> Result<(Search<'v>, Vec<usize>), TantivyError> {
    let all = query.terms.iter().map(QueryTerm::sought).collect();
    let search = Search::new(opened, all, areas)?;
    let numbers: Vec<usize> = (0..query.terms.len()).collect();
    if numbers.len() <= MAX_TERMS {
        return Ok((search, numbers));
    }
    let frequencies = search.frequencies().to_vec();
    let mut kept = numbers;
    kept.sort_by_key(|at| {
        let frequency = frequencies.get(*at).copied().unwrap_or(0);
        let is_content =
            query.terms.get(*at).is_some_and(|term| term.is_content || raised.contains(at));
        (frequency == 0, !is_content, frequency, *at)
    });
    kept.truncate(MAX_TERMS);
    kept.sort_unstable();
    let rarest = kept.iter().filter_map(|at| Some(query.terms.get(*at)?.sought()));
    Ok((Search::new(opened, rarest.collect(), areas)?, kept))
}

/// Which sections of an area are wanted.
enum Wanted<'w> {
    /// Those that match well enough.
    Matching,
    /// Those of them that have one of these terms.
    With(u64),
    /// Those of these files; one term is enough.
    On(&'w HashSet<String>),
}

struct Choice<'a> {
    view: &'a View,
    query: &'a Query,
    search: Search<'a>,
    weights: Weights,
    /// The number in the query of each term of the search.
    numbers: Vec<usize>,
    areas: Vec<Area>,
    read: &'a Reader<'a>,
    /// Candidates with their terms, in groups that rank one after the other.
    groups: Vec<Vec<(Candidate, u64)>>,
    /// The number of sections of an area that are looked at.
    most: usize,
    seen: HashSet<DocAddress>,
}

const MATCHES: &str = "it matches";
const PRIMARY: &str = "no split section answers the task; the primary document has";
const WIKI: &str = "the wiki has the details of";
const WIKI_FALLBACK: &str = "no compiled section answers the task; the wiki has";
const LINKED: &str = "a page that a selected section links to has";
const LACKING: &str = "what else is selected lacks a rare word of the task; this section has";
const PART: &str = "what else is selected has only a part of the task; a page has";
const FALLBACK: &str = "nothing else in the pack matches; a document has";
const SOURCE: &str = "evidence is asked for; the source has";
const BESIDE: &str = "it is in the section of a passage that matches";
const PERSONA: &str = "it shapes tone, persona or taboos of every answer";

impl Choice<'_> {
    /// `compiled/splits/` first; the primary document when no split section answers.
    fn document_first(&mut self, evidence: bool) -> Result<(), TantivyError> {
        self.add(&[(Area::Split, MATCHES)])?;
        let answered = self.answered();
        self.add(&[(Area::Compiled, MATCHES)])?;
        if !answered {
            self.add_what_is_new(&[(Area::Primary, PRIMARY)])?;
        }
        if !self.is_empty() && !self.answered() {
            self.add_what_is_new(&[(Area::Document, PART), (Area::Wiki, PART)])?;
        }
        if evidence {
            self.add(&[(Area::Source, SOURCE)])?;
        }
        self.add_what_is_lacking(&[Area::Primary])?;
        self.add_what_is_lacking(&[Area::Document, Area::Wiki])?;
        if self.is_empty() {
            self.add(&[(Area::Document, FALLBACK), (Area::Wiki, FALLBACK)])?;
        }
        Ok(())
    }

    /// `compiled/` first; the wiki for details, relations and what is not compiled.
    fn wiki_first(&mut self, intent: Intent, evidence: bool) -> Result<(), TantivyError> {
        let compiled = [(Area::Compiled, MATCHES), (Area::Split, MATCHES)];
        let mut first = compiled.to_vec();
        if intent == Intent::Detail {
            first.push((Area::Wiki, WIKI));
        }
        if evidence {
            first.extend([(Area::Wiki, WIKI), (Area::Source, SOURCE)]);
        }
        self.add(&first)?;
        if !self.answered_by_more_than_mention() && !first.contains(&(Area::Wiki, WIKI)) {
            self.merge(&[(Area::Wiki, WIKI_FALLBACK)])?;
        }
        self.follow_links()?;
        if !self.is_empty() && !self.answered() {
            self.add_what_is_new(&[(Area::Primary, PART), (Area::Document, PART)])?;
        }
        self.add_what_is_lacking(&[Area::Wiki])?;
        self.add_what_is_lacking(&[Area::Primary, Area::Document])?;
        if self.is_empty() {
            self.add(&[(Area::Primary, FALLBACK), (Area::Document, FALLBACK)])?;
        }
        Ok(())
    }

    /// `compiled/` and, by the intent, documents or wiki; the other one when those do not answer.
    fn hybrid(&mut self, intent: Intent, evidence: bool) -> Result<(), TantivyError> {
        let documents = [(Area::Primary, MATCHES), (Area::Document, MATCHES)];
        let mut first = vec![(Area::Compiled, MATCHES), (Area::Split, MATCHES)];
        let is_detail = intent == Intent::Detail;
        if is_detail {
            first.push((Area::Wiki, WIKI));
        } else {
            first.extend(documents);
        }
        if evidence {
            first.push((Area::Source, SOURCE));
        }
        self.add(&first)?;
        if !self.answered() {
            if is_detail {
                self.merge(&documents)?;
            } else {
                self.merge(&[(Area::Wiki, WIKI_FALLBACK)])?;
            }
        }
        self.follow_links()?;
        self.add_what_is_lacking(&[Area::Primary, Area::Document, Area::Wiki])
    }

    /// Adds a group of the best sections of some areas.
    fn add(&mut self, areas: &[(Area, &'static str)]) -> Result<(), TantivyError> {
        let group = self.group(areas, &Wanted::Matching)?;
        self.take(group);
        Ok(())
    }

    /// Adds sections with the rare terms of the task that the pack knows and nothing chosen has:
    /// the chosen sections then answer only a part of the task.
    fn add_what_is_lacking(&mut self, areas: &[Area]) -> Result<(), TantivyError> {
        if self.is_empty() {
            return Ok(());
        }
        let lacking = self.weights.rare() & !self.chosen_terms();
        if lacking != 0 {
            let areas: Vec<_> = areas.iter().map(|area| (*area, LACKING)).collect();
            let group = self.group(&areas, &Wanted::With(lacking))?;
            self.take(group);
        }
        Ok(())
    }

    /// Adds a group; what is in it is not looked for again.
    fn take(&mut self, group: Vec<(Candidate, u64)>) {
        self.seen.extend(group.iter().map(|(candidate, _)| candidate.address));
        self.groups.push(group);
    }

    fn chosen_terms(&self) -> u64 {
        self.groups.iter().flatten().fold(0, |known, (_, terms)| known | terms)
    }

    /// Adds a group of sections that have terms which nothing chosen has, or as much of the task as
    /// the best of them.
    fn add_what_is_new(&mut self, areas: &[(Area, &'static str)]) -> Result<(), TantivyError> {
        let mut group = self.group(areas, &Wanted::Matching)?;
        self.keep_what_is_new(&mut group);
        self.take(group);
        Ok(())
    }

    fn keep_what_is_new(&self, group: &mut Vec<(Candidate, u64)>) {
        let (known, best) = (self.chosen_terms(), self.best_coverage());
        group.retain(|(_, terms)| {
            self.weights.says(terms & !known) || self.weights.share(*terms) >= best
        });
    }

    /// Adds what is new of some areas to the first group, ranked with it.
    fn merge(&mut self, areas: &[(Area, &'static str)]) -> Result<(), TantivyError> {
        let mut group = self.group(areas, &Wanted::Matching)?;
        self.keep_what_is_new(&mut group);
        if self.groups.is_empty() {
            self.groups.push(Vec::new());
        }
        if let Some(first) = self.groups.first_mut() {
            first.append(&mut group);
            let best = first.iter().map(|(candidate, _)| candidate.score).fold(0.0, f32::max);
            first.retain(|(candidate, _)| candidate.score >= best * gate::SHARE_OF_BEST);
            sort(first);
            self.seen.extend(first.iter().map(|(candidate, _)| candidate.address));
        }
        Ok(())
    }

    /// Returns the sections of some areas that match well enough, best first.
    fn group(
        &mut self,
        areas: &[(Area, &'static str)],
        wanted: &Wanted<'_>,
    ) -> Result<Vec<(Candidate, u64)>, TantivyError> {
        let mut hits: Vec<(Hit, &'static str)> = Vec::new();
        for (area, why) in areas {
            if self.areas.contains(area) {
                let found = match wanted {
                    Wanted::On(pages) => self.search.hits_on(*area, self.most, pages)?,
                    _ => self.search.hits(*area, self.most)?,
                };
                hits.extend(found.into_iter().map(|hit| (hit, *why)));
            }
        }
        hits.retain(|(hit, _)| !self.seen.contains(&hit.address));
        match wanted {
            Wanted::Matching => self.weights.admit(&mut hits),
            Wanted::With(terms) => {
                hits.retain(|(hit, _)| hit.terms & terms != 0);
                self.weights.admit(&mut hits);
            }
            Wanted::On(_) => hits.retain(|(hit, _)| self.weights.has_content(hit.terms)),
        }
        let mut group = Vec::with_capacity(hits.len());
        for (hit, why) in hits {
            let place = self.search.place(hit.address)?;
            let address = hit.address;
            let bits = self.numbers.iter().enumerate().filter(|(bit, _)| hit.terms >> bit & 1 == 1);
            let terms = bits.map(|(_, number)| *number).collect();
            let score = hit.score * preference(hit.area);
            let (area, found_by) = (hit.area, FoundBy::Lexical);
            let found = Candidate { place, area, address, score, why, terms, found_by, group: 0 };
            group.push((found, hit.terms));
        }
        sort(&mut group);
        Ok(group)
    }

    /// Follows the links of the best sections to pages of the wiki, and those of what is found
    /// there.
    fn follow_links(&mut self) -> Result<(), TantivyError> {
        if !self.areas.contains(&Area::Wiki) {
            return Ok(());
        }
        let mut followed: HashSet<String> = HashSet::new();
        let best = self.groups.iter().flatten().map(|(candidate, _)| candidate.score);
        let best = best.fold(0.0, f32::max);
        let chosen = self.groups.iter().flatten().take(MAX_LINKING);
        let mut linking: Vec<Place> =
            chosen.map(|(candidate, _)| candidate.place.clone()).collect();
        for _ in 0..STEPS {
            let mut pages = HashSet::new();
            for place in &linking {
                let Some(text) = (self.read)(place) else { continue };
                pages.extend(links::pages(&text, &place.path, &self.view.listing));
            }
            pages.retain(|page| !followed.contains(page));
            if pages.is_empty() {
                break;
            }
            let mut group = self.group(&[(Area::Wiki, LINKED)], &Wanted::On(&pages))?;
            group.retain(|(candidate, _)| candidate.score >= best * LINKED_SHARE);
            let found = group.iter().take(MAX_LINKING);
            linking = found.map(|(candidate, _)| candidate.place.clone()).collect();
            followed.extend(pages);
            self.take(group);
        }
        Ok(())
    }

    /// Adds the sections that shape every answer: on tone, persona and taboos, and for `writing`
    /// all of the compiled files that the guide names.
    fn persona(&mut self, pack: &Pack, writing: bool) -> Result<(), TantivyError> {
        let mut addresses = self.search.persona(MAX_PERSONA * 4)?;
        if writing {
            for path in named(pack, &self.view.listing) {
                addresses.extend(self.search.sections(&path, MAX_PERSONA)?);
            }
        }
        let mut group = Vec::new();
        for address in addresses {
            if group.len() < MAX_PERSONA && self.seen.insert(address) {
                let place = self.search.place(address)?;
                let area = Area::of(&place.path, None).unwrap_or(Area::Compiled);
                if matches!(area, Area::Split | Area::Compiled) {
                    group.push((Candidate::wordless(place, area, address, PERSONA), 0));
                }
            }
        }
        self.take(group);
        Ok(())
    }

    /// Adds the passages before and after the best ones, within their sections: a long section was
    /// parted, and what answers may stand beside the words of the task. They take what room is left.
    fn add_neighbours(&mut self) -> Result<(), TantivyError> {
        let with_words = self.groups.iter().flatten().filter(|(_, terms)| *terms != 0);
        let best: Vec<Candidate> =
            with_words.take(MAX_BESIDE).map(|(candidate, _)| candidate.clone()).collect();
        let mut group = Vec::new();
        for hit in best {
            for address in self.search.beside(hit.address) {
                if self.seen.contains(&address) {
                    continue;
                }
                let place = self.search.place(address)?;
                if place.path == hit.place.path && place.heading == hit.place.heading {
                    self.seen.insert(address);
                    group.push((Candidate::wordless(place, hit.area, address, BESIDE), 0));
                }
            }
        }
        self.take(group);
        Ok(())
    }

    /// Leaves out everything when the pack is about something else and only shares words.
    fn leave_out_a_stranger(&mut self) {
        // What joined for a word that the rest lacks makes nothing more of the rest.
        let joined = |candidate: &Candidate| matches!(candidate.why, LACKING | PART);
        let chosen = self.groups.iter().flatten().filter(|(candidate, _)| !joined(candidate));
        let chosen: Vec<u64> = chosen.map(|(_, terms)| *terms).collect();
        if !self.weights.are_about(&chosen) {
            self.groups.clear();
        }
    }

    fn is_empty(&self) -> bool {
        self.groups.iter().all(Vec::is_empty)
    }

    /// Reports whether a section chosen so far answers the task.
    fn answered(&self) -> bool {
        let mut chosen = self.groups.iter().flatten();
        chosen.any(|(_, terms)| self.weights.share_of_known(*terms) >= ANSWERS)
    }

    /// Reports whether a section chosen so far answers the task with more than a mention of its
    /// only word that the pack knows: a page of the wiki may be about that word.
    fn answered_by_more_than_mention(&self) -> bool {
        let mut chosen = self.groups.iter().flatten();
        chosen.any(|(candidate, terms)| {
            self.weights.share_of_known(*terms) >= ANSWERS
                && (self.weights.words(*terms) > 1 || self.is_titled(candidate))
        })
    }

    /// Reports whether the own heading of a section has a word that shows what the task is about.
    fn is_titled(&self, candidate: &Candidate) -> bool {
        let heading = &candidate.place.heading;
        let own = heading.rsplit(BETWEEN).next().unwrap_or(heading);
        let mut stream = Stream::new(own);
        while stream.advance() {
            let word = stream.token().text.as_str();
            let is_it = |number: &usize| {
                self.query
                    .terms
                    .get(*number)
                    .is_some_and(|term| term.is_content && term.text == word)
            };
            if candidate.terms.iter().any(is_it) {
                return true;
            }
        }
        false
    }

    fn best_coverage(&self) -> f32 {
        let shares = self.groups.iter().flatten().map(|(_, terms)| self.weights.share(*terms));
        shares.fold(0.0, f32::max)
    }
}

/// Returns the compiled files that the guide of a pack names, by path.
fn named(pack: &Pack, listing: &Listing) -> Vec<String> {
    let guide = pack.guide_body().unwrap_or_default();
    let mut paths: Vec<String> = listing
        .keys()
        .filter(|path| path.starts_with("compiled/") && guide.contains(path.as_str()))
        .cloned()
        .collect();
    paths.sort_unstable();
    paths
}

/// Returns the number of sections of an area that can matter under a budget.
fn looked_at(budget: u64) -> usize {
    usize::try_from((budget / SMALL).clamp(LOOKED_AT.0, LOOKED_AT.1)).unwrap_or(64)
}

/// Returns the weight of an area: files compiled for reading go before the same words elsewhere.
fn preference(area: Area) -> f32 {
    if matches!(area, Area::Split | Area::Compiled) { PREFERENCE } else { 1.0 }
}

fn sort(group: &mut [(Candidate, u64)]) {
    group.sort_by(|(left, _), (right, _)| {
        let place =
            |candidate: &Candidate| (candidate.place.path.clone(), candidate.place.first_line);
        right.score.total_cmp(&left.score).then_with(|| place(left).cmp(&place(right)))
    });
}
