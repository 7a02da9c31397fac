//! The run of a suite: every case in every variant (EV-1, EV-3).

use super::asked::{Asked, Estimate, EvalOptions, ceiling, require_models, sources};
use super::cell::Cell;
use super::expect::{Expectation, Scorer};
use super::fault::EvalError;
use super::file::Suite;
use super::report::{CaseReport, SuiteReport};
use super::scorer::judge_ceiling;
use super::suite::Case;
use crate::models::StandIn;
use crate::run::{InputForm, Loaded, RunFailure, RunRequest, SetupError, selections};
use crate::runtime::Runtime;
use contexture_llm::Ledger;
use contexture_script::runtime::Choice;
use contexture_script::semantic::ceiling::Ceiling;
use futures_util::stream::{self, StreamExt as _};
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;

/// The number of cells under way at the same time where the settings name none.
const AT_ONCE: usize = 4;

/// How cases without recorded answers are run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TestOptions {
    /// True if placeholders of the right type stand in for models; else only models that need no
    /// server answer.
    pub mock: bool,
}

/// What answers in place of models.
pub(super) enum How<'h> {
    /// Recorded answers, or models that need no server.
    Recorded(TestOptions),
    /// Models.
    Asked(&'h Asked),
}

/// What the cells of a suite share. Each program is loaded once, whatever the number of cells.
pub(super) struct Runner<'r> {
    pub(super) runtime: &'r Runtime,
    pub(super) suite: &'r Suite,
    pub(super) how: How<'r>,
    pub(super) program: Arc<Loaded>,
    choices: Vec<Choice>,
    /// The programs of scorers by their paths, and why others can't be used.
    pub(super) scorers: HashMap<PathBuf, Result<Arc<Loaded>, String>>,
    form: InputForm,
}

impl<'r> Runner<'r> {
    pub(super) fn new(
        runtime: &'r Runtime,
        suite: &'r Suite,
        how: How<'r>,
        program: Arc<Loaded>,
    ) -> Self {
        let form = InputForm::of(&program.program, &RunRequest::default());
        let mut scorers = HashMap::new();
        for expectation in suite.cases.iter().flat_map(|case| &case.expect) {
            let Expectation::Scorer(Scorer { program: Some(name), .. }) = expectation else {
                continue;
            };
            let path = suite.beside(name);
            let load = |path: &PathBuf| Loaded::new(runtime.project(), path);
            scorers
                .entry(path)
                .or_insert_with_key(|path| load(path).map_err(|error| error.to_string()));
        }
        let choices = program.executable.choices();
        Self { runtime, suite, how, program, choices, scorers, form }
    }

    /// Returns the candidates of a case and those of its variant, which win over them however a choice is
    /// named. What names no choice stays, so that the run tells it.
    pub(super) fn selections(
        &self,
        case: &BTreeMap<String, String>,
        variant: Option<&BTreeMap<String, String>>,
    ) -> BTreeMap<String, String> {
        let placed = |asked: &BTreeMap<String, String>| {
            selections::resolve(asked, &self.choices).unwrap_or_else(|_| asked.clone())
        };
        let mut all = placed(case);
        all.extend(variant.map(placed).unwrap_or_default());
        all
    }

    /// Returns the input of a case.
    pub(super) fn input(&self, case: &Case) -> Result<Value, SetupError> {
        match case.pairs.as_slice() {
            [] => Ok(case.input.clone()),
            pairs => self.form.of_pairs(pairs.to_vec()),
        }
    }

    /// Returns what answers a run that has no recorded answers.
    pub(super) fn stand_in(&self) -> StandIn {
        match &self.how {
            How::Recorded(TestOptions { mock: true }) => StandIn::Mock,
            How::Recorded(_) => StandIn::Local,
            How::Asked(asked) => asked.options.stand_in.clone(),
        }
    }

    pub(super) const fn asked(&self) -> Option<&Asked> {
        match &self.how {
            How::Asked(asked) => Some(asked),
            How::Recorded(_) => None,
        }
    }

    /// Runs cells, some at the same time. The order of the reports is that of the cells.
    pub(super) async fn run<'c>(&self, cells: impl Iterator<Item = Cell<'c>>) -> Vec<CaseReport> {
        let at_once = self.runtime.project().config.concurrency.map_or(AT_ONCE, NonZeroUsize::get);
        let runs = cells.map(|cell| cell.run(self));
        stream::iter(runs).buffered(at_once).collect().await
    }
}

/// Runs all cases of a suite on recorded answers. Their order in the report is that of the file.
///
/// # Errors
/// [`EvalError`] when the program can't be read or is refused; nothing has run then.
pub async fn test(
    runtime: &Runtime,
    suite: &Suite,
    options: &TestOptions,
) -> Result<SuiteReport, EvalError> {
    let how = How::Recorded(*options);
    let runner = Runner::new(runtime, suite, how, checked(runtime, suite)?);
    let mut cases = runner.run(cells(suite, 1)).await;
    cases.extend(suite.broken.iter().map(Into::into));
    Ok(SuiteReport::new(suite.name.clone(), cases))
}

