//! The choices of a file, `use one of` and bounds, with the places of their marks, and programs in which
//! others are marked (AS-33, EV-9, EV-10).
//!
//! Decision: a mark is put in and taken out as bytes of the source, and nothing is printed from the
//! tree; so the rest of the file stays as it is, whatever its form.

use crate::syntax::ast::{
    BudgetNode, Candidate, ExprKind, File, Item, Name, StatementKind, Use, UseSource,
};
use crate::syntax::freedom::{BoundCandidate, candidates, is_open, selected};
use crate::syntax::walk::statements;
use contexture_context::{Budget, Keep};
use contexture_diagnostic::{SourceFile, Span, suggestion};
use serde::Serialize;
use std::collections::BTreeMap;

/// A choice of a file: a `use one of`, or a `use` whose bounds leave one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Site {
    /// The line of the `use`, from 1.
    pub line: u32,
    /// Its column in characters, from 1.
    pub column: u32,
    /// Its label, if it has one.
    pub label: Option<String>,
    /// Its candidates, in order.
    pub candidates: Vec<SiteCandidate>,
    /// The agent that it stands in; `main` for a main one without a name.
    #[serde(skip)]
    pub agent: Option<String>,
    /// The function that it stands in; `main` for a main one.
    #[serde(skip)]
    pub function: Option<String>,
}

impl Site {
    /// Returns its place in its file: `15:3`.
    #[must_use]
    pub fn place(&self) -> String {
        format!("{}:{}", self.line, self.column)
    }

    /// Returns its id among the sites of a program: `file.as#Agent.function[label]`, with the line where
    /// it has no label.
    #[must_use]
    pub fn id(&self, file: &str) -> String {
        let scope: Vec<&str> =
            self.agent.iter().chain(&self.function).map(String::as_str).collect();
        let line = self.line.to_string();
        format!("{file}#{}[{}]", scope.join("."), self.label.as_deref().unwrap_or(&line))
    }
}

/// Returns names that tell the sites of a file apart, in their order: the label that no other site has,
/// else the line that holds no other one, else the place.
#[must_use]
pub fn names(sites: &[Site]) -> Vec<String> {
    let name = |site: &Site| {
        own_label(site, sites).map(str::to_owned).unwrap_or_else(|| {
            let is_alone = sites.iter().filter(|other| other.line == site.line).count() == 1;
            if is_alone { site.line.to_string() } else { site.place() }
        })
    };
    sites.iter().map(name).collect()
}

/// Returns names that stay when lines move: the label that no other site has, else the function with the
/// number of the site in it, as in `main#2`.
#[must_use]
pub fn lasting_names(sites: &[Site]) -> Vec<String> {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let name = |site: &Site| {
        let scope: Vec<&str> =
            site.agent.iter().chain(&site.function).map(String::as_str).collect();
        let number = seen.entry(scope.join(".")).or_default();
        *number += 1;
        let place = || format!("{}#{number}", scope.join("."));
        own_label(site, sites).map_or_else(place, str::to_owned)
    };
    sites.iter().map(name).collect()
}

/// Returns the label of a site if it is the only one of that label.
fn own_label<'s>(site: &'s Site, sites: &[Site]) -> Option<&'s str> {
    let is_same = |other: &&Site| other.label == site.label;
    site.label.as_deref().filter(|_| sites.iter().filter(is_same).count() == 1)
}

/// A candidate of a [`Site`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct SiteCandidate {
    /// Its name.
    pub name: String,
    /// True if it is shown unless another is chosen: it is marked, or where none is the first of a `use
    /// one of`, and of bounds the one with the greatest numbers.
    pub selected: bool,
    /// Its place in the file, in bytes; of bounds that of the `use`.
    pub span: Place,
    /// The place of its mark.
    #[serde(skip)]
    pub mark: Option<Span>,
    /// Where a mark of it is written, and the mark.
    #[serde(skip)]
    marked: (Span, String),
    /// True if it is `empty`.
    #[serde(skip)]
    pub is_empty: bool,
    /// Its budget.
    #[serde(skip)]
    pub budget: Option<Budget>,
    /// Its text, if it is a string.
    #[serde(skip)]
    pub text: Option<String>,
    /// The place of its source.
    #[serde(skip)]
    pub written: Option<Span>,
}

/// A place in a file, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Place {
    /// The first byte.
    pub start: u32,
    /// The byte after the last one.
    pub end: u32,
}

/// The reason why no other candidates can be marked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
#[non_exhaustive]
pub struct SiteError {
    /// True if the site is unknown; else the candidate is, or two are chosen for one site.
    pub is_of_site: bool,
    /// The message.
    pub message: String,
    /// The way to fix it.
    pub help: String,
}

/// Returns every choice of a file, in source order.
#[must_use]
pub fn sites(source: &SourceFile, file: &File) -> Vec<Site> {
    let mut found: Vec<Placed<'_>> = Vec::new();
    uses_of_items(&file.items, None, &mut found);
    found.sort_by_key(|placed| placed.used.span.start);
    found.into_iter().filter_map(|placed| site(source, &placed)).collect()
}

