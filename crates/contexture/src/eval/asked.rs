//! Evals: cases asked of models, within limits, each with a journal from which it is taken up again
//! after a kill (EV-3, EV-4).
//!
//! Decision: the journals of the cells are the only state of an eval. A cell is
//! found by a digest of its program with what that loads, its case and what is asked; one that has its
//! value is judged again and asks nothing. When all cells have ended, their journals are removed, and the
//! next eval asks anew.

use super::cell::Cell;
use super::file::Suite;
use super::suite::Case;
use crate::durable::{self, StoredCell};
use crate::models::{Replacements, StandIn, default_model, require_uri};
use crate::pins;
use crate::project::Project;
use crate::run::{RunError, RunRequest, SetupError, cost};
use contexture_context::Digest;
use contexture_context::digest::canonical_json;
use contexture_core::profile::{COST_LIMIT, Money};
use contexture_llm::{CancelToken, Ledger, SpendLimit};
use contexture_script::program::{Program, ProgramFile};
use contexture_script::semantic::ceiling::Ceiling;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How models are asked.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct EvalOptions {
    /// The default model, also in place of all that programs name.
    pub model: Option<String>,
    /// The models in place of single ones.
    pub models: Replacements,
    /// What answers in place of models.
    pub stand_in: StandIn,
    /// What all cells together may spend.
    pub limit: SpendLimit,
    /// The time that they may take together.
    pub time: Option<Duration>,
    /// How often each cell runs; at least once.
    pub repeat: u32,
    /// True if cases with recorded answers take these.
    pub recorded: bool,
    /// The limit that has stopped the eval of an earlier file, so that nothing runs.
    pub stopped: Option<&'static str>,
}

/// The most that an eval may take, before it begins. A number that nothing bounds is absent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Estimate {
    /// The runs.
    pub cells: usize,
    /// Requests to models.
    pub calls: Option<u64>,
    /// Tokens of prompts and answers.
    pub tokens: Option<u64>,
    /// Dollars.
    pub cost: Option<f64>,
}

impl Estimate {
    /// Returns the most that some cells may take.
    #[must_use]
    pub(super) fn of(cells: usize, all: Ceiling) -> Self {
        let tokens = all.input.zip(all.output).map(|(input, output)| input.saturating_add(output));
        Self { cells, calls: all.calls, tokens, cost: all.money.map(Money::dollars) }
    }

    /// Returns the most that both may take.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        let add = |one: Option<u64>, other| Some(one?.saturating_add(other?));
        Self {
            cells: self.cells + other.cells,
            calls: add(self.calls, other.calls),
            tokens: add(self.tokens, other.tokens),
            cost: self.cost.zip(other.cost).map(|(one, other)| one + other),
        }
    }
}

/// What the cells of an eval share.
#[derive(Debug)]
pub(super) struct Asked {
    pub(super) options: EvalOptions,
    pub(super) ledger: Arc<Ledger>,
    pub(super) cancel: CancelToken,
    /// What the keys of all cells share; absent when cells are not taken up again.
    sources: Option<Digest>,
    /// What an earlier eval left of cells, by their keys.
    known: HashMap<String, StoredCell>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    stopped: Option<&'static str>,
    /// The journals of the cells that have ended.
    ended: Vec<String>,
}

impl Asked {
    /// Opens the eval of a project, with what an earlier one left.
    ///
    /// # Errors
    /// [`SetupError`] when the journals can't be listed.
    pub(super) fn new(
        project: &Project,
        options: EvalOptions,
        ledger: Arc<Ledger>,
        sources: Option<Digest>,
    ) -> Result<Self, SetupError> {
        let known = if sources.is_some() { durable::cells(project)? } else { HashMap::new() };
        let state = State { stopped: options.stopped, ended: Vec::new() };
        let (cancel, state) = (CancelToken::new(), Mutex::new(state));
        Ok(Self { options, ledger, cancel, sources, known, state })
    }

    /// Returns the key of a cell, by which it is taken up again: a digest of its program, its case and
    /// what is asked.
    pub(super) fn key(&self, cell: &Cell<'_>, input: &Value) -> Option<String> {
        let Case { name, model, select, options, .. } = cell.case;
        let variant = cell.variant.map(|it| (&it.name, &it.model, &it.select, it.options));
        let cell = (name, model, select, options, variant, cell.repeat);
        let cell = serde_json::to_string(&(self.sources.as_ref()?, cell)).ok()?;
        let input = canonical_json(input);
        Some(Digest::of_text(&format!("{cell}\n{input}")).to_string())
    }

    /// Returns the key of what a model judges, by which its answer is taken up again.
    pub(super) fn judge_key(&self, about: &impl Serialize) -> Option<String> {
        let text = serde_json::to_string(&("judge", self.sources.as_ref()?, about)).ok()?;
        Some(Digest::of_text(&text).to_string())
    }

