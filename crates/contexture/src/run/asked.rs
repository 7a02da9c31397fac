//! A recheck that asks models for the calls whose prompt has changed, and is kept as a run that is a
//! part of the first (IN-10).
//!
//! Decision: the offer comes from a dry run on the record, so it names the calls. Each counts at the
//! worst case of its place, from the first changed prompt on, since new answers may change all
//! prompts after it. What was offered is the limit of the run, so it costs no more than was shown.

use super::recheck::{Checked, Recheck, RecheckError, dry, request};
use super::{Ready, RunFailure, RunReport, RunRequest, SetupError, cost, load, load_text};
use crate::inspect::{Kept, diff_of_functions};
use crate::models::default_model;
use crate::observe::Observer;
use crate::profiles::Profiles;
use crate::project::Project;
use contexture_context::Manifest;
use contexture_core::profile::{COST_LIMIT, Money, Price};
use contexture_llm::{CancelToken, SpendLimit};
use contexture_script::program::Program;
use contexture_script::semantic::ceiling::{Ceiling, CostFacts, SiteCost};
use contexture_store::runs::{RunId, RunStore, is_asked};
use serde::Serialize;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// How a recheck asks models.
#[derive(Debug, Clone, Default)]
pub struct Asking {
    /// The model in place of those of the program.
    pub model: Option<String>,
    /// What the calls may spend.
    pub limit: SpendLimit,
}

/// What a recheck would ask, and the most that it may take.
#[derive(Debug, Clone, Serialize)]
pub struct Offer {
    /// The calls from the first changed prompt on.
    pub calls: Vec<OfferedCall>,
    /// The models, each once.
    pub models: Vec<String>,
    /// The most tokens of prompts and answers; `None` when nothing bounds them.
    pub tokens: Option<u64>,
    /// The most dollars; `None` for a model without a price under a limit of tokens.
    pub cost: Option<f64>,
    #[serde(skip)]
    limit: SpendLimit,
}

/// A model call of an offer.
#[derive(Debug, Clone, Serialize)]
pub struct OfferedCall {
    /// Its number.
    pub n: u64,
    /// The place in the program, as `file:line:column`.
    pub site: String,
    /// The model that would be asked.
    pub model: String,
    /// Tokens of its prompt.
    pub tokens: u64,
    /// True if its prompt has changed; else it is asked only if new answers change its prompt.
    pub changed: bool,
}

/// The run that is rechecked, and how.
#[derive(Clone, Copy)]
pub struct Asked<'a> {
    /// The project.
    pub project: &'a Project,
    /// The store of its runs.
    pub store: &'a dyn RunStore,
    /// The run.
    pub run: &'a RunId,
    /// The program.
    pub checked: &'a Checked,
    /// How models are asked.
    pub asking: &'a Asking,
}

/// What a recheck found, and its offer.
pub type Offered = (Recheck, Result<Option<Offer>, SetupError>);

/// Checks a kept run again, and returns what asking for the changed prompts may take: nothing when
/// none has changed. No model is asked.
///
/// The offer is an error where a changed prompt contains a placeholder for something that the record
/// lacks, where a model is missing or its price is not known, where nothing bounds what it may take,
/// and where that is more than the limit.
///
/// # Errors
/// As [`recheck`](super::recheck()).
pub async fn offer(asked: Asked<'_>) -> Result<Offered, RecheckError> {
    let Asked { project, store, run, checked, asking } = asked;
    let log = store.load(run)?;
    let kept = Kept { store, log: &log };
    let request = request(project, kept, checked.clone(), None)?;
    let recorded = request.recorded.clone();
    let (found, prompts) = dry(project, kept, request.clone(), checked.cancel.clone()).await?;
    let compared = recorded.as_ref().map(|recorded| recorded.prompts()).unwrap_or_default();
    // A plan keeps its recorded answer: its prompt is not compared.
    let asks = prompts.into_iter().filter_map(|one| Some((*compared.get(&one.call)?, one)));
    let asks: Vec<(bool, Manifest)> = asks.skip_while(|(changed, _)| !changed).collect();
    if asks.is_empty() || (!found.masked.is_empty() && !found.has_changed()) {
        return Ok((found, Ok(None)));
    }
    let mut lacking = recorded.as_ref().map(|recorded| recorded.lacking()).unwrap_or_default();
    lacking.extend(found.masked.iter().map(|call| (*call, "a masked value of the input".into())));
    let lacking = asks.iter().find_map(|(_, one)| Some((one, lacking.get(&one.call)?)));
    if let Some((one, what)) = lacking {
        let message = format!("generate {} {}: {}", one.call, one.site, lacks(what));
        let refused = SetupError::new("not_recorded", message, Some(RUN_ITSELF.to_owned()));
        return Ok((found, Err(refused)));
    }
    let loaded = match &request.text {
        Some(text) => load_text(project, &request.program, text),
        None => load(project, &request.program),
    };
    let (program, _) = loaded.map_err(RunFailure::from)?;
    let request = match &asking.model {
        Some(model) => RunRequest {
            model: Some(model.clone()),
            agent: request.agent,
            function: request.function,
            ..RunRequest::default()
        },
        None => request,
    };
    let facts = cost(project, &program, &request);
    Ok((found, priced(project, (&program, &facts), asks, asking).map(Some)))
}