/// A `use` with the agent and the function that it stands in.
struct Placed<'f> {
    used: &'f Use,
    agent: Option<&'f str>,
    function: Option<&'f str>,
}

fn uses_of_items<'f>(items: &'f [Item], agent: Option<&'f str>, found: &mut Vec<Placed<'f>>) {
    let name = |name: &'f Option<Name>| Some(name.as_ref().map_or("main", |name| &name.text));
    for item in items {
        match item {
            Item::Use(used) => found.push(Placed { used, agent, function: None }),
            Item::Agent(agent) => uses_of_items(&agent.items, name(&agent.name), found),
            Item::Func(func) => statements(&func.body, &mut |statement| {
                if let StatementKind::Use(used) = &statement.kind {
                    found.push(Placed { used, agent, function: name(&func.name) });
                }
            }),
            Item::Import(_) | Item::Shape(_) | Item::Config(_) => {}
        }
    }
}

fn site(source: &SourceFile, placed: &Placed<'_>) -> Option<Site> {
    let Placed { used, agent, function } = placed;
    let candidates = match &used.source {
        UseSource::OneOf(candidates) => of_candidates(candidates),
        UseSource::Expr(_) if is_open(used) => of_bounds(used),
        UseSource::Expr(_) => return None,
    };
    Some(Site {
        line: source.position(used.span.start).line,
        column: source.position(used.span.start).column,
        label: used.label.as_ref().map(|label| label.value.clone()),
        candidates,
        agent: agent.map(str::to_owned),
        function: function.map(str::to_owned),
    })
}

/// Returns the candidates that bounds leave.
fn of_bounds(used: &Use) -> Vec<SiteCandidate> {
    let found = candidates(used);
    let chosen = selected(used, &found);
    let one = |(at, one): (usize, &BoundCandidate)| SiteCandidate {
        selected: at == chosen,
        span: Place { start: used.span.start, end: used.span.end },
        mark: used.selected.as_ref().filter(|_| at == chosen).map(|selected| selected.span),
        marked: (used.clauses_end, format!(" selected {}", one.name)),
        is_empty: one.best == Some(0),
        budget: one.max.zip(used.max.as_ref()).map(|(limit, max)| {
            let keep = one.keep.unwrap_or_default();
            Budget { limit, measure: max.measure, keep }
        }),
        text: None,
        written: None,
        name: one.name.clone(),
    };
    found.iter().enumerate().map(one).collect()
}

/// Returns the candidates of a `use one of`.
fn of_candidates(candidates: &[Candidate]) -> Vec<SiteCandidate> {
    let marked = candidates.iter().position(|candidate| candidate.selected.is_some()).unwrap_or(0);
    let budget = |candidate: &Candidate| {
        let BudgetNode { limit, measure, .. } = *candidate.max.as_ref()?;
        let keep = candidate.keep.map_or(Keep::Head, |(keep, _)| keep);
        Some(Budget { limit, measure, keep })
    };
    let one = |(at, candidate): (usize, &Candidate)| SiteCandidate {
        name: candidate.name.text.clone(),
        selected: at == marked,
        span: Place { start: candidate.span.start, end: candidate.span.end },
        mark: candidate.selected,
        marked: (Span::at(candidate.span.end), " selected".to_owned()),
        is_empty: candidate.source.is_none(),
        budget: budget(candidate),
        text: candidate.source.as_ref().and_then(|source| match &source.kind {
            ExprKind::Str(text) => Some(text.clone()),
            _ => None,
        }),
        written: candidate.source.as_ref().map(|source| source.span),
    };
    candidates.iter().enumerate().map(one).collect()
}

/// Marks the chosen candidates of sites, each named by its label or its line, and returns the text.
/// Only marks differ: one that is removed takes the blank before it, one that is added stands after
/// its candidate. A candidate that is shown anyway keeps its text.
///
/// # Errors
/// [`SiteError`] for an unknown site or candidate, and for two candidates of one site.
pub fn specialize(
    source: &SourceFile,
    file: &File,
    chosen: &[(String, String)],
) -> Result<String, SiteError> {
    let sites = sites(source, file);
    let mut wanted: BTreeMap<usize, &str> = BTreeMap::new();
    for (place, name) in chosen {
        let meant: Vec<usize> = (0..sites.len())
            .filter(|at| sites.get(*at).is_some_and(|site| is_meant(site, source, place)))
            .collect();
        if meant.is_empty() {
            return Err(unknown_site(place, &sites));
        }
        for at in meant {
            let Some(site) = sites.get(at) else { continue };
            if !site.candidates.iter().any(|candidate| candidate.name == *name) {
                return Err(unknown_candidate(place, site, name));
            }
            if let Some(other) = wanted.insert(at, name).filter(|other| other != name) {
                return Err(SiteError {
                    is_of_site: false,
                    message: format!("for `{place}` both `{other}` and `{name}` are chosen"),
                    help: "choose one candidate for each site".to_owned(),
                });
            }
        }
    }
    let mut edits = Vec::new();
    for (at, name) in wanted {
        let site = sites.get(at);
        edits.extend(site.into_iter().flat_map(|site| moves(source.text(), site, name)));
    }
    Ok(edited(source.text(), edits))
}

