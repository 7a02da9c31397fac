//! A trial: the candidates of a program's choices on cases, within limits (AS-33, EV-9).

use super::asked::{Asked, EvalOptions, require_models};
use super::cell::Cell;
use super::fault::EvalError;
use super::file::Suite;
use super::known::refuse_known;
use super::reflect::{self, Reflect, Reflection};
use super::report::{Failure, Outcome};
use super::result::{marked, measured, named};
use super::run::{How, Runner, cells, checked};
use super::search::{ArmCase, Cells, Problem, search, split};
use super::suite::Variant;
use crate::diff::unified;
use crate::pins::Measured;
use crate::run::Loaded;
use crate::runtime::Runtime;
use contexture_context::Digest;
use contexture_llm::Ledger;
use contexture_script::sites::{Site, names, sites};
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What a trial may try.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct TrialOptions {
    /// How models are asked. Cases with recorded answers take these.
    pub eval: EvalOptions,
    /// The most combinations of candidates that are tried beside the program as it is.
    pub max_trials: usize,
    /// Who is asked for other texts, and how often.
    pub reflect: Option<Reflect>,
}

/// What came of a trial.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct TrialReport {
    /// The candidate of each site, by its label or line, if there is a gain.
    pub best: Option<BTreeMap<String, String>>,
    /// Better less worse cases by all, on the held-out cases.
    pub gain: f64,
    /// The bounds of the gain, each at 95 %.
    pub interval: Option<[f64; 2]>,
    /// The requests to models.
    pub calls: u64,
    /// The combinations that were tried beside the program as it is.
    pub trials: usize,
    /// The held-out cases on which the gain was measured.
    pub held_out: usize,
    /// The limit that ended the trial early.
    pub stopped: Option<&'static str>,
    /// The runs that could not be judged, as the program or a scorer failed; they count as not passed.
    pub failed: usize,
    /// The reason of the first of them.
    pub error: Option<Failure>,
    /// What was measured of the candidates of `best`.
    #[serde(rename = "lock")]
    pub measured: Option<Measured>,
    /// The change of the program that marks them.
    pub diff: Option<String>,
    /// The program with what was found: the marks of `best`, and the texts that were proposed and kept.
    #[serde(skip)]
    pub source: Option<String>,
    /// The texts that a model proposed, if one was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reflection: Option<Reflection>,
}

/// Tries the candidates of a program on cases. Nothing is written.
///
/// # Errors
/// [`EvalError`] when the program can't be read or is refused, or a model can't be asked; nothing has run
/// then.
pub async fn trial(
    runtime: &Runtime,
    suite: &Suite,
    options: &TrialOptions,
) -> Result<TrialReport, EvalError> {
    let program = checked(runtime, suite)?;
    require_models(runtime.project(), suite, &options.eval)?;
    let cells: Vec<Cell<'_>> = cells(suite, 1).collect();
    let found = choices(&program);
    let original = program.program.files.first().map(|file| file.source.clone());
    if let Some(wish) = &options.reflect {
        reflect::check(runtime.project(), wish, &found)?;
    }
    let keys: Vec<String> = cells.iter().map(key).collect();
    let (train, held_out) = split(&keys);
    let selected =
        |site: &Site| site.candidates.iter().position(|one| one.selected).unwrap_or_default();
    let problem = Problem {
        candidates: found.iter().map(|site| site.candidates.len()).collect(),
        baseline: found.iter().map(selected).collect(),
        train,
        held_out,
        max_trials: options.max_trials,
    };
    let ledger = Arc::new(Ledger::new(options.eval.limit, None));
    let asked = Asked::new(runtime.project(), options.eval.clone(), Arc::clone(&ledger), None)?;
    let runner = Runner::new(runtime, suite, How::Asked(&asked), program);
    refuse_known(&runner, problem.held_out.iter().filter_map(|at| cells.get(*at)))?;
    let mut tried = Tried {
        runner,
        asked: &asked,
        cells,
        sites: found.clone(),
        is_priced: true,
        faults: BTreeMap::new(),
        ran: 0,
        failed: 0,
        error: None,
    };
    let work = async {
        let outcome = search(&problem, &mut tried).await;
        let Some(reflect) = &options.reflect else { return (outcome, None) };
        let arm = outcome.best.clone().unwrap_or_else(|| problem.baseline.clone());
        let reflection = reflect::reflect(&mut tried, reflect, &arm, &problem.train).await;
        (outcome, Some(reflection))
    };
    let (outcome, reflection) = asked.within_time(work).await;
    let arm = outcome.best.as_ref();
    let has_texts = reflection.as_ref().is_some_and(Reflection::is_kept);
    let written = arm.or(Some(&problem.baseline).filter(|_| has_texts));
    let source = written.and_then(|arm| marked(&tried, arm));
    let diff = arm.and(original).zip(source.as_ref()).map(|(original, source)| {
        let name = original.name();
        unified((name, name), original.text(), source)
    });
    Ok(TrialReport {
        best: arm.map(|arm| named(names(&found), &found, arm)),
        measured: arm.map(|arm| measured(&tried, &outcome, arm)),
        diff,
        source,
        gain: outcome.gain,
        interval: outcome.interval,
        calls: ledger.taken().calls,
        trials: outcome.trials,
        held_out: outcome.held_out,
        stopped: asked.stopped().or(outcome.lacks_calls.then_some("max_calls")),
        failed: tried.failed,
        error: tried.error,
        reflection,
    })
}

