//! A cell: one case in one variant, as a recorded run that is judged (EV-3).

use super::asked::Asked;
use super::expect::{Expectation, Figure};
use super::judge::{Verdict, figures, judge, scored};
use super::limits;
use super::observed::Observed;
use super::report::{CaseReport, Failure, Outcome};
use super::run::Runner;
use super::scorer::{NoScore, Scored, score};
use super::suite::{Case, Variant};
use crate::durable::{Changes, DoneCell, Durable, State, StoredCell, StoredRun};
use crate::inspect::Kept;
use crate::models::StandIn;
use crate::project;
use crate::run::{Run, RunError, RunRequest};
use crate::runtime::Runtime;
use contexture_core::profile::COST_LIMIT;
use contexture_llm::{CancelToken, SpendLimit};
use contexture_store::runs::RunId;
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;

/// A case in one variant.
#[derive(Clone, Copy)]
pub(super) struct Cell<'s> {
    pub(super) case: &'s Case,
    pub(super) variant: Option<&'s Variant>,
    /// Its number among the runs of this case and variant, from 0.
    pub(super) repeat: u32,
}

/// The beginning of a cell.
enum Begin<'e> {
    /// A run, new or taken up again.
    Run(Box<RunRequest>),
    /// An earlier eval has its value.
    Done(&'e DoneCell),
}