fn is_meant(site: &Site, source: &SourceFile, place: &str) -> bool {
    let inner = place.strip_prefix(source.name()).and_then(|rest| rest.strip_prefix(':'));
    let is_place = |place: &str| place == site.line.to_string() || place == site.place();
    site.label.as_deref() == Some(place) || is_place(place) || inner.is_some_and(is_place)
}

/// Returns the changes that mark another candidate: spans, and what stands there then.
fn moves<'s>(text: &str, site: &'s Site, name: &str) -> Vec<(Span, &'s str)> {
    let Some(new) = site.candidates.iter().find(|candidate| candidate.name == name) else {
        return Vec::new();
    };
    if new.selected {
        return Vec::new();
    }
    let old = site.candidates.iter().filter_map(|candidate| candidate.mark);
    let mut edits: Vec<_> = old.map(|mark| (with_blank(text, mark), "")).collect();
    edits.push((new.marked.0, new.marked.1.as_str()));
    edits
}

/// Returns the place of a mark with the blank before it.
fn with_blank(text: &str, mark: Span) -> Span {
    let before = text.get(..mark.range().start).unwrap_or_default();
    let blank = u32::from(before.ends_with([' ', '\t']));
    Span::new(mark.start - blank, mark.end)
}

fn edited(text: &str, mut edits: Vec<(Span, &str)>) -> String {
    edits.sort_by_key(|(span, _)| span.start);
    let mut out = String::with_capacity(text.len() + 16);
    let mut done = 0;
    for (span, new) in edits {
        let range = span.range();
        out.push_str(text.get(done..range.start).unwrap_or_default());
        out.push_str(new);
        done = range.end;
    }
    out.push_str(text.get(done..).unwrap_or_default());
    out
}

/// Returns the text of a program in which a site has one more candidate at its end: a string, with the
/// clauses of another candidate (EV-11). It is not marked, and the rest of the text stays as it is.
#[must_use]
pub fn with_candidate(
    source: &SourceFile,
    site: &Site,
    like: &SiteCandidate,
    (name, text): (&str, &str),
) -> String {
    let old = source.text();
    let last = site.candidates.last().unwrap_or(like);
    // The escapes of JSON are those of the language.
    let candidate = format!("{name}: {}{}", serde_json::json!(text), clauses(old, like));
    let (start, end) = (last.span.start as usize, last.span.end as usize);
    let (before, after) =
        (old.get(..start).unwrap_or_default(), old.get(end..).unwrap_or_default());
    let rest = after.split('\n').next().unwrap_or_default();
    let is_last_of_line = rest.trim_start_matches([',', ' ', '\t', '\r']);
    if !is_last_of_line.is_empty() && !is_last_of_line.starts_with("//") {
        return edited(old, vec![(Span::at(last.span.end), &format!(", {candidate}"))]);
    }
    let line = before.rsplit('\n').next().unwrap_or_default();
    let indent = line.get(..line.len() - line.trim_start().len()).unwrap_or_default();
    let new_line = if rest.ends_with('\r') { "\r\n" } else { "\n" };
    let place = end + rest.trim_end_matches('\r').len();
    let place = u32::try_from(place).unwrap_or(last.span.end);
    edited(old, vec![(Span::at(place), &format!("{new_line}{indent}{candidate}"))])
}

/// Returns what stands behind the source of a candidate, without its mark: ` max 2k keep tail`.
fn clauses(text: &str, candidate: &SiteCandidate) -> String {
    let Some(written) = candidate.written else { return String::new() };
    let end = candidate.mark.map_or(candidate.span.end, |mark| with_blank(text, mark).start);
    text.get(written.end as usize..end as usize).unwrap_or_default().to_owned()
}

fn unknown_site(place: &str, sites: &[Site]) -> SiteError {
    let message = format!("no choice is called `{place}`");
    let names = names(sites);
    let known: Vec<&str> = names.iter().map(String::as_str).collect();
    let help = match suggestion(place, known.iter().copied()) {
        Some(near) => near,
        None if sites.is_empty() => {
            "the file has no choice: no `use one of`, and no `use` with a range or parts to keep"
                .to_owned()
        }
        None => format!("the choices are {}", known.join(", ")),
    };
    SiteError { is_of_site: true, message, help }
}

fn unknown_candidate(place: &str, site: &Site, name: &str) -> SiteError {
    let known: Vec<&str> = site.candidates.iter().map(|one| one.name.as_str()).collect();
    let listed = || format!("the candidates are {}", known.join(", "));
    let help = suggestion(name, known.iter().copied()).unwrap_or_else(listed);
    SiteError { is_of_site: false, message: format!("`{place}` has no candidate `{name}`"), help }
}

#[cfg(test)]
mod tests;