/// Returns what decides on which side of the split a case stands, with all its variants.
fn key(cell: &Cell<'_>) -> String {
    let name = cell.case.name.as_deref().unwrap_or_default();
    Digest::of_text(&format!("{name}\n")).to_string()
}

/// Returns the choices of a program's own file.
pub(super) fn choices(program: &Loaded) -> Vec<Site> {
    let file = program.program.files.first();
    file.map(|file| sites(&file.source, &file.parsed.file)).unwrap_or_default()
}

/// The cells of a trial.
pub(super) struct Tried<'t> {
    /// Runs the program, also one with more candidates at the ends of its sites: arms stay the same.
    pub(super) runner: Runner<'t>,
    pub(super) asked: &'t Asked,
    pub(super) cells: Vec<Cell<'t>>,
    pub(super) sites: Vec<Site>,
    /// What was wrong with the cells that ran; nothing with those that passed.
    pub(super) faults: BTreeMap<ArmCase, Vec<String>>,
    /// False once a run had a model without a price.
    pub(super) is_priced: bool,
    ran: u64,
    failed: usize,
    error: Option<Failure>,
}

impl Tried<'_> {
    /// Returns a variant of a cell in which the candidates of an arm are chosen.
    fn variant(&self, (arm, at): &ArmCase) -> Option<Variant> {
        let own = self.cells.get(*at)?.variant;
        let mut select = own.map(|variant| variant.select.clone()).unwrap_or_default();
        let name = self.runner.program.program.files.first()?.source.name();
        for (site, one) in self.sites.iter().zip(arm) {
            let candidate = site.candidates.get(*one)?;
            select.insert(format!("{name}:{}", site.place()), candidate.name.clone());
        }
        Some(Variant {
            name: own.map(|variant| variant.name.clone()).unwrap_or_default(),
            model: own.and_then(|variant| variant.model.clone()),
            options: own.map(|variant| variant.options).unwrap_or_default(),
            select,
        })
    }
}

impl Cells for Tried<'_> {
    async fn run(&mut self, wanted: Vec<ArmCase>) -> Vec<Option<bool>> {
        let variants: Vec<Option<Variant>> = wanted.iter().map(|cell| self.variant(cell)).collect();
        let cells = wanted.iter().zip(&variants).filter_map(|((_, at), variant)| {
            let Cell { case, .. } = *self.cells.get(*at)?;
            Some(Cell { case, variant: variant.as_ref(), repeat: 0 })
        });
        let mut reports = self.runner.run(cells).await;
        for (cell, report) in wanted.iter().zip(&reports) {
            if report.outcome != Outcome::Skipped {
                self.is_priced &= report.cost.is_some();
                self.faults.insert(cell.clone(), report.faults());
            }
        }
        let ran = reports.iter_mut().filter(|report| report.outcome != Outcome::Skipped);
        for failure in ran.filter_map(|report| report.error.take()) {
            self.failed += 1;
            self.error.get_or_insert(failure);
        }
        let passed = reports.iter().map(|report| match report.outcome {
            Outcome::Skipped => None,
            outcome => Some(outcome == Outcome::Passed),
        });
        let passed: Vec<Option<bool>> = passed.collect();
        self.ran += passed.iter().flatten().count() as u64;
        passed
    }

    fn left(&self) -> Option<usize> {
        let most = self.asked.options.limit.calls?;
        let taken = self.asked.ledger.taken().calls;
        let each = taken.div_ceil(self.ran.max(1)).max(1);
        usize::try_from(most.saturating_sub(taken) / each).ok()
    }
}
