//! The run of a suite: every case in every variant (EV-1, EV-3).

use super::cell::Cell;
use super::fault::EvalError;
use super::file::Suite;
use super::report::SuiteReport;
use crate::models::StandIn;
use crate::run::{InputForm, RunRequest, load};
use crate::runtime::Runtime;
use contexture_script::program::Program;
use futures_util::stream::{self, StreamExt as _};
use std::num::NonZeroUsize;

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

impl TestOptions {
    pub(super) const fn stand_in(&self) -> StandIn {
        if self.mock { StandIn::Mock } else { StandIn::Local }
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
    let (program, checked) = load(runtime.project(), &suite.program)?;
    if checked.has_errors() {
        return Err(EvalError::Program(Box::new(checked)));
    }
    let cells = cells(suite, &program);
    drop(program);
    let at_once = runtime.project().config.concurrency.map_or(AT_ONCE, NonZeroUsize::get);
    let runs = cells.into_iter().map(|cell| cell.run(runtime, suite, options));
    let mut cases: Vec<_> = stream::iter(runs).buffered(at_once).collect().await;
    cases.extend(suite.broken.iter().map(Into::into));
    Ok(SuiteReport { file: suite.name.clone(), cases })
}

/// Returns the cells of a suite, case by case.
fn cells<'s>(suite: &'s Suite, program: &Program) -> Vec<Cell<'s>> {
    let form = InputForm::of(program, &RunRequest::default());
    let mut cells = Vec::new();
    for case in &suite.cases {
        let input = || match case.pairs.as_slice() {
            [] => Ok(case.input.clone()),
            pairs => form.of_pairs(pairs.to_vec()),
        };
        if case.variants.is_empty() {
            cells.push(Cell { case, variant: None, input: input() });
        }
        let variants = case.variants.iter();
        cells.extend(variants.map(|it| Cell { case, variant: Some(it), input: input() }));
    }
    cells
}
