//! A cell: one case in one variant, as a recorded run that is judged (EV-3).

use super::expect::Expectation;
use super::file::Suite;
use super::judge::{Verdict, judge, scored};
use super::observed::Observed;
use super::report::{CaseReport, Failure, Outcome};
use super::run::TestOptions;
use super::scorer::{Scored, score};
use super::suite::{Case, CaseLimits, Variant};
use crate::inspect::Kept;
use crate::models::StandIn;
use crate::project;
use crate::run::{Run, RunError, RunRequest, SetupError};
use crate::runtime::Runtime;
use contexture_core::profile::Money;
use contexture_llm::{CancelToken, SpendLimit};
use contexture_store::runs::RunId;
use serde_json::Value;
use std::time::Duration;

/// The code of a run whose next request did not fit its limits.
const COST_LIMIT: &str = "COST_LIMIT";

/// A case in one variant, with its input.
pub(super) struct Cell<'s> {
    pub(super) case: &'s Case,
    pub(super) variant: Option<&'s Variant>,
    pub(super) input: Result<Value, SetupError>,
}

impl Cell<'_> {
    /// Runs the case and judges it.
    pub(super) async fn run(
        self,
        runtime: &Runtime,
        suite: &Suite,
        options: &TestOptions,
    ) -> CaseReport {
        let mut report = CaseReport::of(self.case, self.variant);
        let input = match &self.input {
            Ok(input) => input.clone(),
            Err(error) => return report.failed_to_run(Failure::of_setup(error)),
        };
        let time = self.case.limits.max_seconds;
        let time = time.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        match ended(runtime, self.request(suite, input.clone(), options), time).await {
            Ok(run) => {
                report.took(&run);
                self.judge(runtime, suite, options, (&run, &input), &mut report).await;
                report
            }
            Err(Some(error)) => {
                report.took_before(&error);
                if error.code() != COST_LIMIT {
                    return report.failed_to_run(Failure::of_run(&error));
                }
                report.add(Verdict::of("limits", Some(error.to_string())));
                report
            }
            Err(None) => {
                let seconds = self.case.limits.max_seconds.unwrap_or_default();
                let fault = format!("the run took more than {seconds} s");
                report.add(Verdict::of("limits", Some(fault)));
                report
            }
        }
    }

    fn request(&self, suite: &Suite, input: Value, options: &TestOptions) -> RunRequest {
        let Case { model, select, options: own, answers, limits, .. } = self.case;
        let mut selections = select.clone();
        selections.extend(self.variant.into_iter().flat_map(|variant| variant.select.clone()));
        let variant = self.variant.map(|variant| variant.options).unwrap_or_default();
        let stand_in = answers.clone().map_or_else(|| options.stand_in(), StandIn::Given);
        RunRequest {
            program: suite.program.clone(),
            input,
            model: self.variant.and_then(|variant| variant.model.clone()).or(model.clone()),
            stand_in,
            selections,
            overrides: variant.or(*own),
            spend: spend(limits),
            ..RunRequest::default()
        }
    }

    async fn judge(
        &self,
        runtime: &Runtime,
        suite: &Suite,
        options: &TestOptions,
        (run, input): (&Run, &Value),
        report: &mut CaseReport,
    ) {
        let mut observed = Observed::of_run(run);
        if self.case.expect.iter().any(reads_record) {
            match with_record(runtime, run, observed) {
                Ok(found) => observed = found,
                Err(message) => {
                    let code = "text_missing".to_owned();
                    report.fail(Failure { code, message, help: None });
                    return;
                }
            }
        }
        for expectation in &self.case.expect {
            if let Some(verdict) = judge(expectation, &observed) {
                report.add(verdict);
                continue;
            }
            let Expectation::Scorer(scorer) = expectation else { continue };
            let shown = Scored { value: &run.value, input };
            let paths = (suite.path.as_path(), suite.program.as_path());
            match score(runtime, scorer, paths, options.stand_in(), shown).await {
                Ok(found) => report.add(scored(scorer, found)),
                Err(why) => {
                    let message = format!("{} gave no score: {why}", scorer.agent);
                    report.add(Verdict::of("scorer", Some(message.clone())));
                    report.fail(Failure { code: "no_score".to_owned(), message, help: None });
                }
            }
        }
    }
}

/// Runs a request to its end; `Err(None)` when the time is over.
pub(super) async fn ended(
    runtime: &Runtime,
    request: RunRequest,
    time: Option<Duration>,
) -> Result<Run, Option<RunError>> {
    let cancel = CancelToken::new();
    let mut run = runtime.request(request).cancel(cancel.clone());
    let Some(time) = time else { return run.await.map_err(Some) };
    tokio::select! {
        biased;
        done = &mut run => done.map_err(Some),
        () = tokio::time::sleep(time) => {
            cancel.cancel();
            // The run ends in order, and its record shows why.
            let _ = run.await;
            Err(None)
        }
    }
}

/// Reports whether an expectation needs the record of the run.
fn reads_record(expectation: &Expectation) -> bool {
    match expectation {
        Expectation::Prompt(_) => true,
        Expectation::Course(wish) => wish.tools.is_some(),
        Expectation::Where(wish) => {
            wish.condition.paths().iter().any(|path| path.root() != "value")
        }
        _ => false,
    }
}

fn with_record(runtime: &Runtime, run: &Run, observed: Observed) -> Result<Observed, String> {
    let id = run.id.as_deref().and_then(RunId::parse);
    let id = id.ok_or("the run has no record: set `keep = true` under [trace]")?;
    let store = project::runs(runtime.project());
    let log = store.load(&id).map_err(|error| error.to_string())?;
    observed.with_record(Kept { store: &*store, log: &log }).map_err(|error| error.to_string())
}

fn spend(limits: &CaseLimits) -> SpendLimit {
    SpendLimit {
        money: limits.max_cost.and_then(Money::of_dollars),
        tokens: limits.max_tokens,
        calls: limits.max_calls,
    }
}

impl CaseReport {
    fn took(&mut self, run: &Run) {
        self.run.clone_from(&run.id);
        self.tokens = run.usage.total_tokens;
        self.cost = run.cost.actual;
    }

    fn took_before(&mut self, error: &RunError) {
        self.run = error.id().map(str::to_owned);
        self.tokens = error.usage().total_tokens;
        self.cost = error.cost().actual;
    }

    fn add(&mut self, verdict: Verdict) {
        if !verdict.passed && self.outcome == Outcome::Passed {
            self.outcome = Outcome::Failed;
        }
        self.expectations.push(verdict);
    }

    fn fail(&mut self, failure: Failure) {
        self.outcome = Outcome::Error;
        self.error.get_or_insert(failure);
    }

    fn failed_to_run(mut self, failure: Failure) -> Self {
        self.fail(failure);
        self
    }
}
