//! Scorers: functions of programs that give a run a score (EV-2).

use super::asked::Asked;
use super::cell::{Cell, ended};
use super::expect::Scorer;
use super::judge::number;
use super::run::Runner;
use crate::durable::{Durable, StoredCell};
use crate::run::{InputForm, Loaded, RunError, RunRequest, cost};
use contexture_context::Digest;
use contexture_script::semantic::ceiling::Ceiling;
use serde_json::{Map, Value};
use std::sync::Arc;
use std::time::Duration;

/// The time that a scorer may take.
const SCORER_TIME: Duration = Duration::from_secs(60);

/// What a scorer is shown.
pub(super) struct Scored<'s> {
    pub(super) cell: Cell<'s>,
    pub(super) value: &'s Value,
    pub(super) input: &'s Value,
}

/// The reason for a missing score.
pub(super) enum NoScore {
    /// A limit of the eval.
    Stopped(&'static str),
    /// What the scorer did.
    Failed(String),
}

impl From<String> for NoScore {
    fn from(why: String) -> Self {
        Self::Failed(why)
    }
}

/// Runs a scorer. A model that judges is asked once, also by an eval that was killed and goes on.
///
/// # Errors
/// The reason for a missing score.
pub(super) async fn score(
    runner: &Runner<'_>,
    scorer: &Scorer,
    scored: Scored<'_>,
) -> Result<f64, NoScore> {
    let asked = runner.asked();
    let loaded = loaded(runner, scorer)?;
    let key = asked.and_then(|asked| key(asked, scorer, (&loaded, &scored)));
    let note = |run: Option<&str>| {
        asked.zip(run).into_iter().for_each(|(asked, run)| asked.end(run));
    };
    match asked.zip(key.as_ref()).and_then(|(asked, key)| asked.known(key)) {
        Some(StoredCell::Done(done)) => {
            note(Some(&done.run));
            return score_of(&done.end.value);
        }
        Some(StoredCell::Begun(past)) => note(Some(&past.id)),
        None => {}
    }
    let (runtime, stand_in) = (runner.runtime, runner.stand_in());
    let (ledger, durable) = (asked.map(|asked| Arc::clone(&asked.ledger)), key.map(Durable::Cell));
    let request = request(runner, scorer, (loaded, scored));
    let request = RunRequest { stand_in, ledger, durable, ..request };
    match ended(runtime, request, Some(SCORER_TIME), asked.map(|asked| &asked.cancel)).await {
        Ok(run) => {
            note(run.durable.as_deref());
            score_of(&run.value)
        }
        Err(Some(error)) => Err(failed(asked, &error, note)),
        Err(None) => Err(format!("it took more than {} s", SCORER_TIME.as_secs()).into()),
    }
}

/// Returns the reason of a scorer that failed: a limit of the eval, or its own.
fn failed(asked: Option<&Asked>, error: &RunError, note: impl Fn(Option<&str>)) -> NoScore {
    if let Some(asked) = asked {
        if asked.cancel.is_cancelled() {
            return NoScore::Stopped(asked.stopped().unwrap_or("stopped"));
        }
        if let Some(limit) = asked.stop_at_limit(error, false) {
            return NoScore::Stopped(limit);
        }
    }
    note(error.durable());
    NoScore::Failed(error.to_string())
}

fn score_of(value: &Value) -> Result<f64, NoScore> {
    let score = number(value).filter(|score| (0.0..=1.0).contains(score));
    score.ok_or_else(|| format!("it gave {value}, expected a number from 0 to 1").into())
}

/// Returns the key of what a model judges; a scorer that asks none is run again.
fn key(
    asked: &Asked,
    scorer: &Scorer,
    (loaded, Scored { cell, value, input }): (&Loaded, &Scored<'_>),
) -> Option<String> {
    let model = scorer.model.as_ref()?;
    let texts = loaded.program.files.iter().map(|file| Digest::of_text(file.source.text()));
    let texts: Vec<Digest> = texts.collect();
    let variant = cell.variant.map(|variant| &variant.name);
    let of = (&cell.case.name, variant, cell.repeat);
    asked.judge_key(&(model, &scorer.agent, texts, of, value, input))
}

/// Returns the program of a scorer.
pub(super) fn loaded(runner: &Runner<'_>, scorer: &Scorer) -> Result<Arc<Loaded>, String> {
    let path = scorer.program.as_ref().map(|name| runner.suite.beside(name));
    match path.as_ref().and_then(|path| runner.scorers.get(path)) {
        Some(loaded) => loaded.clone(),
        None => Ok(Arc::clone(&runner.program)),
    }
}

/// Returns the most that a model may take that judges; nothing of a scorer that asks none.
pub(super) fn judge_ceiling(runner: &Runner<'_>, scorer: &Scorer) -> Ceiling {
    match loaded(runner, scorer) {
        Ok(loaded) if scorer.model.is_some() => {
            cost(runner.runtime.project(), &loaded.program, &start(runner, scorer)).total
        }
        _ => Ceiling::ZERO,
    }
}

/// Returns the request of a scorer without its input.
fn start(runner: &Runner<'_>, scorer: &Scorer) -> RunRequest {
    let path = scorer.program.as_ref().map(|name| runner.suite.beside(name));
    let (agent, function) = match scorer.agent.split_once('.') {
        Some((agent, function)) => (agent, Some(function)),
        None => (scorer.agent.as_str(), None),
    };
    RunRequest {
        program: path.unwrap_or_else(|| runner.suite.program.clone()),
        agent: Some(agent.to_owned()),
        function: function.map(str::to_owned),
        model: scorer.model.clone(),
        ..RunRequest::default()
    }
}

fn request(
    runner: &Runner<'_>,
    scorer: &Scorer,
    (loaded, Scored { value, input, .. }): (Arc<Loaded>, Scored<'_>),
) -> RunRequest {
    let request = start(runner, scorer);
    let offered = [("value", value), ("input", input)];
    let offered = offered.map(|(name, value)| (name.to_owned(), value.clone()));
    let input = InputForm::of(&loaded.program, &request).taken(Map::from_iter(offered));
    RunRequest { input: input.into(), loaded: Some(loaded), ..request }
}