impl Cell<'_> {
    /// Runs the case and judges it.
    pub(super) async fn run(self, runner: &Runner<'_>) -> CaseReport {
        let report = CaseReport::of(self.case, self.variant);
        if let Some(limit) = runner.asked().and_then(Asked::stopped) {
            return report.skipped(limit);
        }
        let begun = runner.input(self.case).map_err(|error| Failure::of_setup(&error));
        let begun = begun.and_then(|input| Ok((self.begin(runner, &input)?, input)));
        match begun {
            Ok((Begin::Run(request), input)) => {
                // Its future is large, and of a hundred thousand cells that are done none needs it.
                Box::pin(self.run_to_end(runner, *request, &input, report)).await
            }
            Ok((Begin::Done(done), input)) => self.judge_done(runner, done, &input, report).await,
            Err(failure) => report.failed_to_run(failure),
        }
    }

    async fn run_to_end(
        &self,
        runner: &Runner<'_>,
        request: RunRequest,
        input: &Value,
        mut report: CaseReport,
    ) -> CaseReport {
        let time = self.case.limits.max_seconds;
        let time = time.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        let cancel = runner.asked().map(|asked| &asked.cancel);
        match ended(runner.runtime, request, time, cancel).await {
            Ok(run) => {
                note_end(runner, run.durable.as_deref());
                report.took(&run);
                if runner.asked().is_none()
                    && let Some(fault) = limits::exceeded(&self.case.limits, &report)
                {
                    report.add(Verdict::of("limits", Some(fault)));
                }
                self.judge(runner, Observed::of_run(&run), run.id.as_deref(), input, &mut report)
                    .await;
                report
            }
            Err(Some(error)) => self.failed(runner, &error, report),
            Err(None) => {
                let seconds = self.case.limits.max_seconds.unwrap_or_default();
                let fault = format!("the run took more than {seconds} s");
                report.add(Verdict::of("limits", Some(fault)));
                report
            }
        }
    }

    /// Reports a run that gave no value.
    fn failed(&self, runner: &Runner<'_>, error: &RunError, mut report: CaseReport) -> CaseReport {
        report.took_before(error);
        let is_limit = error.code() == COST_LIMIT;
        if let Some(asked) = runner.asked() {
            if asked.cancel.is_cancelled() {
                return report.skipped(asked.stopped().unwrap_or("stopped"));
            }
            if let Some(limit) = asked.stop_at_limit(error, self.has_limits()) {
                return report.skipped(limit);
            }
        }
        note_end(runner, error.durable());
        if !is_limit {
            return report.failed_to_run(Failure::of_run(error));
        }
        report.add(Verdict::of("limits", Some(error.failure().to_string())));
        report
    }

    /// Reports whether the record of the run is needed to judge it.
    fn reads_record(&self, runner: &Runner<'_>) -> bool {
        let is_of_record = |Figure(path): &Figure| path.root() != "value";
        runner.suite.figures.values().any(is_of_record) || self.case.expect.iter().any(reads_record)
    }

    /// Reports whether the case limits what it may spend.
    fn has_limits(&self) -> bool {
        limits::spend(&self.case.limits) != SpendLimit::default()
    }

    /// Returns how the cell begins: anew, or from where an earlier eval was stopped.
    fn begin<'e>(&self, runner: &'e Runner<'_>, input: &Value) -> Result<Begin<'e>, Failure> {
        let key = runner.asked().and_then(|asked| Some((asked, asked.key(self, input)?)));
        let known = key.as_ref().and_then(|(asked, key)| asked.known(key));
        if let Some(StoredCell::Done(done)) = known {
            note_end(runner, Some(&done.run));
            return Ok(Begin::Done(done));
        }
        let mut request = self.request(runner, input.clone());
        request.ledger = runner.asked().map(|asked| Arc::clone(&asked.ledger));
        if let Some(StoredCell::Begun(past)) = known
            && past.state != State::Cancelled
        {
            return again(runner, past, input, request).map(Begin::Run);
        }
        request.durable = key.map(|(_, key)| Durable::Cell(key));
        Ok(Begin::Run(Box::new(request)))
    }

    fn request(&self, runner: &Runner<'_>, input: Value) -> RunRequest {
        let Case { model, select, options: own, answers, limits, .. } = self.case;
        let selections = runner.selections(select, self.variant.map(|variant| &variant.select));
        let variant = self.variant.map(|variant| variant.options).unwrap_or_default();
        let model = self.variant.and_then(|variant| variant.model.clone()).or(model.clone());
        let asked = runner.asked().map(|asked| &asked.options);
        let recorded = answers.clone().filter(|_| asked.is_none_or(|options| options.recorded));
        RunRequest {
            program: runner.suite.program.clone(),
            loaded: Some(Arc::clone(&runner.program)),
            input: input.into(),
            model: model.or_else(|| asked.and_then(|options| options.model.clone())),
            models: asked.map(|options| options.models.clone()).unwrap_or_default(),
            stand_in: recorded.map_or_else(|| runner.stand_in(), StandIn::Given),
            selections,
            overrides: variant.or(*own),
            // Recorded answers cost nothing: what they would have taken is known when they are read.
            spend: match asked {
                Some(_) => limits::spend(limits),
                None => SpendLimit { calls: limits.max_calls, ..SpendLimit::default() },
            },
            ..RunRequest::default()
        }
    }

    /// Judges a cell that has its value of an earlier eval. Its record is read if something is to be known
    /// that its journal does not tell.
    async fn judge_done(
        &self,
        runner: &Runner<'_>,
        DoneCell { trace, end, .. }: &DoneCell,
        input: &Value,
        mut report: CaseReport,
    ) -> CaseReport {
        let mut observed = Observed { value: end.value.clone(), ..Observed::default() };
        report.run.clone_from(trace);
        report.earlier = true;
        let is_course = |wish: &Expectation| matches!(wish, Expectation::Course(_));
        let reads_course = self.case.expect.iter().any(is_course);
        let reads = end.tokens.is_none() || reads_course || self.reads_record(runner);
        if reads && let Ok(found) = with_record(runner.runtime, trace.as_deref(), observed.clone())
        {
            observed = found;
        }
        let found = (observed.course.tokens, observed.course.cost);
        (report.tokens, report.cost) = end.tokens.map_or(found, |tokens| (tokens, end.cost));
        self.judge(runner, observed, trace.as_deref(), input, &mut report).await;
        report
    }

    async fn judge(
        &self,
        runner: &Runner<'_>,
        mut observed: Observed,
        record: Option<&str>,
        input: &Value,
        report: &mut CaseReport,
    ) {
        if observed.prompts.is_empty() && self.reads_record(runner) {
            match with_record(runner.runtime, record, observed) {
                Ok(found) => observed = found,
                Err(message) => {
                    let code = "text_missing".to_owned();
                    report.fail(Failure { code, message, help: None });
                    return;
                }
            }
        }
        let (figures, fault) = figures(&runner.suite.figures, &observed);
        report.figures = figures;
        if fault.is_some() {
            report.add(Verdict::of("figures", fault));
        }
        for expectation in &self.case.expect {
            if let Some(verdict) = judge(expectation, &observed) {
                report.add(verdict);
                continue;
            }
            let Expectation::Scorer(scorer) = expectation else { continue };
            let scoring =
                score(runner, scorer, Scored { cell: *self, value: &observed.value, input });
            match Box::pin(scoring).await {
                Ok(found) => report.add(scored(scorer, found)),
                Err(NoScore::Stopped(limit)) => return report.skip(limit),
                Err(NoScore::Failed(why)) => {
                    let message = format!("{} gave no score: {why}", scorer.agent);
                    report.add(Verdict::of("scorer", Some(message.clone())));
                    report.fail(Failure { code: "no_score".to_owned(), message, help: None });
                }
            }
        }
    }
}

