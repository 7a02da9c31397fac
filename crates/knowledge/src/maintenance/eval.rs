//! Selection evals: is a pack chosen for the right tasks, and with the right warnings (KN-17)?
//!
//! Decision: what chooses a pack in earnest is a model that read the catalog. An eval has to give
//! the same figures today and tomorrow, so it stands in for the model with the words of the task
//! and of the catalog alone: a pack whose description lacks the words of its tasks fails here, and
//! is overlooked by models as well.

use super::error::MaintenanceError;
use super::record::{RecordKind, check_text, read_text};
use crate::discovery::Discovery;
use crate::finding::Finding;
use crate::index::terms::{Kind, Stream};
use crate::item::{CatalogItem, PackTrust, Profile, Status};
use crate::resolve::query::Query;
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use tantivy::tokenizer::TokenStream;

/// The treatment of a pack for a task, expected or actual.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Choice {
    /// Selected without a warning.
    Select,
    /// Not selected.
    Reject,
    /// Selected, with a warning.
    Warn,
}

/// The cases of one file.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Suite {
    /// The pack.
    pub pack_name: String,
    /// The cases.
    pub cases: Vec<Case>,
}

/// A task and what should happen.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Case {
    /// The name of the case.
    pub id: String,
    /// The task.
    pub prompt: String,
    /// The expected choice.
    pub expected: Choice,
    /// The warnings that should come: `stale`, `disputed`, `needs-review`, `draft`, `unreviewed`,
    /// `external`, `missing`, or texts with one of these words.
    #[serde(default)]
    pub expected_warnings: Vec<String>,
}

/// The results of the cases of one file: a record of the kind eval-run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EvalRun {
    /// The file of the cases.
    pub suite: String,
    /// The pack.
    pub pack_name: String,
    /// One result per case.
    pub results: Vec<CaseResult>,
    /// The figures.
    pub summary: Summary,
}

/// The result of one case.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CaseResult {
    /// The name of the case.
    pub id: String,
    /// The expected choice.
    pub expected: Choice,
    /// The actual choice.
    pub actual: Choice,
    /// True if that is the same, with all warnings that should come.
    pub passed: bool,
    /// Which part of the task's words the pack's name and description have, by weight.
    pub share: f64,
    /// The warnings that came.
    pub warnings: Vec<String>,
    /// The warnings that should have come.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missing_warnings: Vec<String>,
}

/// The figures of several cases.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Summary {
    /// Cases that passed.
    pub passed: usize,
    /// Cases that did not.
    pub failed: usize,
    /// All cases.
    pub total: usize,
    /// The part that passed.
    pub pass_rate: Option<f64>,
    /// Of the selected cases, the part that should be.
    pub precision: Option<f64>,
    /// Of the cases that should be selected, the part that was.
    pub recall: Option<f64>,
    /// Selected and should not be.
    pub false_positives: usize,
    /// Not selected and should be.
    pub false_negatives: usize,
    /// Of the cases that should be selected, the part in which a warning came if one was expected,
    /// and none if none was.
    pub warning_accuracy: Option<f64>,
}

/// The results of all suites.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Evaluation {
    /// True if every case passed and every suite could be run.
    pub ok: bool,
    /// `passed` or `needs-review`.
    pub status: &'static str,
    /// One run per suite.
    pub runs: Vec<EvalRun>,
    /// The figures of all cases together.
    pub summary: Summary,
    /// The faults in the files of the cases.
    pub findings: Vec<Finding>,
}

/// Runs selection evals against the packs that were found: those of `file`, or without one those in
/// the `evals/` of every pack.
///
/// # Errors
/// [`MaintenanceError`] when the file can't be read, or there are no cases.
pub fn eval(discovery: &Discovery, file: Option<&Path>) -> Result<Evaluation, MaintenanceError> {
    let files = match file {
        Some(file) => vec![file.to_owned()],
        None => suites(discovery, |_| true),
    };
    let place = "the folders `evals/` of the packs".to_owned();
    evaluated(discovery, &files, place)
}

/// Runs the selection evals of one pack: those of `file`, or without one those in its `evals/`
/// (MA-6).
///
/// # Errors
/// As [`eval`].
pub fn eval_pack(
    discovery: &Discovery,
    pack: &str,
    file: Option<&Path>,
) -> Result<Evaluation, MaintenanceError> {
    let files = match file {
        Some(file) => vec![file.to_owned()],
        None => suites(discovery, |name| name == pack),
    };
    evaluated(discovery, &files, format!("`evals/` of the pack `{pack}`"))
}

