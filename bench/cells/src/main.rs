//! Cells of evals: scoring recorded ones anew, tests with recorded answers, the search of a trial
//! (issue 20).
//!
//! `cargo run --release [CELLS]` prints microseconds of a cell, and the ratio to a plain read of the
//! same journals or to the same runs without an eval. Everything lies in one folder: `TMPDIR` chooses it.

mod project;

use contexture::Runtime;
use contexture::eval::{self, EvalOptions, Report, Suite, TestOptions, TrialOptions};
use contexture::llm::Ledger;
use contexture::run::{Loaded, RunRequest};
use futures_util::stream::{self, StreamExt as _};
use project::Project;
use std::error::Error;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

type Outcome<T> = Result<T, Box<dyn Error>>;

const ROUNDS: usize = 5;
/// The number of runs at the same time that an eval has by itself.
const AT_ONCE: usize = 4;

fn main() -> Outcome<()> {
    let cells = std::env::args().nth(1).map_or(Ok(20_000), |cells| cells.parse())?;
    let tokio = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    tokio.block_on(async {
        score_anew(cells).await?;
        test(cells / 20).await?;
        trial(cells / 20).await
    })
}

/// Scores all cells of a stopped eval anew, in rounds with a plain read of their journals.
async fn score_anew(cells: usize) -> Outcome<()> {
    let project = Project::new()?;
    // The case too many is the one at which the limit stops the eval.
    let suite = project.suite(cells + 1)?;
    let mut options = EvalOptions::default();
    options.limit.calls = Some(cells as u64);
    let runtime = project.runtime()?;
    let began = Instant::now();
    let (_, stopped) = eval::eval(&runtime, &suite, &options, ledger(&options)).await?;
    println!("eval: {:.0} µs of a cell, stopped by {stopped:?}", micros(began.elapsed(), cells));
    let kept = project.keep_journals()?;
    let (mut read, mut load, mut score, mut print) = (vec![], vec![], vec![], vec![]);
    for _ in 0..ROUNDS {
        project.restore_journals(&kept)?;
        read.push(timed(|| plain_read(&project.journals()))?.1);
        let (suite, time) = timed(|| project.suite(cells))?;
        load.push(time);
        let began = Instant::now();
        let (report, stopped) = eval::eval(&runtime, &suite, &options, ledger(&options)).await?;
        score.push(began.elapsed());
        let report = Report::new(vec![report]);
        if report.passed != cells || stopped.is_some() {
            return Err(format!("{} of {cells} passed, {stopped:?}", report.passed).into());
        }
        print.push(timed(|| Ok(serde_json::to_string(&report)?.len()))?.1);
    }
    let read = median(&mut read);
    println!("read the journals: {:.1} µs of a cell", micros(read, cells));
    for (name, times) in
        [("load the cases", &mut load), ("score anew", &mut score), ("print", &mut print)]
    {
        let time = median(times);
        println!("{name}: {:.1} µs of a cell, ratio {:.2}", micros(time, cells), ratio(time, read));
    }
    Ok(())
}

/// Tests cells with recorded answers, in rounds with the same runs alone.
async fn test(cells: usize) -> Outcome<()> {
    let project = Project::new()?;
    let (mut runs, mut tests) = (vec![], vec![]);
    for round in 0..=ROUNDS {
        let runtime = project.runtime()?;
        let suite = project.suite_of_answers(cells)?;
        let run = run_all(&runtime, &suite, cells).await?;
        let began = Instant::now();
        let report = eval::test(&runtime, &suite, &TestOptions::default()).await?;
        let time = began.elapsed();
        let report = Report::new(vec![report]);
        if report.passed != cells {
            return Err(format!("{} of {cells} passed", report.passed).into());
        }
        // The first round warms all up.
        if round > 0 {
            runs.push(run);
            tests.push(time);
        }
    }
    told("test", cells, &mut runs, &mut tests);
    Ok(())
}

/// Tries candidates, in rounds with as many runs alone.
async fn trial(cells: usize) -> Outcome<()> {
    let project = Project::new()?;
    let mut options = TrialOptions::default();
    options.max_trials = 64;
    let (mut runs, mut trials, mut calls) = (vec![], vec![], 0);
    for round in 0..=ROUNDS {
        let runtime = project.runtime()?;
        let suite = project.suite_of_choices(cells)?;
        let began = Instant::now();
        let report = eval::trial(&runtime, &suite, &options).await?;
        let time = began.elapsed();
        calls = usize::try_from(report.calls)?;
        if report.best.is_none() || report.failed > 0 {
            return Err(format!("{report:?}").into());
        }
        let run = run_all(&runtime, &suite, calls).await?;
        if round > 0 {
            runs.push(run);
            trials.push(time);
        }
    }
    told("trial", calls, &mut runs, &mut trials);
    Ok(())
}

fn told(name: &str, cells: usize, runs: &mut [Duration], all: &mut [Duration]) {
    let (runs, all) = (median(runs), median(all));
    let beyond = micros(all, cells) - micros(runs, cells);
    let (runs, ratio) = (micros(runs, cells), ratio(all, runs));
    println!(
        "{name}: {beyond:.0} µs of a cell beyond its run of {runs:.0} µs, ratio {ratio:.2}, {cells} cells"
    );
}

/// Runs the cases of a suite without judging them, one after the other until there are enough.
async fn run_all(runtime: &Runtime, suite: &Suite, runs: usize) -> Outcome<Duration> {
    let loaded =
        Loaded::new(runtime.project(), &suite.program).map_err(|fault| fault.to_string())?;
    let began = Instant::now();
    let request = |case: &eval::Case| {
        let request = RunRequest {
            program: suite.program.clone(),
            loaded: Some(Arc::clone(&loaded)),
            input: case.input.clone().into(),
            ..RunRequest::default()
        };
        runtime.request(request).stand_in(project::stand_in(case))
    };
    let mut ended =
        stream::iter(suite.cases.iter().cycle().take(runs).map(request)).buffered(AT_ONCE);
    while let Some(run) = ended.next().await {
        run.map_err(|error| error.to_string())?;
    }
    Ok(began.elapsed())
}

fn ledger(options: &EvalOptions) -> Arc<Ledger> {
    Arc::new(Ledger::new(options.limit, None))
}

fn plain_read(folder: &Path) -> Outcome<usize> {
    let mut bytes = 0;
    for entry in fs::read_dir(folder)? {
        bytes += fs::read(entry?.path())?.len();
    }
    Ok(bytes)
}

fn timed<T>(work: impl FnOnce() -> Outcome<T>) -> Outcome<(T, Duration)> {
    let began = Instant::now();
    Ok((work()?, began.elapsed()))
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort();
    times[times.len() / 2]
}

fn micros(time: Duration, cells: usize) -> f64 {
    time.as_secs_f64() * 1e6 / cells as f64
}

fn ratio(time: Duration, other: Duration) -> f64 {
    time.as_secs_f64() / other.as_secs_f64()
}