/// Returns the request that goes on with the run of a cell.
fn again(
    runner: &Runner<'_>,
    past: &StoredRun,
    input: &Value,
    request: RunRequest,
) -> Result<Box<RunRequest>, Failure> {
    if past.state == State::Failed && !past.is_resumable() {
        note_end(runner, Some(&past.id));
        let word = |name: &str| past.end.get(name).and_then(Value::as_str);
        let text = |name: &str| word(name).unwrap_or_default().to_owned();
        return Err(Failure { code: text("code"), message: text("message"), help: None });
    }
    let changes = Changes { input: Some(input.clone()), ..Changes::default() };
    let again = past.request(runner.runtime.project(), changes);
    let again = again.map_err(|error| Failure::of_setup(&error))?;
    let RunRequest { ledger, loaded, spend, .. } = request;
    Ok(Box::new(RunRequest { ledger, loaded, spend, ..again }))
}

/// Notes that the run of a cell has ended, and is not taken up again.
fn note_end(runner: &Runner<'_>, run: Option<&str>) {
    if let (Some(asked), Some(run)) = (runner.asked(), run) {
        asked.end(run);
    }
}

/// Runs a request to its end; `Err(None)` when the time is over.
pub(super) async fn ended(
    runtime: &Runtime,
    request: RunRequest,
    time: Option<Duration>,
    outer: Option<&CancelToken>,
) -> Result<Run, Option<RunError>> {
    let cancel = CancelToken::new();
    let mut run = runtime.request(request).cancel(cancel.clone());
    let over = async {
        match time {
            Some(time) => tokio::time::sleep(time).await,
            None => std::future::pending().await,
        }
    };
    let stopped = async {
        match outer {
            Some(outer) => outer.cancelled().await,
            None => std::future::pending().await,
        }
    };
    tokio::select! {
        biased;
        done = &mut run => done.map_err(Some),
        () = stopped => {
            cancel.cancel();
            run.await.map_err(Some)
        }
        () = over => {
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
        Expectation::Course(wish) => wish.tools.is_some() || wish.files.is_some(),
        Expectation::Where(wish) => {
            wish.condition.paths().iter().any(|path| path.root() != "value")
        }
        _ => false,
    }
}

fn with_record(
    runtime: &Runtime,
    record: Option<&str>,
    observed: Observed,
) -> Result<Observed, String> {
    let id = record.and_then(RunId::parse);
    let id = id.ok_or("the run has no record: set `keep = true` under [trace]")?;
    let store = project::runs(runtime.project());
    let log = store.load(&id).map_err(|error| error.to_string())?;
    observed.with_record(Kept { store: &*store, log: &log }).map_err(|error| error.to_string())
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

    /// Makes it the report of a cell that did not run, or not to its end, for a limit.
    fn skipped(mut self, limit: &str) -> Self {
        self.skip(limit);
        self
    }

    fn skip(&mut self, limit: &str) {
        self.outcome = Outcome::Skipped;
        let message = format!("the eval was stopped by {limit}");
        self.error = Some(Failure { code: "stopped".to_owned(), message, help: None });
    }

    fn failed_to_run(mut self, failure: Failure) -> Self {
        self.fail(failure);
        self
    }
}
