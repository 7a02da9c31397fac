//! Reflection: a model proposes texts for the choices of a program, from the cases that fail (EV-11).
//!
//! Decision: the model sees train cases alone, and what it proposes is measured on these and written as
//! one more candidate, never marked. Whether it helps is told by the next trial, on the cases that
//! nobody has seen. The request is a run of a program like any other: recorded, fenced and within the
//! limits of the trial.

use super::asked::require_model;
use super::cell::ended;
use super::fault::EvalError;
use super::report::Failure;
use super::run::{How, Runner};
use super::search::{Arm, ArmCase, Cells as _};
use super::trial::{Tried, choices};
use crate::project::Project;
use crate::run::{Loaded, RunRequest, SetupError};
use contexture_script::sites::{Site, SiteCandidate, names, with_candidate};
use serde::Serialize;
use serde_json::{Value, json};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The program that asks for a proposal.
const PROGRAM: &str = include_str!("reflect.as");

/// The most failures that a proposal is asked from.
const FAILURES: usize = 8;

/// Who is asked for other texts, and how often.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Reflect {
    /// The URI of the model.
    pub model: String,
    /// The most proposals.
    pub proposals: usize,
}

impl Reflect {
    /// Makes the wish for some proposals of a model.
    #[must_use]
    pub fn new(model: impl Into<String>, proposals: usize) -> Self {
        Self { model: model.into(), proposals }
    }
}

/// What a model proposed.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[non_exhaustive]
pub struct Reflection {
    /// The proposals, in the order in which they were made.
    pub proposals: Vec<Proposal>,
}

impl Reflection {
    /// Reports whether the program has one more candidate by it.
    pub(super) fn is_kept(&self) -> bool {
        self.proposals.iter().any(|proposal| proposal.name.is_some())
    }
}

/// A text that a model proposed for a site.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Proposal {
    /// The site, by its label or its line in the program as it was.
    pub site: String,
    /// The candidate from whose failures it came.
    pub parent: String,
    /// Its name among the candidates; absent when it is not kept.
    pub name: Option<String>,
    /// The text.
    pub text: String,
    /// What the model takes for the cause of the failures.
    pub reason: String,
    /// The train cases that it passes.
    pub passed: usize,
    /// The train cases that its parent passes.
    pub parent_passed: usize,
    /// The train cases.
    pub cases: usize,
    /// Why it is not kept.
    pub dropped: Option<String>,
}

/// Refuses a model that can't be asked, and a program that has no text to propose another one for.
pub(super) fn check(project: &Project, wish: &Reflect, sites: &[Site]) -> Result<(), EvalError> {
    require_model(project, &wish.model)?;
    if sites.iter().any(|site| texts(site).next().is_some()) {
        return Ok(());
    }
    Err(EvalError::Setup(SetupError {
        code: "no_text".to_owned(),
        message: "no `use one of` of the program has a candidate that is a text".to_owned(),
        help: Some(
            "write the instruction as one: `use one of { plain: \"…\", none: empty } as task`"
                .to_owned(),
        ),
    }))
}

/// Asks for texts until there are enough, all cases pass, or a limit is met. `arm` is what stands at the
/// other sites.
pub(super) async fn reflect(
    tried: &mut Tried<'_>,
    wish: &Reflect,
    arm: &Arm,
    train: &[usize],
) -> Reflection {
    let places = tried.sites.iter().enumerate();
    let places = places.filter(|(_, site)| texts(site).next().is_some()).map(|(at, _)| at);
    let mut open: Vec<usize> = places.collect();
    // Lines move when candidates are added: sites are named as they were.
    let names = names(&tried.sites);
    let mut reflection = Reflection::default();
    let mut asks: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    for turn in 0.. {
        if reflection.proposals.len() >= wish.proposals || open.is_empty() {
            break;
        }
        let Some(at) = open.get(turn % open.len()).copied() else { break };
        let place = Place { at, arm, train };
        if !place.measure(tried).await {
            break;
        }
        let Some(parent) = place.parent(tried, &asks) else {
            open.retain(|one| *one != at);
            continue;
        };
        *asks.entry((at, parent)).or_default() += 1;
        let site = names.get(at).cloned().unwrap_or_default();
        let earlier = reflection.proposals.iter().filter(|earlier| earlier.site == site);
        let earlier: Vec<String> = earlier.map(|earlier| earlier.text.clone()).collect();
        let Some(proposal) = place.propose(tried, wish, (site, &earlier), parent).await else {
            break;
        };
        reflection.proposals.push(proposal);
    }
    reflection
}

