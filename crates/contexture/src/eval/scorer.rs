//! Scorers: functions of programs that give a run a score (EV-2).

use super::cell::ended;
use super::expect::Scorer;
use super::run::Runner;
use crate::run::{InputForm, RunRequest, load};
use crate::runtime::Runtime;
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};
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
    let suite = runner.suite;
    let folder = suite.path.parent().unwrap_or(Path::new(""));
    let program =
        scorer.program.as_ref().map_or_else(|| suite.program.clone(), |it| folder.join(it));
    let (runtime, stand_in) = (runner.runtime, runner.stand_in());
    let ledger = runner.asked().map(|asked| Arc::clone(&asked.ledger));
    let request = request(runtime, scorer, program, scored)?;
    let request = RunRequest { stand_in, ledger, ..request };
    let cancel = runner.asked().map(|asked| &asked.cancel);
    let run =
        ended(runtime, request, Some(SCORER_TIME), cancel).await.map_err(|error| match error {
            Some(error) => error.to_string(),
            None => format!("it took more than {} s", SCORER_TIME.as_secs()),
        })?;
    number(&run.value).ok_or_else(|| format!("it gave {}, expected a number", run.value))
}

fn request(
    runtime: &Runtime,
    scorer: &Scorer,
    program: PathBuf,
    Scored { value, input }: Scored<'_>,
) -> Result<RunRequest, String> {
    let (agent, function) = match scorer.agent.split_once('.') {
        Some((agent, function)) => (agent, Some(function)),
        None => (scorer.agent.as_str(), None),
    };
    let request = RunRequest {
        program,
        agent: Some(agent.to_owned()),
        function: function.map(str::to_owned),
        model: scorer.model.clone(),
        ..RunRequest::default()
    };
    let (loaded, checked) =
        load(runtime.project(), &request.program).map_err(|error| error.to_string())?;
    if checked.has_errors() {
        return Err(checked.to_string());
    }
    let offered = [("value", value), ("input", input)];
    let offered = offered.map(|(name, value)| (name.to_owned(), value.clone()));
    let input = InputForm::of(&loaded, &request).taken(Map::from_iter(offered));
    Ok(RunRequest { input: input.into(), ..request })
}

/// Returns a score as a number: a truth value is 1 or 0.
fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Bool(truth) => Some(if *truth { 1.0 } else { 0.0 }),
        Value::Number(number) => number.as_f64().filter(|number| number.is_finite()),
        _ => None,
    }
}