    /// Returns what stopped the eval, if something did.
    pub(super) fn stopped(&self) -> Option<&'static str> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).stopped
    }

    /// Stops the eval: what is under way ends, and nothing begins any more.
    pub(super) fn stop(&self, limit: &'static str) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.stopped.get_or_insert(limit);
    }

    /// Does work within the time of the eval: what is not done by then is skipped.
    pub(super) async fn within_time<T>(&self, work: impl Future<Output = T>) -> T {
        let Some(time) = self.options.time else { return work.await };
        let over = || {
            self.stop("max_seconds");
            self.cancel.cancel();
        };
        if time.is_zero() {
            over();
        }
        let mut work = std::pin::pin!(work);
        tokio::select! {
            biased;
            done = &mut work => done,
            () = tokio::time::sleep(time) => {
                over();
                work.await
            }
        }
    }

    /// Notes that a cell has ended with the journal of a run.
    pub(super) fn end(&self, run: &str) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.ended.push(run.to_owned());
    }

    /// Returns what an earlier eval left of a cell.
    pub(super) fn known(&self, key: &str) -> Option<&StoredCell> {
        self.known.get(key)
    }

    /// Returns the limit that a refused request has met; `None` when it was that of its case.
    fn limit_met(&self, has_own: bool) -> Option<&'static str> {
        let SpendLimit { money, tokens, calls } = self.options.limit;
        let taken = self.ledger.taken();
        if calls.is_some_and(|calls| taken.calls >= calls) {
            return Some("max_calls");
        }
        match (money, tokens) {
            _ if has_own => None,
            (Some(_), None) => Some("max_cost"),
            (None, Some(_)) => Some("max_tokens"),
            (Some(_), Some(_)) => Some("max_cost or max_tokens"),
            (None, None) => None,
        }
    }

    /// Stops the eval if a run has failed at its limits, and returns the limit: none when the run has met
    /// one of its own.
    pub(super) fn stop_at_limit(&self, error: &RunError, has_own: bool) -> Option<&'static str> {
        let limit = (error.code() == COST_LIMIT).then(|| self.limit_met(has_own)).flatten()?;
        self.stop(limit);
        Some(limit)
    }

    /// Removes the journals of an eval that has ended, all its cells included.
    pub(super) fn forget(&self, project: &Project) {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.stopped.is_none() {
            durable::forget_cells(project, &state.ended);
        }
    }
}

/// Refuses models that can't be asked, of the options and of a suite, before a cell has run.
///
/// # Errors
/// [`SetupError`] about the first one.
pub(super) fn require_models(
    project: &Project,
    suite: &Suite,
    options: &EvalOptions,
) -> Result<(), SetupError> {
    let mut chosen = options.model.iter().chain(options.models.by_name.values());
    chosen.try_for_each(|uri| require_model(project, uri))?;
    suite.cases.iter().try_for_each(|case| {
        let of_variants = case.variants.iter().filter_map(|variant| variant.model.as_ref());
        let mut named = case.model.iter().chain(of_variants);
        named.try_for_each(|uri| require_model(project, uri)).map_err(|mut error| {
            let case = case.name.as_deref().unwrap_or_default();
            error.message = format!("{}, {case}: {}", suite.name, error.message);
            error
        })
    })
}

/// Refuses a model that can't be asked.
pub(super) fn require_model(project: &Project, uri: &str) -> Result<(), SetupError> {
    require_uri(project, uri).map_err(|error| SetupError::new(error.kind(), &error, error.help()))
}

/// Returns the most that a run of a program may take.
pub(super) fn ceiling(project: &Project, program: &Program, options: &EvalOptions) -> Ceiling {
    let request = RunRequest {
        model: options.model.clone(),
        models: options.models.clone(),
        ..RunRequest::default()
    };
    cost(project, program, &request).total
}

/// Returns a digest of what all cells of a suite share: their program with what it loads, and what is
/// asked. Prices of models are not part of it.
///
/// # Errors
/// [`SetupError`] when the workspace or its lock can't be read.
pub(super) async fn sources(
    project: &Project,
    suite: &Suite,
    program: &Program,
    options: &EvalOptions,
) -> Result<Digest, SetupError> {
    let digest = |file: &ProgramFile| Digest::of_text(file.source.text());
    let files: Vec<Digest> = program.files.iter().map(digest).collect();
    let mut loads = pins::of_program(project, program).await?;
    loads.remove("models");
    Ok(Digest::of_json(&json!({
        "file": suite.name,
        "sources": [files, loads],
        "default": default_model(project, options.model.as_deref()).uri,
        "models": options.models.by_name,
        "stand_in": format!("{:?}", options.stand_in),
    })))
}
