//! The run of a suite: every case in every variant (EV-1, EV-3).

use super::asked::{Asked, Estimate, EvalOptions, ceiling, key, sources};
use super::cell::Cell;
use super::fault::EvalError;
use super::file::Suite;
use super::report::{CaseReport, SuiteReport};
use crate::models::StandIn;
use crate::run::{InputForm, RunRequest, load};
use crate::runtime::Runtime;
use contexture_llm::Ledger;
use contexture_script::program::Program;
use futures_util::stream::{self, StreamExt as _};
use std::num::NonZeroUsize;
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

/// What the cells of a suite share.
pub(super) struct Runner<'r> {
    pub(super) runtime: &'r Runtime,
    pub(super) suite: &'r Suite,
    pub(super) how: How<'r>,
    /// The text of the program, if it is not to be read for each cell.
    pub(super) text: Option<String>,
}

impl Runner<'_> {
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
    pub(super) async fn run(&self, cells: Vec<Cell<'_>>) -> Vec<CaseReport> {
        let at_once = self.runtime.project().config.concurrency.map_or(AT_ONCE, NonZeroUsize::get);
        let runs = cells.into_iter().map(|cell| cell.run(self));
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
    let cells = cells(suite, &checked(runtime, suite)?, 1);
    let runner = Runner { runtime, suite, how: How::Recorded(*options), text: None };
    let mut cases = runner.run(cells).await;
    cases.extend(suite.broken.iter().map(Into::into));
    Ok(SuiteReport { file: suite.name.clone(), cases })
}

/// Returns the most that the cells of a suite may take.
///
/// # Errors
/// [`EvalError`] when the program can't be read or is refused.
pub fn estimate(
    runtime: &Runtime,
    suite: &Suite,
    options: &EvalOptions,
) -> Result<Estimate, EvalError> {
    let program = checked(runtime, suite)?;
    let count = cells(suite, &program, options.repeat).len();
    Ok(Estimate::of(count, ceiling(runtime.project(), &program, options)))
}

/// Asks models all cases of a suite, within limits; `ledger` pays for them, also for other suites.
/// Returns the report, and the limit that stopped it. What an earlier eval asked before it was killed
/// or stopped is not asked again.
///
/// # Errors
/// [`EvalError`] when the program can't be read or is refused; nothing has run then.
pub async fn eval(
    runtime: &Runtime,
    suite: &Suite,
    options: &EvalOptions,
    ledger: Arc<Ledger>,
) -> Result<(SuiteReport, Option<&'static str>), EvalError> {
    let project = runtime.project();
    let program = checked(runtime, suite)?;
    let mut cells = cells(suite, &program, options.repeat);
    let sources = sources(project, &program).await?;
    drop(program);
    for cell in &mut cells {
        cell.key = Some(key(project, (suite, &sources), cell, options));
    }
    let asked = Asked::new(project, options.clone(), ledger)?;
    let runner = Runner { runtime, suite, how: How::Asked(&asked), text: None };
    let mut cases = asked.within_time(runner.run(cells)).await;
    cases.extend(suite.broken.iter().map(Into::into));
    asked.forget(project);
    Ok((SuiteReport { file: suite.name.clone(), cases }, asked.stopped()))
}

/// Loads the program of a suite.
pub(super) fn checked(runtime: &Runtime, suite: &Suite) -> Result<Program, EvalError> {
    let (program, checked) = load(runtime.project(), &suite.program)?;
    if checked.has_errors() {
        return Err(EvalError::Refused(Box::new(checked)));
    }
    Ok(program)
}

/// Returns the cells of a suite, case by case.
pub(super) fn cells<'s>(suite: &'s Suite, program: &Program, repeat: u32) -> Vec<Cell<'s>> {
    let form = InputForm::of(program, &RunRequest::default());
    let mut cells = Vec::new();
    for case in &suite.cases {
        let input = || match case.pairs.as_slice() {
            [] => Ok(case.input.clone()),
            pairs => form.of_pairs(pairs.to_vec()),
        };
        let variants = case.variants.iter().map(Some);
        let none = case.variants.is_empty().then_some(None);
        for variant in variants.chain(none) {
            for repeat in 0..repeat.max(1) {
                cells.push(Cell { case, variant, input: input(), repeat, key: None });
            }
        }
    }
    cells
}
