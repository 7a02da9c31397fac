//! The record of the use of packs: in the manifest, and in the usage log (KN-15).

use super::answer::Question;
use crate::host::errors::of_packs;
use crate::host::run_state::RunState;
use crate::packs::{AskedOf, DEFAULT_BUDGET, OnDemand, asked_of, file_in_pack};
use contexture_context::manifest::{
    ExpandedRecord, LONGEST_QUESTION, LeftOut, MOST_LEFT_OUT, PackFileRecord, PackRecord,
    RankedPassage, RankedRecord,
};
use contexture_context::tokens::O200K_BASE;
use contexture_context::{Budget, ContextItem, DeclaredItem, Digest, Position, TokenCounter};
use contexture_knowledge::pack::{GUIDE_FILE, Pack};
use contexture_knowledge::resolve::{PackUse, Resolution, Section, Task, standing};
use contexture_reference::{Loaded, Resource};
use contexture_script::host::HostError;
use serde_json::{Value, json};

/// The bytes of an imported file up to which its digest is recorded.
const MOST_DIGESTED: u64 = 64 << 20;

/// The record of the packs of a call.
#[derive(Default)]
pub(crate) struct Kept {
    /// The packs that were resolved or read, for the usage log.
    pub(crate) found: Vec<Resolution>,
    /// For the manifest.
    pub(crate) records: Vec<PackRecord>,
    /// What questions of `use` selected of packs, for the manifest.
    pub(crate) ranked: Vec<RankedRecord>,
    /// The documents that were expanded, for the manifest.
    pub(crate) expanded: Vec<ExpandedRecord>,
}

impl Kept {
    /// Adds what a call has from elsewhere.
    pub(crate) fn extend(&mut self, other: Self) {
        self.found.extend(other.found);
        self.records.extend(other.records);
        self.ranked.extend(other.ranked);
        self.expanded.extend(other.expanded);
    }
}

/// Returns the record of a reference that was loaded into a prompt, for each pack that it has files
/// of: paths and patterns of files may lead into packs as well.
pub(crate) fn of_reference(
    packs: &OnDemand,
    reference: &str,
    loaded: &Loaded,
    position: &Position,
) -> Result<Kept, HostError> {
    let asked = asked_of(reference);
    let budget = asked.as_ref().and_then(|asked| asked.budget).unwrap_or(DEFAULT_BUDGET);
    let mut kept = Kept::default();
    match &asked {
        Some(AskedOf { pack, query: Some(query), .. }) => {
            packs.allowed(pack).map_err(of_packs)?;
            let task = Task::new(query.as_str(), budget);
            kept.found.push(packs.get().resolve(&[pack], &task).map_err(of_packs)?);
        }
        _ => {
            for (name, files) in files(reference, loaded) {
                // Who may read it was asked when it was loaded.
                let Ok(pack) = packs.allowed(&name) else { continue };
                kept.found.push(read(&pack, &files));
            }
        }
    }
    for found in &kept.found {
        kept.records.extend(records(packs, found, position, budget)?);
    }
    Ok(kept)
}

/// Texts of a pack, by their paths in it.
type Texts<'l> = Vec<(String, &'l Resource)>;