/// Returns the most that the cells of a suite may take.
///
/// # Errors
/// [`EvalError`] when the program can't be read or is refused, or a model can't be asked.
pub fn estimate(
    runtime: &Runtime,
    suite: &Suite,
    options: &EvalOptions,
) -> Result<Estimate, EvalError> {
    let program = checked(runtime, suite)?;
    require_models(runtime.project(), suite, options)?;
    let each = ceiling(runtime.project(), &program.program, options);
    let runner = Runner::new(runtime, suite, How::Recorded(TestOptions::default()), program);
    let judged = |case: &Case| {
        let scorers = case.expect.iter().filter_map(|wish| match wish {
            Expectation::Scorer(scorer) => Some(judge_ceiling(&runner, scorer)),
            _ => None,
        });
        scorers.fold(each, Ceiling::plus)
    };
    let repeat = options.repeat.max(1) as usize;
    let (mut count, mut most) = (0, Ceiling::ZERO);
    for case in &suite.cases {
        let own = case.variants.len().max(1) * repeat;
        count += own;
        most = most.plus(judged(case).times(u64::try_from(own).ok()));
    }
    Ok(Estimate::of(count, most))
}

/// Asks models all cases of a suite, within limits; `ledger` pays for them, also for other suites.
/// Returns the report, and the limit that stopped it. What an earlier eval asked before it was killed
/// or stopped is not asked again.
///
/// # Errors
/// [`EvalError`] when the program can't be read or is refused, or a model can't be asked; nothing has run
/// then.
pub async fn eval(
    runtime: &Runtime,
    suite: &Suite,
    options: &EvalOptions,
    ledger: Arc<Ledger>,
) -> Result<(SuiteReport, Option<&'static str>), EvalError> {
    let project = runtime.project();
    let program = checked(runtime, suite)?;
    require_models(project, suite, options)?;
    let sources = sources(project, suite, &program.program, options).await?;
    let asked = Asked::new(project, options.clone(), ledger, Some(sources))?;
    let runner = Runner::new(runtime, suite, How::Asked(&asked), program);
    let cells = cells(suite, options.repeat);
    let mut cases = asked.within_time(runner.run(cells)).await;
    cases.extend(suite.broken.iter().map(Into::into));
    asked.forget(project);
    Ok((SuiteReport::new(suite.name.clone(), cases), asked.stopped()))
}

/// Loads the program of a suite.
pub(super) fn checked(runtime: &Runtime, suite: &Suite) -> Result<Arc<Loaded>, EvalError> {
    Loaded::new(runtime.project(), &suite.program).map_err(|failure| match failure {
        RunFailure::Source(checked) => EvalError::Refused(Box::new(checked)),
        RunFailure::Setup(error) => EvalError::Setup(error),
        // Loading runs nothing.
        failed @ RunFailure::Program { .. } => {
            EvalError::Setup(SetupError::new(failed.code(), &failed, None))
        }
    })
}

/// Returns the cells of a suite, case by case.
pub(super) fn cells(suite: &Suite, repeat: u32) -> impl Iterator<Item = Cell<'_>> {
    suite.cases.iter().flat_map(move |case| {
        let none = case.variants.is_empty().then_some(None);
        let variants = case.variants.iter().map(Some).chain(none);
        variants.flat_map(move |variant| {
            (0..repeat.max(1)).map(move |repeat| Cell { case, variant, repeat })
        })
    })
}

#[cfg(test)]
mod tests {
    use super::super::file::load;
    use super::super::report::Outcome;
    use super::*;
    use std::fs;

    #[test]
    fn ev_3_programs_are_loaded_once_for_all_cells() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
        write("part.as", "func half(n number) {\n  n / 2\n}\n");
        write(
            "a.as",
            "import func half from \"./part.as\"\n\nmain func(input { n number }) {\n  half(input.n)\n}\n",
        );
        write(
            "g.as",
            "agent Grader {\n  func score(value number) {\n    if value > 1 {\n      return 1\n    }\n    0\n  }\n}\n",
        );
        let case = |n: u32| {
            format!(
                "  - input: {{n: {n}}}\n    expect: [{{equals: {}}}, {{scorer: {{agent: Grader.score, program: g.as}}}}]\n",
                n / 2
            )
        };
        let cases: String = [4, 6, 8].map(case).concat();
        write("a.test.yaml", &format!("program: a.as\ncases:\n{cases}"));
        let runtime = Runtime::open(folder.path()).unwrap();
        let suite = load(runtime.project(), &folder.path().join("a.test.yaml"), false).unwrap();
        let how = How::Recorded(TestOptions::default());
        let runner = Runner::new(&runtime, &suite, how, checked(&runtime, &suite).unwrap());
        for name in ["part.as", "a.as", "g.as"] {
            fs::remove_file(folder.path().join(name)).unwrap();
        }
        // A cell that read a program again would fail now.
        let tokio = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
        let reports = tokio.block_on(runner.run(cells(&suite, 1)));
        let outcomes: Vec<Outcome> = reports.iter().map(|report| report.outcome).collect();
        assert_eq!(outcomes, [Outcome::Passed; 3], "{reports:?}");
    }
}
