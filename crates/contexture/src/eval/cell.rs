//! A cell: one case in one variant, as a recorded run that is judged (EV-3).

use super::asked::Asked;
use super::expect::{Expectation, Figure};
use super::judge::{Verdict, figures, judge, scored};
use super::limits;
use super::observed::Observed;
use super::report::{CaseReport, Failure, Outcome};
use super::run::Runner;
use super::scorer::{Scored, score};
use super::suite::{Case, Variant};
use crate::durable::{Changes, Durable, State};
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
enum Begin {
    /// A run, new or taken up again.
    Run(Box<RunRequest>),
    /// An earlier eval has its value.
    Ended(Ended),
}

/// A run that ended in an earlier eval.
struct Ended {
    value: Value,
    /// The tokens and dollars that it took; absent if that is in its record alone.
    took: Option<(u64, Option<f64>)>,
    record: Option<String>,
}

impl Cell<'_> {
    /// Runs the case and judges it.
    pub(super) async fn run(self, runner: &Runner<'_>) -> CaseReport {
        let mut report = CaseReport::of(self.case, self.variant);
        if let Some(limit) = runner.asked().and_then(Asked::stopped) {
            return report.skipped(limit);
        }
        let begun = runner.input(self.case).map_err(|error| Failure::of_setup(&error));
        let begun = begun.and_then(|input| Ok((self.begin(runner, &input)?, input)));
        let (request, input) = match begun {
            Ok((Begin::Run(request), input)) => (request, input),
            Ok((Begin::Ended(ended), input)) => {
                return self.judge_ended(runner, ended, &input, report).await;
            }
            Err(failure) => return report.failed_to_run(failure),
        };
        let time = self.case.limits.max_seconds;
        let time = time.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        let cancel = runner.asked().map(|asked| &asked.cancel);
        match ended(runner.runtime, *request, time, cancel).await {
            Ok(run) => {
                note_end(runner, run.durable.as_deref());
                report.took(&run);
                if runner.asked().is_none()
                    && let Some(fault) = limits::exceeded(&self.case.limits, &report)
                {
                    report.add(Verdict::of("limits", Some(fault)));
                }
                self.judge(runner, Observed::of_run(&run), run.id.as_deref(), &input, &mut report)
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
    fn begin(&self, runner: &Runner<'_>, input: &Value) -> Result<Begin, Failure> {
        let mut request = self.request(runner, input.clone());
        request.ledger = runner.asked().map(|asked| Arc::clone(&asked.ledger));
        let key = runner.asked().and_then(|asked| Some((asked, asked.key(self, input)?)));
        let Some((asked, key)) = key else { return Ok(Begin::Run(Box::new(request))) };
        let past = asked.known(&key);
        request.durable = Some(Durable::Cell(key));
        let Some(past) = past else { return Ok(Begin::Run(Box::new(request))) };
        match past.state {
            State::Cancelled => Ok(Begin::Run(Box::new(request))),
            State::Done => {
                asked.end(&past.id);
                let end = |name: &str| past.end.get(name);
                let tokens = end("tokens").and_then(Value::as_u64);
                Ok(Begin::Ended(Ended {
                    value: end("value").cloned().unwrap_or_default(),
                    took: tokens.map(|tokens| (tokens, end("cost").and_then(Value::as_f64))),
                    record: past.traces.last().cloned(),
                }))
            }
            State::Failed if !past.is_resumable() => {
                asked.end(&past.id);
                let word = |name: &str| past.end.get(name).and_then(Value::as_str);
                let text = |name: &str| word(name).unwrap_or_default().to_owned();
                Err(Failure { code: text("code"), message: text("message"), help: None })
            }
            _ => {
                let changes = Changes { input: Some(input.clone()), ..Changes::default() };
                let again = past.request(runner.runtime.project(), changes);
                let again = again.map_err(|error| Failure::of_setup(&error))?;
                let RunRequest { ledger, loaded, spend, .. } = request;
                Ok(Begin::Run(Box::new(RunRequest { ledger, loaded, spend, ..again })))
            }
        }
    }

    fn request(&self, runner: &Runner<'_>, input: Value) -> RunRequest {
        let Case { model, select, options: own, answers, limits, .. } = self.case;
        let mut selections = select.clone();
        selections.extend(self.variant.into_iter().flat_map(|variant| variant.select.clone()));
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

    /// Judges a run that ended in an earlier eval. Its record is read if something is to be known that
    /// its journal does not tell.
    async fn judge_ended(
        &self,
        runner: &Runner<'_>,
        Ended { value, took, record }: Ended,
        input: &Value,
        mut report: CaseReport,
    ) -> CaseReport {
        let mut observed = Observed { value, ..Observed::default() };
        report.run.clone_from(&record);
        let is_course = |wish: &Expectation| matches!(wish, Expectation::Course(_));
        let reads_course = self.case.expect.iter().any(is_course);
        let reads = took.is_none() || reads_course || self.reads_record(runner);
        if reads && let Ok(found) = with_record(runner.runtime, record.as_deref(), observed.clone())
        {
            observed = found;
        }
        let found = (observed.course.tokens, observed.course.cost);
        (report.tokens, report.cost) = took.unwrap_or(found);
        self.judge(runner, observed, record.as_deref(), input, &mut report).await;
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
            match score(runner, scorer, Scored { value: &observed.value, input }).await {
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
        self.outcome = Outcome::Skipped;
        let message = format!("the eval was stopped by {limit}");
        self.error = Some(Failure { code: "stopped".to_owned(), message, help: None });
        self
    }

    fn failed_to_run(mut self, failure: Failure) -> Self {
        self.fail(failure);
        self
    }
}
