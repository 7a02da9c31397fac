//! The two rounds of loading: hot references at once, default ones while the budget lasts.

use super::entry::{PlanEntry, PlanOptions, Policy, Routed, Sizes, pending};
use crate::loader::{Loader, Route, StepKind};
use crate::syntax::Semantics;
use contexture_core::reference::{LoadError, Loaded};
use futures_util::StreamExt as _;
use futures_util::stream::FuturesOrdered;
use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::future::poll_fn;
use std::hash::{Hash, Hasher};
use std::pin::Pin;
use std::task::{Context, Poll};

struct Left {
    tokens: Option<u64>,
    bytes: u64,
}

/// Returns the entries of the whole references that were tried, without what a candidate itself
/// knows: its reference and where it stands.
pub(super) async fn tried(
    loader: &Loader,
    routed: &[Routed],
    options: &PlanOptions,
) -> Vec<Option<PlanEntry>> {
    let mut left = Left { tokens: options.budget, bytes: loader.limits().max_plan_bytes };
    let mut entries: Vec<Option<PlanEntry>> = routed.iter().map(|_| None).collect();
    let default = (options.policy == Policy::Budget).then_some(Semantics::Default);
    for semantics in [Some(Semantics::Hot), default].into_iter().flatten() {
        let wanted = wanted(routed, semantics);
        let mut round = Round::new(loader, &wanted);
        for (turn, (index, route)) in wanted.iter().enumerate() {
            if semantics == Semantics::Default && left.tokens == Some(0) {
                break;
            }
            let Some(outcome) = round.outcome(turn).await else { break };
            if let Some(entry) = entries.get_mut(*index) {
                *entry = Some(weighed(loader, route, outcome, options.sizes, &mut left));
            }
        }
    }
    entries
}

/// Returns the ways of one prefix, with the index of each.
fn wanted(routed: &[Routed], semantics: Semantics) -> Vec<(usize, &Route)> {
    let routes = routed.iter().enumerate();
    routes
        .filter_map(|(index, routed)| Some((index, routed.route.as_ref().ok()?)))
        .filter(|(_, route)| route.semantics == semantics)
        .collect()
}

/// The loads of one prefix; results come in the order of the text, whichever was ready first.
struct Round<'r> {
    loads: Loads<'r>,
    /// For each turn that goes a way again, the turn that goes it first.
    again: HashMap<usize, usize>,
    /// The turns whose way is gone again.
    shared: HashSet<usize>,
    kept: HashMap<usize, Outcome>,
}

impl<'r> Round<'r> {
    fn new(loader: &'r Loader, wanted: &[(usize, &'r Route)]) -> Self {
        let (firsts, again) = firsts(wanted);
        let shared = again.values().copied().collect();
        let loads = Loads::new(loader, firsts);
        Self { loads, again, shared, kept: HashMap::new() }
    }

    async fn outcome(&mut self, turn: usize) -> Option<Outcome> {
        if let Some(first) = self.again.get(&turn) {
            return self.kept.get(first).cloned();
        }
        let outcome = self.loads.next().await?;
        if self.shared.contains(&turn) {
            self.kept.insert(turn, outcome.clone());
        }
        Some(outcome)
    }
}

/// Returns the ways that are gone, each once, and for each turn that goes one again the turn that
/// goes it first.
fn firsts<'r>(wanted: &[(usize, &'r Route)]) -> (Vec<&'r Route>, HashMap<usize, usize>) {
    let mut seen: HashMap<Way<'r>, usize> = HashMap::with_capacity(wanted.len());
    let mut firsts = Vec::with_capacity(wanted.len());
    let mut again = HashMap::new();
    for (turn, (_, route)) in wanted.iter().enumerate() {
        match seen.entry(Way(route)) {
            Entry::Occupied(first) => {
                again.insert(turn, *first.get());
            }
            Entry::Vacant(free) => {
                free.insert(turn);
                firsts.push(*route);
            }
        }
    }
    (firsts, again)
}