fn evaluated(
    discovery: &Discovery,
    files: &[PathBuf],
    place: String,
) -> Result<Evaluation, MaintenanceError> {
    if files.is_empty() {
        return Err(MaintenanceError::NoSuite { place });
    }
    let items: Vec<&CatalogItem> = discovery.packs.iter().map(|found| &found.item).collect();
    let selector = Selector::new(&items);
    let (mut runs, mut findings, mut pairs) = (Vec::new(), Vec::new(), Vec::new());
    for file in files {
        let Some(suite) = load(file, &mut findings)? else { continue };
        let Some(item) = items.iter().find(|item| item.name == suite.pack_name) else {
            return Err(MaintenanceError::NoPack {
                path: file.clone(),
                reason: Some(format!("no pack named `{}` was found", suite.pack_name)),
            });
        };
        let results: Vec<(bool, CaseResult)> =
            suite.cases.iter().map(|case| run(case, item, &selector)).collect();
        pairs.extend(results.iter().cloned());
        runs.push(EvalRun {
            suite: shown(file, item),
            pack_name: suite.pack_name,
            summary: Summary::of(&results),
            results: results.into_iter().map(|(_, result)| result).collect(),
        });
    }
    let summary = Summary::of(&pairs);
    let ok = summary.failed == 0 && findings.is_empty();
    let status = if ok { "passed" } else { "needs-review" };
    Ok(Evaluation { ok, status, runs, summary, findings })
}

/// Returns the files of cases of packs, by pack and name.
fn suites(discovery: &Discovery, is_meant: impl Fn(&str) -> bool) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for pack in discovery.packs.iter().filter(|pack| is_meant(&pack.item.name)) {
        let Ok(pack) = discovery.open(&pack.item.name) else { continue };
        let root = pack.item().pack_root.clone();
        let files = pack.files().unwrap_or_default();
        let is_suite = |path: &str| path.starts_with("evals/") && path.ends_with(".json");
        found.extend(files.iter().filter(|file| is_suite(&file.path)).map(|f| root.join(&f.path)));
    }
    found
}

/// Returns the cases of a file; what is wrong with it is a finding.
fn load(file: &Path, findings: &mut Vec<Finding>) -> Result<Option<Suite>, MaintenanceError> {
    let text = read_text(file)?;
    // Whatever the file is called, it is meant as cases.
    let checked = check_text("selection-eval.json", &text, file);
    let kind = checked.records.first().and_then(|(kind, _)| *kind);
    if !checked.findings.is_empty() {
        findings.extend(checked.findings);
        return Ok(None);
    }
    let suite = checked.records.into_iter().next().map(|(_, record)| record);
    match suite.and_then(|record| serde_json::from_value(record).ok()) {
        Some(suite) if kind == Some(RecordKind::SelectionEval) => Ok(Some(suite)),
        _ => Err(MaintenanceError::NoSuite { place: format!("`{}`", file.display()) }),
    }
}

/// Returns a file of the pack by its path in it, another one as it was named.
fn shown(file: &Path, item: &CatalogItem) -> String {
    let inner = file.strip_prefix(&item.pack_root).unwrap_or(file);
    inner.to_string_lossy().replace('\\', "/")
}

/// Returns one case: whether its warnings are as expected, and the result.
fn run(case: &Case, item: &CatalogItem, selector: &Selector) -> (bool, CaseResult) {
    let (selected, share) = selector.selects(&item.name, &case.prompt);
    let warnings = if selected { warnings(item) } else { Vec::new() };
    let missing_warnings: Vec<String> = case
        .expected_warnings
        .iter()
        .filter(|expected| !warnings.iter().any(|warning| is_meant(expected, warning)))
        .cloned()
        .collect();
    let wants_warning = case.expected == Choice::Warn || !case.expected_warnings.is_empty();
    // A draft is asked about until it is ready (KN-5); cases are written for what it is then, and
    // its being a draft counts for those alone that want a warning.
    let counts = |warning: &String| wants_warning || warning != Status::Draft.as_str();
    let has_warning = warnings.iter().any(counts);
    let actual = match (selected, has_warning) {
        (false, _) => Choice::Reject,
        (true, false) => Choice::Select,
        (true, true) => Choice::Warn,
    };
    let warned_well = wants_warning == has_warning && missing_warnings.is_empty();
    let passed = actual == case.expected && missing_warnings.is_empty();
    let share = (share * 1000.0).round() / 1000.0;
    let id = case.id.clone();
    let expected = case.expected;
    (warned_well, CaseResult { id, expected, actual, passed, share, warnings, missing_warnings })
}