/// Returns the candidates of a site that are texts, with their numbers.
fn texts(site: &Site) -> impl Iterator<Item = (usize, &str)> {
    site.candidates.iter().enumerate().filter_map(|(at, one)| Some((at, one.text.as_deref()?)))
}

/// A site under reflection, with the rest of the arm.
struct Place<'p> {
    at: usize,
    arm: &'p Arm,
    train: &'p [usize],
}

impl Place<'_> {
    fn site<'t>(&self, tried: &'t Tried<'_>) -> Option<&'t Site> {
        tried.sites.get(self.at)
    }

    /// Returns the arm in which a candidate stands at the site.
    fn with(&self, candidate: usize) -> Arm {
        let mut arm = self.arm.clone();
        if let Some(place) = arm.get_mut(self.at) {
            *place = candidate;
        }
        arm
    }

    /// Runs the texts of the site on the train cases, as far as they have not run. False when a limit
    /// stopped it.
    async fn measure(&self, tried: &mut Tried<'_>) -> bool {
        let Some(site) = self.site(tried) else { return false };
        let texts: Vec<usize> = texts(site).map(|(at, _)| at).collect();
        let cells =
            texts.iter().flat_map(|at| self.train.iter().map(|case| (self.with(*at), *case)));
        let new: Vec<ArmCase> = cells.filter(|cell| !tried.faults.contains_key(cell)).collect();
        tried.run(new).await.iter().all(Option::is_some)
    }

    /// Returns the train cases that a candidate fails, with what was wrong.
    fn failing<'t>(&self, tried: &'t Tried<'_>, candidate: usize) -> Vec<(usize, &'t [String])> {
        let arm = self.with(candidate);
        let faults = |case: &usize| {
            let faults = tried.faults.get(&(arm.clone(), *case))?;
            (!faults.is_empty()).then_some((*case, faults.as_slice()))
        };
        self.train.iter().filter_map(faults).collect()
    }

    /// Returns the cases that a candidate passes.
    fn passed(&self, tried: &Tried<'_>, candidate: usize) -> BTreeSet<usize> {
        let failing = self.failing(tried, candidate);
        let fails = |case: &usize| failing.iter().any(|(failed, _)| failed == case);
        self.train.iter().copied().filter(|case| !fails(case)).collect()
    }

    /// Returns the candidate whose failures are shown: of those that fail some and that no other one
    /// beats, the one that was shown least, and passes most among equal ones. A candidate is beaten by
    /// one that passes all its cases and another.
    fn parent(&self, tried: &Tried<'_>, asks: &BTreeMap<(usize, usize), usize>) -> Option<usize> {
        let all: Vec<(usize, BTreeSet<usize>)> =
            texts(self.site(tried)?).map(|(at, _)| (at, self.passed(tried, at))).collect();
        let is_beaten = |passed: &BTreeSet<usize>| {
            all.iter().any(|(_, other)| passed.is_subset(other) && passed.len() < other.len())
        };
        let fails = |passed: &BTreeSet<usize>| passed.len() < self.train.len();
        let front = all.iter().filter(|(_, passed)| fails(passed) && !is_beaten(passed));
        let shown = |at: usize| asks.get(&(self.at, at)).copied().unwrap_or_default();
        let order =
            |(at, passed): &&(usize, BTreeSet<usize>)| (shown(*at), Reverse(passed.len()), *at);
        front.min_by_key(order).map(|(at, _)| *at)
    }

    /// Asks for a text, and measures it. `None` when a limit was met before there was one.
    async fn propose(
        &self,
        tried: &mut Tried<'_>,
        wish: &Reflect,
        (site, earlier): (String, &[String]),
        parent: usize,
    ) -> Option<Proposal> {
        let like = self.site(tried)?.candidates.get(parent)?.clone();
        let mut proposal = Proposal {
            site,
            parent: like.name.clone(),
            name: None,
            text: String::new(),
            reason: String::new(),
            passed: 0,
            parent_passed: self.passed(tried, parent).len(),
            cases: self.train.len(),
            dropped: None,
        };
        match self.ask(tried, wish, parent, earlier).await {
            Err(None) => return None,
            Err(Some(failure)) => proposal.dropped = Some(failure.message),
            Ok(answer) => {
                let text =
                    |name: &str| answer.get(name).and_then(Value::as_str).unwrap_or_default();
                proposal.text = text("instruction").trim().to_owned();
                proposal.reason = text("reason").to_owned();
                self.try_out(tried, &like, &mut proposal).await;
            }
        }
        Some(proposal)
    }

    /// Adds a proposal to the program, and keeps it there if it passes a case that each other candidate
    /// fails.
    async fn try_out(&self, tried: &mut Tried<'_>, like: &SiteCandidate, proposal: &mut Proposal) {
        let Some(site) = self.site(tried) else { return };
        if proposal.text.is_empty() || texts(site).any(|(_, text)| text == proposal.text) {
            proposal.dropped = Some("the text is empty, or a candidate already".to_owned());
            return;
        }
        let name = free_name(site);
        let before = Arc::clone(&tried.runner.program);
        // It is the last candidate of its site.
        let new = site.candidates.len();
        let others: Vec<BTreeSet<usize>> =
            texts(site).map(|(at, _)| self.passed(tried, at)).collect();
        match longer(tried, site, like, (&name, &proposal.text)) {
            Ok(loaded) => take(tried, loaded),
            Err(why) => {
                proposal.dropped = Some(why);
                return;
            }
        }
        let dropped = if self.measure(tried).await {
            let passed = self.passed(tried, new);
            proposal.passed = passed.len();
            if !others.iter().any(|other| passed.is_subset(other)) {
                proposal.name = Some(name);
                return;
            }
            "it passes no case that the candidates do not pass"
        } else {
            "a limit was met before all train cases had run"
        };
        proposal.dropped = Some(dropped.to_owned());
        // Its cells are forgotten: the next proposal takes its number.
        let arm = self.with(new);
        tried.faults.retain(|(other, _), _| *other != arm);
        take(tried, before);
    }

    /// Asks the model. `Err(None)` when a limit stopped it.
    async fn ask(
        &self,
        tried: &Tried<'_>,
        wish: &Reflect,
        parent: usize,
        earlier: &[String],
    ) -> Result<Value, Option<Failure>> {
        let (runner, asked) = (&tried.runner, tried.asked);
        let site = self.site(tried).ok_or(None)?;
        let failure = |(case, faults): (usize, &[String])| {
            let case = tried.cells.get(case)?.case;
            Some(json!({ "input": runner.input(case).ok()?, "wrong": faults }))
        };
        let failing = self.failing(tried, parent).into_iter();
        let failures: Vec<Value> = failing.filter_map(failure).take(FAILURES).collect();
        let other = |(at, text): (usize, &'_ str)| (at != parent).then(|| text.to_owned());
        let mut others: BTreeSet<String> = texts(site).filter_map(other).collect();
        others.extend(earlier.iter().filter(|text| !text.is_empty()).cloned());
        let present = site.candidates.get(parent).and_then(|one| one.text.as_deref());
        let request = RunRequest {
            program: "reflect.as".into(),
            text: Some(PROGRAM.to_owned()),
            input: json!({ "instruction": present, "others": others, "failures": failures }).into(),
            model: Some(wish.model.clone()),
            stand_in: runner.stand_in(),
            ledger: Some(Arc::clone(&asked.ledger)),
            ..RunRequest::default()
        };
        let run = ended(runner.runtime, request, None, Some(&asked.cancel)).await;
        run.map(|run| run.value).map_err(|error| {
            let error = error?;
            let is_stopped =
                asked.stop_at_limit(&error, false).is_some() || asked.cancel.is_cancelled();
            (!is_stopped).then(|| Failure::of_run(&error))
        })
    }
}

/// Puts another form of the program in place.
fn take(tried: &mut Tried<'_>, program: Arc<Loaded>) {
    let (runtime, suite, asked) = (tried.runner.runtime, tried.runner.suite, tried.asked);
    tried.sites = choices(&program);
    tried.runner = Runner::new(runtime, suite, How::Asked(asked), program);
}

/// Loads the program with one more candidate.
fn longer(
    tried: &Tried<'_>,
    site: &Site,
    like: &SiteCandidate,
    new: (&str, &str),
) -> Result<Arc<Loaded>, String> {
    let runner = &tried.runner;
    let file = runner.program.program.files.first().ok_or("the program has no file")?;
    let text = with_candidate(&file.source, site, like, new);
    let loaded = Loaded::of_text(runner.runtime.project(), &runner.suite.program, &text);
    loaded.map_err(|error| error.to_string())
}

/// Returns a name that no candidate of a site has.
fn free_name(site: &Site) -> String {
    let is_free = |name: &String| site.candidates.iter().all(|one| one.name != *name);
    (1..).map(|n| format!("proposal_{n}")).find(is_free).unwrap_or_default()
}