/// Says what the record lacks, so that a prompt contains a placeholder.
pub(crate) fn lacks(what: &str) -> String {
    format!("the prompt contains a placeholder for something that the record lacks: {what}")
}

/// The way to ask for a prompt with such a placeholder.
pub(crate) const RUN_ITSELF: &str =
    "run the program itself: `contexture run` calls what the record lacks";

/// Returns what some calls may take.
fn priced(
    project: &Project,
    (program, facts): (&Program, &CostFacts),
    asks: Vec<(bool, Manifest)>,
    asking: &Asking,
) -> Result<Offer, SetupError> {
    let refused = |code: &str, message: String, help: &str| {
        Err(SetupError::new(code, message, Some(help.to_owned())))
    };
    let profiles = Profiles::new(&project.config.profiles);
    let default = default_model(project, asking.model.as_deref());
    let limits = &project.config.limits;
    let most = asking.limit.money.or(limits.max_cost.and_then(Money::of_dollars));
    let most_tokens = asking.limit.tokens.or(limits.max_tokens);
    let by_tokens = most.is_none() && most_tokens.is_some();
    let mut offer = Offer {
        calls: Vec::new(),
        models: Vec::new(),
        tokens: None,
        cost: None,
        limit: asking.limit,
    };
    let mut sum = Ceiling::ZERO;
    for (changed, manifest) in asks {
        let model = asking.model.clone().unwrap_or_else(|| manifest.model.uri.clone());
        if model == default.uri && !default.chosen {
            return refused(
                "model_missing",
                format!("no model is set that could be asked for {}", manifest.site),
                "name one with `--model URI`, or as `model` in contexture.toml",
            );
        }
        let price = profiles.of(&model).price;
        if price.is_none() && !by_tokens {
            let help = format!(
                "give `price_input` and `price_output` under [profiles.\"{model}\"] of contexture.toml, or a limit of tokens with `--max-tokens`"
            );
            let message = format!("the price of {model} is not known");
            return refused("price_unknown", message, &help);
        }
        sum = sum.plus(site_of(program, facts, &manifest).map_or(UNBOUNDED, |site| site.each));
        if !offer.models.contains(&model) {
            offer.models.push(model.clone());
        }
        let (n, tokens) = (manifest.call, manifest.tokens);
        offer.calls.push(OfferedCall {
            n,
            site: manifest.site.to_string(),
            model,
            tokens,
            changed,
        });
    }
    offer.tokens = sum.input.zip(sum.output).map(|(input, output)| input.saturating_add(output));
    let is_free = |model: &String| profiles.of(model).price == Some(Price::FREE);
    let is_free = offer.models.iter().all(is_free);
    let money = if is_free { Some(Money::ZERO) } else { sum.money };
    offer.cost = money.map(Money::dollars);
    let is_bounded = money.is_some() || (by_tokens && sum.output.is_some());
    let tokens = offer.tokens.zip(most_tokens).filter(|(tokens, most)| tokens > most);
    match (money, most) {
        _ if !is_bounded => {
            let message = format!("nothing bounds what {} may cost", offer.models.join(" and "));
            let help = "give `max_input` and `max_output` in each `generate`, or `window` and `max_output` of the model under [profiles]; `contexture check --cost` shows what is missing";
            return refused("cost_unbounded", message, help);
        }
        (Some(money), Some(most)) if money > most => {
            let message = format!(
                "the calls may cost {} USD, more than the limit of {} USD",
                money.dollars(),
                most.dollars()
            );
            return refused(COST_LIMIT, message, RAISE);
        }
        _ => {}
    }
    if let Some((tokens, most)) = tokens {
        let message = format!("the calls may take {tokens} tokens, more than the limit of {most}");
        return refused(COST_LIMIT, message, RAISE);
    }
    // What is free needs no bound.
    let money = most.or(money).filter(|_| !is_free);
    offer.limit = SpendLimit { money, tokens: most_tokens, calls: None };
    Ok(offer)
}