/// The key by which two references load the same. Credentials count: with others a server
/// may give something else.
struct Way<'r>(&'r Route);

impl Way<'_> {
    fn path(&self) -> &str {
        match self.0.steps.first().map(|step| &step.kind) {
            Some(StepKind::Source { path }) => path,
            _ => "",
        }
    }
}

impl PartialEq for Way<'_> {
    fn eq(&self, other: &Self) -> bool {
        let (one, two) = (self.0, other.0);
        one.resolved == two.resolved && self.path() == other.path() && one.place == two.place
    }
}

impl Eq for Way<'_> {}

impl Hash for Way<'_> {
    /// The text says nearly all: what else counts is only compared.
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.resolved.hash(state);
    }
}

/// Returns the entry of what a load gave, against what is left of the budgets.
fn weighed(
    loader: &Loader,
    route: &Route,
    outcome: Outcome,
    sizes: Sizes,
    left: &mut Left,
) -> PlanEntry {
    let entry = pending("", route.semantics, "");
    let loaded = match outcome {
        Ok(loaded) => loaded,
        Err(error) => return entry.failed(error),
    };
    let weighs = route.semantics == Semantics::Default && left.tokens.is_some();
    let tokens = (weighs || sizes == Sizes::All).then(|| loader.tokens(&loaded));
    if let (true, Some(tokens), Some(left)) = (weighs, tokens, left.tokens)
        && tokens > left
    {
        let reason = format!("its {tokens} tokens do not fit the {left} left of the budget");
        return PlanEntry { tokens: Some(tokens), reason, ..entry };
    }
    let Some(bytes) = left.bytes.checked_sub(loaded.bytes()) else {
        let limit = loader.limits().max_plan_bytes;
        let message = format!("with it the text's references give more than {limit} bytes");
        let error = LoadError::new("REF3013", &route.reference, message);
        return entry.failed(error.with_help("load less at once: make some of them lazy, `@?`"));
    };
    left.bytes = bytes;
    if let (true, Some(left)) = (weighs, left.tokens.as_mut()) {
        *left = left.saturating_sub(tokens.unwrap_or_default());
    }
    entry.loaded(loaded, tokens)
}

pub(super) type Outcome = Result<Loaded, LoadError>;

/// Loads in the order of their ways, some at the same time.
pub(super) struct Loads<'r> {
    loader: &'r Loader,
    routes: std::vec::IntoIter<&'r Route>,
    waiting: FuturesOrdered<Walk<'r>>,
}

impl<'r> Loads<'r> {
    pub(super) fn new(loader: &'r Loader, routes: Vec<&'r Route>) -> Self {
        Self { loader, routes: routes.into_iter(), waiting: FuturesOrdered::new() }
    }

    /// Returns what the next way gave; `None` when there is none left.
    pub(super) async fn next(&mut self) -> Option<Outcome> {
        let most = self.loader.limits().concurrency.max(1);
        while self.waiting.len() < most {
            let Some(route) = self.routes.next() else { break };
            let mut walk = walk(self.loader, route);
            // What is there at once, as files are, needs no queue.
            if self.waiting.is_empty()
                && let Poll::Ready(outcome) = poll_fn(|context| at_once(&mut walk, context)).await
            {
                return Some(outcome);
            }
            self.waiting.push_back(walk);
        }
        self.waiting.next().await
    }
}

/// Asks once. What is not ready is asked again in the queue, by whose waker it is then woken.
fn at_once(walk: &mut Walk<'_>, context: &mut Context<'_>) -> Poll<Poll<Outcome>> {
    Poll::Ready(walk.as_mut().poll(context))
}

type Walk<'l> = Pin<Box<dyn Future<Output = Outcome> + Send + 'l>>;

/// Boxed by a named function, so that a plan can move between threads while it is made.
fn walk<'l>(loader: &'l Loader, route: &'l Route) -> Walk<'l> {
    Box::pin(loader.walk(route))
}