/// Returns the texts of packs among what was loaded, by the names of the packs.
fn files<'l>(reference: &str, loaded: &'l Loaded) -> Vec<(String, Texts<'l>)> {
    let mut packs: Vec<(String, Texts<'l>)> = Vec::new();
    for resource in loaded.resources.iter().filter(|resource| resource.text().is_some()) {
        // What another level made of a file has a name of its own.
        let of = [resource.reference.as_str(), reference];
        let Some((name, path)) = of.into_iter().find_map(file_in_pack) else {
            continue;
        };
        let path = if path.is_empty() { GUIDE_FILE.to_owned() } else { path };
        match packs.iter_mut().find(|(known, _)| *known == name) {
            Some((_, texts)) => texts.push((path, resource)),
            None => packs.push((name, vec![(path, resource)])),
        }
    }
    packs
}

/// Returns the resolution of files that were read as they are.
fn read(pack: &Pack, texts: &[(String, &Resource)]) -> Resolution {
    let digested = texts.iter().filter_map(|(path, text)| Some((path.clone(), text.digest()?)));
    let taken = texts.iter().filter_map(|(_, text)| text.text()).map(tokens).sum();
    as_they_are(pack, digested.collect(), taken)
}

fn as_they_are(pack: &Pack, files: Vec<(String, Digest)>, tokens: u64) -> Resolution {
    let used = PackUse {
        item: pack.item().clone(),
        selected_files: files.iter().map(|(path, _)| path.clone()).collect(),
        files,
        grounding: pack.item().grounding,
        citation_gaps: Vec::new(),
        warnings: standing(pack.item()),
        tokens,
    };
    Resolution { uses: vec![used], ..Resolution::default() }
}

/// Returns the record of the files of packs that a program imported and shows in items: the label
/// of a value names the file that it came from.
pub(crate) fn of_imports(
    packs: &OnDemand,
    declared: &[DeclaredItem],
    items: &[ContextItem],
) -> Result<Kept, HostError> {
    let mut kept = Kept::default();
    for shown in items.iter().filter(|item| !item.left_out()) {
        let Some(item) = declared.get(shown.index) else { continue };
        let direct = item.origin.sources.iter().filter(|source| source.path.is_empty());
        for (name, path) in direct.filter_map(|source| file_in_pack(&source.source)) {
            let Ok(pack) = packs.allowed(&name) else { continue };
            let path = if path.is_empty() { GUIDE_FILE.to_owned() } else { path };
            // One that vanished since it was read has no digest.
            let text = pack.read(&path, MOST_DIGESTED).ok();
            let files = text.map(|text| (path, Digest::of_text(&text))).into_iter().collect();
            let found = as_they_are(&pack, files, shown.tokens);
            let budget = item.budget.map_or(DEFAULT_BUDGET, |budget| budget.limit);
            let position = item.position.clone().unwrap_or_default();
            kept.records.extend(records(packs, &found, &position, budget)?);
            kept.found.push(found);
        }
    }
    Ok(kept)
}

fn tokens(text: &str) -> u64 {
    O200K_BASE.count(text) as u64
}

/// Logs the resolutions that reach a model. A log that can't be written does not stop the run.
pub(crate) fn log(run: &RunState, packs: &OnDemand, found: &[Resolution]) {
    for found in found {
        if let Err(error) = packs.get().log(found) {
            run.warn(format!("the use of knowledge was not written down: {error}"));
        }
    }
}

/// Returns the records of what was resolved, one for each pack.
pub(super) fn records(
    packs: &OnDemand,
    found: &Resolution,
    position: &Position,
    budget: u64,
) -> Result<Vec<PackRecord>, HostError> {
    let missing: Vec<String> = found.missing.iter().map(|missing| missing.fact.clone()).collect();
    let record = |used: &PackUse| {
        let pack = packs.allowed(&used.item.name).map_err(of_packs)?;
        let digest = pack.digest().map_err(|error| of_packs(error.into()))?;
        let file = |(path, digest): &(String, _)| PackFileRecord {
            path: path.clone(),
            digest: Clone::clone(digest),
        };
        Ok(PackRecord {
            name: used.item.name.clone(),
            version: used.item.version.clone(),
            status: used.item.status.as_str().to_owned(),
            trust: used.item.trust.map(|trust| trust.as_str().to_owned()),
            digest,
            profile: used.item.profile.as_str().to_owned(),
            runtime_mode: used.item.runtime.mode.as_str().to_owned(),
            grounding: used.grounding.as_str().to_owned(),
            position: position.clone(),
            budget,
            tokens: used.tokens,
            files: used.files.iter().map(file).collect(),
            warnings: used.warnings.clone(),
            missing: missing.clone(),
            citation_gaps: used.citation_gaps.iter().map(|gap| json!(gap)).collect(),
        })
    };
    found.uses.iter().map(record).collect()
}

/// Returns the record of what the question of a `use` selected, of all that the pack says to it.
pub(super) fn ranked(question: &Question, found: &Resolution, all: &Resolution) -> RankedRecord {
    let passage = |section: &Section| RankedPassage {
        text: section.path.clone(),
        heading: Some(section.heading.clone()),
        first_line: section.lines.0,
        last_line: section.lines.1,
        score: section.score,
        tokens: section.tokens,
    };
    let is_shown = |one: &&Section| {
        found.sections.iter().any(|shown| shown.path == one.path && shown.lines == one.lines)
    };
    let mut others: Vec<&Section> = all.sections.iter().filter(|one| !is_shown(one)).collect();
    others.sort_by(|one, other| other.score.total_cmp(&one.score));
    let mut passages: Vec<RankedPassage> = found.sections.iter().map(passage).collect();
    passages.sort_by(|one, other| other.score.total_cmp(&one.score));
    let texts = all.selected_files.iter().filter(|path| !found.selected_files.contains(path));
    RankedRecord {
        source: question.source.clone(),
        label: question.label.clone(),
        position: question.position.clone(),
        question: question.text.chars().take(LONGEST_QUESTION).collect(),
        budget: question.budget.unwrap_or(Budget::tokens(DEFAULT_BUDGET)),
        most: None,
        passages,
        left_out: LeftOut {
            texts: texts.count() as u64,
            passages: others.len() as u64,
            best: others.into_iter().take(MOST_LEFT_OUT).map(passage).collect(),
        },
    }
}

/// Returns a resolution as a program and a trace see it.
pub(super) fn value_of(found: &Resolution) -> Result<Value, HostError> {
    serde_json::to_value(found).map_err(|error| HostError::new("output_failed", error.to_string()))
}
