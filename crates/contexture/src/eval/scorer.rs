//! Scorers: functions of programs that give a run a score (EV-2).

use super::cell::ended;
use super::expect::Scorer;
use super::judge::number;
use super::run::Runner;
use crate::run::{InputForm, RunRequest};
use serde_json::{Map, Value};
use std::sync::Arc;
use std::time::Duration;

/// The time that a scorer may take.
const SCORER_TIME: Duration = Duration::from_secs(60);

/// What a scorer is shown.
pub(super) struct Scored<'s> {
    pub(super) value: &'s Value,
    pub(super) input: &'s Value,
}

/// Runs a scorer.
///
/// # Errors
/// The reason why the scorer gave none.
pub(super) async fn score(
    runner: &Runner<'_>,
    scorer: &Scorer,
    scored: Scored<'_>,
) -> Result<f64, String> {
    let (runtime, stand_in) = (runner.runtime, runner.stand_in());
    let ledger = runner.asked().map(|asked| Arc::clone(&asked.ledger));
    let request = RunRequest { stand_in, ledger, ..request(runner, scorer, scored)? };
    let cancel = runner.asked().map(|asked| &asked.cancel);
    let run =
        ended(runtime, request, Some(SCORER_TIME), cancel).await.map_err(|error| match error {
            Some(error) => error.to_string(),
            None => format!("it took more than {} s", SCORER_TIME.as_secs()),
        })?;
    number(&run.value).ok_or_else(|| format!("it gave {}, expected a number", run.value))
}

fn request(
    runner: &Runner<'_>,
    scorer: &Scorer,
    Scored { value, input }: Scored<'_>,
) -> Result<RunRequest, String> {
    let path = scorer.program.as_ref().map(|name| runner.suite.beside(name));
    let loaded = match path.as_ref().and_then(|path| runner.scorers.get(path)) {
        Some(loaded) => loaded.clone()?,
        None => Arc::clone(&runner.program),
    };
    let (agent, function) = match scorer.agent.split_once('.') {
        Some((agent, function)) => (agent, Some(function)),
        None => (scorer.agent.as_str(), None),
    };
    let request = RunRequest {
        program: path.unwrap_or_else(|| runner.suite.program.clone()),
        agent: Some(agent.to_owned()),
        function: function.map(str::to_owned),
        model: scorer.model.clone(),
        ..RunRequest::default()
    };
    let offered = [("value", value), ("input", input)];
    let offered = offered.map(|(name, value)| (name.to_owned(), value.clone()));
    let input = InputForm::of(&loaded.program, &request).taken(Map::from_iter(offered));
    Ok(RunRequest { input: input.into(), loaded: Some(loaded), ..request })
}