/// Returns the warnings to a reader of the pack, in one word each (KN-9).
fn warnings(item: &CatalogItem) -> Vec<String> {
    let mut words = Vec::new();
    if !matches!(item.status, Status::Ready) {
        words.push(item.status.as_str().to_owned());
    }
    if let Some(trust @ (PackTrust::Unreviewed | PackTrust::External)) = item.trust {
        words.push(trust.as_str().to_owned());
    }
    let primary = item.metadata.primary_document.as_ref();
    let is_there = primary.is_some_and(|path| item.pack_root.join(path).is_file());
    if item.profile == Profile::DocumentFirst && !is_there {
        words.push("missing".to_owned());
    }
    words
}

/// Reports whether an expected warning means that one.
fn is_meant(expected: &str, warning: &str) -> bool {
    let plain = |text: &str| text.to_lowercase().replace([' ', '_'], "-");
    plain(expected).contains(&plain(warning))
}

impl Summary {
    fn of(results: &[(bool, CaseResult)]) -> Self {
        let count = |keep: &dyn Fn(&(bool, CaseResult)) -> bool| {
            results.iter().filter(|result| keep(result)).count()
        };
        let should = |result: &CaseResult| result.expected != Choice::Reject;
        let was = |result: &CaseResult| result.actual != Choice::Reject;
        let passed = count(&|(_, result)| result.passed);
        let wanted = count(&|(_, result)| should(result));
        let hits = count(&|(_, result)| should(result) && was(result));
        let selected = count(&|(_, result)| was(result));
        let warned_well = count(&|(warned_well, result)| should(result) && *warned_well);
        Self {
            passed,
            failed: results.len() - passed,
            total: results.len(),
            pass_rate: ratio(passed, results.len()),
            precision: ratio(hits, selected),
            recall: ratio(hits, wanted),
            false_positives: selected - hits,
            false_negatives: wanted - hits,
            warning_accuracy: ratio(warned_well, wanted),
        }
    }
}

/// Returns a part of a whole, to four digits; `None` of nothing.
fn ratio(part: usize, whole: usize) -> Option<f64> {
    #[expect(clippy::cast_precision_loss, reason = "counts of cases are small")]
    let value = part as f64 / whole as f64;
    (whole > 0).then_some((value * 10_000.0).round() / 10_000.0)
}

/// A pack is selected when it has this part of the task's words, and at least two of them,
const SHARE: f64 = 0.15;

/// or this part, however few they are.
const CLEAR_SHARE: f64 = 0.4;

pub(super) struct Selector {
    packs: HashMap<String, HashSet<String>>,
}

impl Selector {
    pub(super) fn new(items: &[&CatalogItem]) -> Self {
        let words = |item: &CatalogItem| terms(&format!("{} {}", item.name, item.description));
        Self { packs: items.iter().map(|item| (item.name.clone(), words(item))).collect() }
    }

    /// Reports whether the pack is selected for the task, and which part of its words it has. A
    /// word that several packs have tells less: it weighs in each of them by its part.
    pub(super) fn selects(&self, pack: &str, task: &str) -> (bool, f64) {
        let Some(known) = self.packs.get(pack) else { return (false, 0.0) };
        let query = Query::of(task);
        let (mut all, mut matched, mut count) = (0.0, 0.0, 0_usize);
        for term in query.terms.iter().filter(|term| term.is_content) {
            let packs = self.packs.values().filter(|words| words.contains(&term.text)).count();
            #[expect(
                clippy::cast_precision_loss,
                reason = "packs are counted in thousands at most"
            )]
            let weight = 1.0 / packs.max(1) as f64;
            all += weight;
            if known.contains(&term.text) {
                matched += weight;
                count += 1;
            }
        }
        let share = if all > 0.0 { matched / all } else { 0.0 };
        (share >= CLEAR_SHARE || (count >= 2 && share >= SHARE), share)
    }
}

/// Returns the words of a text; pairs of characters in scripts without spaces.
fn terms(text: &str) -> HashSet<String> {
    let mut stream = Stream::new(text);
    let mut terms = HashSet::new();
    while stream.advance() {
        if stream.kind() != Kind::One {
            terms.insert(stream.token().text.clone());
        }
    }
    terms
}

#[cfg(test)]
mod tests;