/// The way to stay within a limit.
const RAISE: &str = "raise the limit, or give `max_input` and `max_output` in each `generate`";

/// The worst case of a call of which nothing is known.
const UNBOUNDED: Ceiling = Ceiling { calls: None, input: None, output: None, money: None };

/// Returns the worst case of the place of a call.
fn site_of<'f>(
    program: &Program,
    facts: &'f CostFacts,
    manifest: &Manifest,
) -> Option<&'f SiteCost> {
    let position = &manifest.site.position;
    let file = program.files.iter().find(|file| file.source.name() == position.file)?;
    facts.sites.iter().find(|site| {
        let at = file.source.position(site.span.start);
        site.file == position.file && (at.line, at.column) == (position.line, position.column)
    })
}

/// A run that asks, and has not begun.
pub struct AskedRun {
    ready: Ready,
    request: RunRequest,
}

/// Begins the run of an offer: its record is there when this returns.
///
/// # Errors
/// As [`offer`].
pub fn begin(
    asked: Asked<'_>,
    offer: &Offer,
    observer: Arc<dyn Observer>,
    cancel: CancelToken,
) -> Result<AskedRun, RecheckError> {
    let Asked { project, store, run, checked, asking } = asked;
    let log = store.load(run)?;
    let mut request = request(project, Kept { store, log: &log }, checked.clone(), Some(asking))?;
    request.spend = offer.limit;
    let ready = Ready::new(project, &request, observer, cancel)?;
    Ok(AskedRun { ready, request })
}

impl AskedRun {
    /// Returns the id under which it is kept.
    #[must_use]
    pub fn id(&self) -> Option<&str> {
        self.ready.id()
    }

    /// Runs it.
    pub async fn run(self) -> RunReport {
        let Self { ready, mut request } = self;
        let input = std::mem::take(&mut request.input);
        ready.run(request, input).await
    }
}

/// Compares a run with its part that asked models, and says what each call took.
///
/// # Errors
/// [`RecheckError`] when a record can't be read.
pub fn answers(store: &dyn RunStore, first: &RunId, part: &RunId) -> Result<Recheck, RecheckError> {
    let (before, after) = (store.load(first)?, store.load(part)?);
    let after = Kept { store, log: &after };
    let calls = diff_of_functions(Kept { store, log: &before }, after);
    let (mut asked, mut refused) = (BTreeMap::new(), BTreeMap::new());
    for call in after.calls() {
        let data = &call.event.data;
        let number = call.manifest.call;
        if is_asked(call.event) {
            let mut took = json!({
                "model": call.manifest.model.uri, "usage": data.get("usage"), "cost": data.get("cost"),
            });
            if let (Some(fields), Some(lost)) = (took.as_object_mut(), data.get("lost")) {
                fields.insert("lost".to_owned(), lost.clone());
            }
            asked.insert(number, took);
        } else if let Some(error) = data.get("error").filter(|error| !error.is_null()) {
            refused.insert(number, error.clone());
        }
    }
    let (notes, masked) = (Vec::new(), BTreeSet::new());
    Ok(Recheck { calls, failure: None, notes, masked, asked: Some(asked), refused })
}
